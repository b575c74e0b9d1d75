#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>

using namespace freefall::testing;

namespace
{
const auto needs_matplotlib = needs("/usr/bin/python3 -c 'import matplotlib, numpy'");
const std::string freefall_program = FREEFALL_EXECUTABLE;

/// Real runs, made once: the Kepler body by two integrators over one period, and a study of its step.
class Runs
{
public:
  Runs()
  {
    const std::string kepler = FREEFALL_SOURCE_DIR "/parameters/kepler_e085_";
    for (const std::string name : {"force_stepping", "newmark"})
      require(freefall_program + " run " + kepler + name + ".prm --quiet --set 'End time=6.4' --set 'Output/Snapshot interval=none'" +
              " --output " + folder(name));
    make_file(folder_ / "study.prm",
              "set Title = Steps\nset Base = " + kepler +
                "newmark.prm\nsubsection Settings\n  set End time = 0.5\nend\n"
                "subsection Sweep step\n  set Parameter = Integrator/*/Time step\n  set Values = 0.0125, 0.00625, 0.003125\nend\n"
                "subsection Fit drift\n  set Quantity = relative_energy_drift\n  set Against = step\nend\n"
                "subsection Plot drift\n  set X = step\n  set Y = relative_energy_drift\nend\n"
                "subsection Plot energies\n  set Of = histories\n  set Y = total_energy\n  set Change = true\n  set Lines = step\n"
                "  set Y scale = logarithmic\nend\n");
    // Its plot is drawn by the study itself.
    require(freefall_program + " study " + folder("study.prm") + " --quiet --output " + folder("study"));
  }
  std::string folder(const std::string &name) const { return (folder_ / name).string(); }
  std::filesystem::path operator/(const std::string &name) const { return folder_ / name; }

private:
  static void require(const std::string &command)
  {
    const Outcome outcome = run(command);
    BOOST_REQUIRE_MESSAGE(outcome.exit_code == 0, command << " said " << outcome.text);
  }
  TemporaryFolder folder_;
};

const Runs &runs()
{
  static const Runs made;
  return made;
}

void check_drawing(const std::string &arguments, const std::filesystem::path &picture)
{
  const Outcome outcome = run(script("plot") + " " + arguments);
  BOOST_REQUIRE_MESSAGE(outcome.exit_code == 0, arguments << " said " << outcome.text);
  BOOST_TEST(outcome.text == picture.string() + "\n");
  const std::string bytes = contents_of(picture);
  const std::string kind = picture.extension().string();
  BOOST_TEST(contains(bytes.substr(0, 400), kind == ".png" ? "PNG" : kind == ".svg" ? "<svg" : "%PDF"), picture);
  if (kind == ".png") BOOST_TEST(size_of_png(picture)[0] >= 800u);
}

void check_refusal(const std::string &arguments, const std::string &text)
{
  const Outcome outcome = run(script("plot") + " " + arguments);
  BOOST_TEST(outcome.exit_code == 2, arguments);
  BOOST_TEST(contains(outcome.text, text), arguments << " said " << outcome.text);
  BOOST_TEST(!contains(outcome.text, "Traceback"), outcome.text);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(plot_subcommands)

BOOST_AUTO_TEST_CASE(history_of_particles_has_three_panels_and_chosen_columns_one_each, *needs_matplotlib)
{
  check_drawing("history " + runs().folder("newmark"), runs() / "newmark/history.png");
  const std::array<unsigned, 2> three_panels = {1430, 1462};
  BOOST_TEST(size_of_png(runs() / "newmark/history.png") == three_panels);
  check_drawing("history " + runs().folder("newmark") + " --columns total_energy -o " + runs().folder("one.svg"), runs() / "one.svg");
  check_refusal("history " + runs().folder("newmark") + " --columns totl_energy", "Did you mean 'total_energy'?");
  check_refusal("history " + runs().folder("newmark") + " -o " + runs().folder("one.gif"), "must end with one of .png, .svg, .pdf");
}

BOOST_AUTO_TEST_CASE(compare_draws_runs_over_each_other, *needs_matplotlib)
{
  const std::string both = "compare " + runs().folder("newmark") + " " + runs().folder("force_stepping");
  check_drawing(both + " -o " + runs().folder("both.pdf"), runs() / "both.pdf");
  check_drawing(both + " --labels Newmark,force-stepping --title Kepler --columns angular_momentum_z -o " + runs().folder("both.png"),
                runs() / "both.png");
  check_refusal(both + " --labels one", "1 labels for 2 runs");
  check_refusal("compare " + runs().folder("newmark"), "two runs or more");
}

BOOST_AUTO_TEST_CASE(time_steps_are_drawn_with_and_without_a_histogram, *needs_matplotlib)
{
  check_drawing("timesteps " + runs().folder("force_stepping"), runs() / "force_stepping/timesteps.png");
  check_drawing("timesteps " + runs().folder("newmark"), runs() / "newmark/timesteps.png");
  check_refusal("timesteps " + runs().folder("newmark") + " --body moon", "There are: particle_body");
}

BOOST_AUTO_TEST_CASE(orbit_draws_paths_and_the_ellipse, *needs_matplotlib)
{
  check_drawing("orbit " + runs().folder("newmark") + " --kepler 1,0.85", runs() / "newmark/orbit.png");
  check_drawing("orbit " + runs().folder("newmark") + " " + runs().folder("force_stepping") + " --separate -o " +
                  runs().folder("orbits.png"),
                runs() / "orbits.png");
  check_refusal("orbit " + runs().folder("newmark") + " --kepler 1", "give two numbers");
  check_refusal("orbit " + runs().folder("newmark") + " --body moon", "has particle_body");
}

BOOST_AUTO_TEST_CASE(study_draws_its_own_plots_and_others, *needs_matplotlib)
{
  BOOST_TEST(size_of_png(runs() / "study/drift.png")[0] == 1430u);
  check_drawing("study " + runs().folder("study") + " --plot drift --format svg", runs() / "study/drift.svg");
  check_drawing("study " + runs().folder("study") + " --plot energies --format svg", runs() / "study/energies.svg");
  BOOST_TEST(contains(contents_of(runs() / "study/energies.svg"), "<svg"));
  check_drawing("study " + runs().folder("study") + " --x step --y wall_seconds -o " + runs().folder("wall.png"), runs() / "wall.png");
  check_refusal("study " + runs().folder("study") + " --x stp --y n_steps", "has no column 'stp'");
  check_refusal("study " + runs().folder("newmark"), "study.csv");
}

BOOST_AUTO_TEST_CASE(table_shows_numbers_of_runs_and_studies, *needs_matplotlib)
{
  const Outcome of_runs = run(script("plot") + " table " + runs().folder("newmark") + " " + runs().folder("force_stepping"));
  BOOST_TEST(of_runs.exit_code == 0, of_runs.text);
  BOOST_TEST(contains(of_runs.text, "explicit Newmark"), of_runs.text);
  BOOST_TEST(contains(of_runs.text, "force-stepping"), of_runs.text);
  BOOST_TEST(contains(of_runs.text, "0.0125"), of_runs.text);
  const Outcome of_study =
    run(script("plot") + " table " + runs().folder("study") + " --style markdown --columns n_steps");
  BOOST_TEST(of_study.exit_code == 0, of_study.text);
  BOOST_TEST(contains(of_study.text, "0.003125 | done   |     160 |"), of_study.text);
  check_refusal("table " + runs().folder("newmark") + " --columns n_stps", "there is no 'n_stps'");
}

BOOST_AUTO_TEST_CASE(help_names_every_subcommand, *needs_matplotlib)
{
  const Outcome help = run(script("plot") + " --help");
  BOOST_TEST(help.exit_code == 0);
  for (const char *name : {"history", "compare", "timesteps", "orbit", "study", "table"})
  {
    BOOST_TEST(contains(help.text, name));
    BOOST_TEST(run(script("plot") + " " + name + " --help").exit_code == 0);
  }
  check_refusal("histry x", "invalid choice");
}

BOOST_AUTO_TEST_SUITE_END()

#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>

using namespace freefall::testing;

namespace
{
const auto needs_matplotlib = needs("/usr/bin/python3 -c 'import matplotlib, numpy'");

Outcome make_figures(const std::string &arguments)
{
  return run(script("figures") + " --program " FREEFALL_EXECUTABLE " " + arguments);
}

/// Lines of Python with the package of the figures at hand.
Outcome python(const std::string &lines)
{
  return run("cd " FREEFALL_SOURCE_DIR "/postprocess && /usr/bin/python3 -B -c '" + lines + "'");
}
}  // namespace

BOOST_AUTO_TEST_SUITE(figures)

BOOST_AUTO_TEST_CASE(list_names_every_figure_that_carries_data, *needs_matplotlib)
{
  const Outcome list = make_figures("--list");
  BOOST_TEST(list.exit_code == 0, list.text);
  const auto expect = [&](const std::string &paper, int first, int last)
  {
    for (int i = first; i <= last; ++i)
      BOOST_TEST(contains(list.text, paper + "-" + std::to_string(i) + " "), paper << "-" << i << " is not in " << list.text);
  };
  expect("GSO", 5, 13);
  expect("GSO", 15, 23);
  expect("TO", 1, 10);
  expect("S", 1, 5);
  BOOST_TEST(contains(list.text, "S-T1 "), list.text);
  expect("R", 1, 7);
  expect("G99", 2, 4);
}

BOOST_AUTO_TEST_CASE(quick_figures_are_made_once_beside_what_the_paper_reports, *needs_matplotlib)
{
  TemporaryFolder folder;
  const std::string chosen = "--quick GSO-7 R-7 S-T1 --output " + folder.path().string();
  const Outcome first = make_figures(chosen);
  BOOST_TEST(first.exit_code == 0, first.text);
  BOOST_TEST(contains(first.text, "making kepler_e085_force from parameters/kepler_e085_force_stepping.prm"), first.text);
  BOOST_TEST(contains(first.text, "paper: average step 0.0125"), first.text);
  for (const char *name : {"GSO-7.png", "R-7.png", "S-T1.png"}) BOOST_TEST(size_of_png(folder / name)[0] > 800u);
  const std::string report = contents_of(folder / "report.md");
  BOOST_TEST(contains(report, "## S Table 1: pendulum: phase error"), report);
  BOOST_TEST(contains(report, "| the paper reports | here | |"), report);
  const Outcome second = make_figures(chosen + " --format svg");
  BOOST_TEST(second.exit_code == 0, second.text);
  BOOST_TEST(!contains(second.text, "making"), second.text);
  BOOST_TEST(contains(contents_of(folder / "R-7.svg").substr(0, 400), "<svg"));
  // Other settings, other runs.
  const Outcome again = make_figures("--quick R-7 --again --output " + folder.path().string());
  BOOST_TEST(contains(again.text, "making reich_composed"), again.text);
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_fails_is_said_and_does_not_stop_the_others, *needs_matplotlib)
{
  TemporaryFolder folder;
  const std::string make = "from papers import command, sources, registry; "
                           "maker = sources.Maker(\"" FREEFALL_EXECUTABLE "\", \"" +
                           folder.path().string() +
                           "\"); "
                           "figure = lambda file, settings: registry.Figure(\"GSO\", \"1\", \"t\", None, {\"a\": "
                           "sources.RunSource(\"x\", file, settings)}); ";
  const Outcome missing = python(make + "o = command.make(figure(\"no_such.prm\", {}), maker, \"x.png\"); print(o.status, o.detail)");
  BOOST_TEST(contains(missing.text, "missing there is no parameters/no_such.prm"), missing.text);
  const Outcome failed = python(make + "o = command.make(figure(\"pendulum_reich.prm\", {\"End time\": \"-1\"}), maker, \"x.png\"); "
                                       "print(o.status, o.detail)");
  BOOST_TEST(contains(failed.text, "failed parameters/pendulum_reich.prm"), failed.text);
  BOOST_TEST(contains(failed.text, "End time"), failed.text);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_explained, *needs_matplotlib)
{
  const Outcome name = make_figures("GSO-55");
  BOOST_TEST(name.exit_code == 2);
  BOOST_TEST(contains(name.text, "Did you mean 'GSO-5'?"), name.text);
  const Outcome program = run(script("figures") + " R-7 --program /no/such/program");
  BOOST_TEST(program.exit_code == 2);
  BOOST_TEST(contains(program.text, "build it first"), program.text);
}

BOOST_AUTO_TEST_CASE(exponents_of_exact_power_laws_are_found_and_growth_is_told_from_bounded_errors, *needs_matplotlib)
{
  // Rounding of logarithms is all that can be wrong: 1e-12.
  const Outcome outcome =
    python("import numpy; from papers import marks; x = numpy.geomspace(1, 1e3, 7); "
           "s, w = marks.slope(x, 3 * x**-1.5); print(abs(s + 1.5) < 1e-12, w < 1e-12); "
           "t = numpy.linspace(0, 10, 1001); print(abs(marks.growth(t, 2 * t**3, 1, 10) - 3) < 1e-12); "
           "print(marks.bounded(\"e\", t, numpy.sin(9 * t)).agrees, marks.bounded(\"e\", t, t).agrees)");
  BOOST_TEST(outcome.text == "True True\nTrue\nTrue False\n", outcome.text);
}

BOOST_AUTO_TEST_SUITE_END()

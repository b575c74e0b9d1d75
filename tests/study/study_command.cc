#include <study/study_files.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>

namespace fs = std::filesystem;

namespace
{
const std::string step_sweep =
  "subsection Sweep step\n  set Parameter = Integrator/*/Time step\n  set Geometric = 0.1, 0.0125, 4\nend\n";
const std::string position_error =
  "subsection Error x\n  set Quantities = particle_body_position_x\n  set Exact = cos(t)\nend\n"
  "subsection Fit order\n  set Quantity = error_x\n  set Against = step\n  set Separately for = variant\nend\n";

/// A study of the oscillator in the folder; returns its file.
std::string write_study(const ScratchFolder &scratch, const std::string &lines)
{
  write_oscillator(scratch / "base.prm");
  std::ofstream(scratch / "study.prm") << "set Base = base.prm\n" << lines;
  return (scratch / "study.prm").string();
}

ProgramResult run_study(const ScratchFolder &scratch, const std::string &file, const std::string &options = "")
{
  return run_freefall("study " + file + " --no-plot --output " + (scratch / "out").string() + " " + options);
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
}  // namespace

BOOST_AUTO_TEST_SUITE(study_command)

BOOST_AUTO_TEST_CASE(order_of_convergence_comes_out_against_the_exact_solution)
{
  const ScratchFolder scratch("study_order");
  const auto file = write_study(
    scratch, "subsection Variant Newmark\nend\nsubsection Variant RK4\n subsection Integrator\n  set Name = Runge-Kutta 4\n end\nend\n" +
               step_sweep + position_error);
  const auto result = run_study(scratch, file);
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  BOOST_TEST(column_of(scratch / "out/study.csv", "variant").size() == 8u);
  BOOST_TEST(column_of(scratch / "out/study.csv", "n_dofs")[7] == "1");
  const auto slopes = column_of(scratch / "out/fits.csv", "slope");
  BOOST_TEST_REQUIRE(slopes.size() == 2u);
  // The next order is dt^2 / 20 of the error for Newmark; for RK4 dt^5 cos(1) / 144 beside dt^4 sin(1) / 120, half dt of it.
  BOOST_TEST(std::abs(std::stod(slopes[0]) - 2) < 0.01);
  BOOST_TEST(std::abs(std::stod(slopes[1]) - 4) < 0.05);
  BOOST_TEST(contains(result.output, "order, RK4: error_x ~ step^("), result.output);
  // Velocity Verlet keeps cos(w t) with w = 2/dt asin(dt/2): w - 1 = dt^2/24, error sin(1) dt^2/24 at t = 1.
  const double error = std::stod(column_of(scratch / "out/study.csv", "error_x")[3]);
  BOOST_TEST(std::abs(error / (std::sin(1.) * 0.0125 * 0.0125 / 24) - 1) < 1e-3);
}

BOOST_AUTO_TEST_CASE(errors_against_a_reference_run_agree_with_those_against_the_exact_solution)
{
  const ScratchFolder scratch("study_reference");
  const auto file = write_study(scratch, step_sweep +
                                           "subsection Reference\n subsection Settings\n  subsection Integrator\n"
                                           "   set Name = Runge-Kutta 4\n   subsection Runge-Kutta 4\n    set Time step = 0.001\n"
                                           "   end\n  end\n end\nend\n"
                                           "subsection Error run\n  set Quantities = particle_body_position_x\nend\n"
                                           "subsection Error exact\n  set Quantities = particle_body_position_x\n"
                                           "  set Exact = cos(t)\nend\n");
  const auto result = run_study(scratch, file);
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  const auto run = column_of(scratch / "out/study.csv", "error_run"), exact = column_of(scratch / "out/study.csv", "error_exact");
  BOOST_TEST_REQUIRE(run.size() == 4u);
  // The reference's own error is about 1e-14; the smallest of these errors is 5e-6.
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(std::abs(std::stod(run[i]) / std::stod(exact[i]) - 1) < 1e-8);
}

BOOST_AUTO_TEST_CASE(deviations_are_measured_from_a_value_or_from_the_reference_run)
{
  const ScratchFolder scratch("study_deviation");
  const auto file = write_study(
    scratch, step_sweep + "subsection Reference\n subsection Settings\n  subsection Integrator\n   subsection Explicit Newmark\n"
                          "    set Time step = 0.0125\n   end\n  end\n end\nend\n"
                          "subsection Measure x\n  set Quantity = particle_body_position_x\nend\n"
                          "subsection Deviation value\n  set Quantities = x, n_dofs\n  set From = 1 + cos(pi/3)\nend\n"
                          "subsection Deviation run\n  set Quantities = x\n  set Relative = false\nend\n");
  const auto result = run_study(scratch, file);
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  const auto x = column_of(scratch / "out/study.csv", "x"), value = column_of(scratch / "out/study.csv", "deviation_value"),
             run = column_of(scratch / "out/study.csv", "deviation_run");
  BOOST_TEST_REQUIRE(x.size() == 4u);
  for (std::size_t i = 0; i < 4; ++i)
  {
    // Numbers are written with all their digits.
    BOOST_TEST(std::abs(std::stod(value[i]) - std::abs(std::stod(x[i]) + 1 - 1.5) / 1.5) < 1e-14);
    BOOST_TEST(std::abs(std::stod(run[i]) - std::abs(std::stod(x[i]) - std::stod(x[3]))) < 1e-14);
  }
  BOOST_TEST(std::stod(run[0]) > 1e-5);
  BOOST_TEST(std::stod(run[3]) == 0);
}

BOOST_AUTO_TEST_CASE(finished_runs_are_not_repeated_and_the_table_stays_the_same)
{
  const ScratchFolder scratch("study_again");
  const auto file = write_study(scratch, step_sweep + position_error);
  BOOST_TEST(run_study(scratch, file).exit_code == 0);
  const std::string table = read_text(scratch / "out/study.csv");
  // The time of computing would differ if a run were repeated.
  const auto again = run_study(scratch, file);
  BOOST_TEST(again.exit_code == 0, again.output);
  BOOST_TEST(contains(again.output, "4 of 4 runs are there already"), again.output);
  BOOST_TEST((table == read_text(scratch / "out/study.csv")));
  // A longer study takes over what is there, and a changed base file nothing.
  const auto longer = write_study(
    scratch, "subsection Sweep step\n set Parameter = Integrator/*/Time step\n set Geometric = 0.1, 0.00625, 5\nend\n");
  BOOST_TEST(contains(run_study(scratch, longer).output, "4 of 5 runs are there already"));
  std::ofstream(scratch / "base.prm", std::ios::app) << "set Title = another\n";
  BOOST_TEST(!contains(run_study(scratch, longer).output, "already"));
}

BOOST_AUTO_TEST_CASE(run_without_a_whole_summary_is_made_again)
{
  const ScratchFolder scratch("study_cut");
  const auto file = write_study(scratch, step_sweep + position_error);
  BOOST_TEST(run_study(scratch, file).exit_code == 0);
  const auto errors = column_of(scratch / "out/study.csv", "error_x");
  const auto run = scratch / "out/runs" / column_of(scratch / "out/study.csv", "run")[1];
  std::ofstream(run / "summary.json") << "{ \"status\": \"do";
  const auto again = run_study(scratch, file);
  BOOST_TEST(contains(again.output, "3 of 4 runs are there already"), again.output);
  BOOST_TEST(errors == column_of(scratch / "out/study.csv", "error_x"));
}

BOOST_AUTO_TEST_CASE(interrupted_study_goes_on_and_gives_the_table_of_one_that_was_not)
{
  const ScratchFolder scratch("study_interrupt"), whole("study_whole");
  // The first run takes no time, the others about a second each: the interrupt, sent when the first is done, finds some left.
  const std::string lines = "subsection Settings\n set End time = 1000\n subsection Output\n  set History interval = 10\n end\nend\n"
                            "subsection Sweep step\n set Parameter = Integrator/*/Time step\n"
                            " set Values = 0.1, 4e-4, 2.5e-4, 2e-4\nend\n"
                            "subsection Measure energy\n set Quantity = total_energy\nend\n";
  const auto file = write_study(scratch, lines);
  const std::string folder = (scratch / "out").string();
  const std::string command = std::string(FREEFALL_EXECUTABLE) + " study " + file + " --no-plot --jobs 1 --output " + folder + " >" +
                              (scratch / "log").string() + " 2>&1 & study=$!; until ls " + folder +
                              "/runs/*/summary.json >/dev/null 2>&1; do sleep 0.02; done; kill -INT $study; wait $study";
  BOOST_TEST(std::system(command.c_str()) != 0);
  const std::string said = read_text(scratch / "log");
  BOOST_TEST(contains(said, "interrupted, start it again to go on"), said);
  const auto status = column_of(scratch / "out/study.csv", "status");
  BOOST_TEST(std::count(status.begin(), status.end(), "done") < 4);
  const auto resumed = run_study(scratch, file);
  BOOST_TEST(resumed.exit_code == 0, resumed.output);
  BOOST_TEST(run_study(whole, write_study(whole, lines)).exit_code == 0);
  for (const char *column : {"step", "status", "n_steps", "energy", "relative_energy_drift", "end_time"})
    BOOST_TEST(column_of(scratch / "out/study.csv", column) == column_of(whole / "out/study.csv", column));
}

BOOST_AUTO_TEST_CASE(failed_run_is_a_row_with_its_error)
{
  const ScratchFolder scratch("study_failed");
  // 2.5 is above the critical step 2: refused by the run itself, not by the study.
  const auto file = write_study(scratch, "subsection Sweep step\n  set Parameter = Integrator/Explicit Newmark/Time step\n"
                                         "  set Values = 0.1, 2.5, 0.05, 1.9\nend\n" +
                                           position_error + "subsection Settings\n subsection Checks\n"
                                                            "  set Maximum energy error = 0.01\n end\nend\n");
  const auto result = run_study(scratch, file);
  BOOST_TEST(result.exit_code == 0, result.output);
  BOOST_TEST((column_of(scratch / "out/study.csv", "status") == std::vector<std::string>{"done", "failed", "done", "stopped"}));
  const auto lines = lines_of(scratch / "out/study.csv");
  BOOST_TEST(contains(lines[2], "critical step"), lines[2]);
  BOOST_TEST(contains(lines[4], "Maximum energy error"), lines[4]);
  BOOST_TEST(column_of(scratch / "out/fits.csv", "n_left_out")[0] == "2");
}

BOOST_AUTO_TEST_CASE(study_whose_runs_all_fail_ends_with_exit_code_3)
{
  const ScratchFolder scratch("study_all_failed");
  const auto file =
    write_study(scratch, "subsection Sweep step\n  set Parameter = Integrator/Explicit Newmark/Time step\n  set Values = 3, 4\nend\n");
  BOOST_TEST(run_study(scratch, file).exit_code == 3);
  BOOST_TEST((column_of(scratch / "out/study.csv", "status") == std::vector<std::string>{"failed", "failed"}));
}

BOOST_AUTO_TEST_CASE(list_shows_the_runs_and_starts_nothing)
{
  const ScratchFolder scratch("study_list");
  const auto result = run_study(scratch, write_study(scratch, step_sweep), "--list");
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(contains(result.output, "4 rows, 4 runs"), result.output);
  BOOST_TEST(contains(result.output, "Integrator/Explicit Newmark/Time step = 0.0125"), result.output);
  BOOST_TEST(!fs::exists(scratch / "out"));
}

BOOST_AUTO_TEST_CASE(settings_of_the_command_line_take_the_place_of_those_of_the_file)
{
  const ScratchFolder scratch("study_set");
  const auto file = write_study(scratch, step_sweep);
  const auto result = run_study(scratch, file, "--list --set 'Sweep step/Geometric=0.02, 0.01, 2' --set 'Settings/End time=0.5'");
  BOOST_TEST(result.exit_code == 0, result.output);
  BOOST_TEST(contains(result.output, "2 rows, 2 runs"), result.output);
  BOOST_TEST(contains(result.output, "End time = 0.5"), result.output);
  const auto refused = run_study(scratch, file, "--list --set 'Sweep stp/Values=1'");
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(contains(refused.output, "stp"), refused.output);
}

BOOST_AUTO_TEST_CASE(json_study_is_read_too)
{
  const ScratchFolder scratch("study_json");
  write_oscillator(scratch / "base.prm");
  std::ofstream(scratch / "study.json") << R"({"Base": "base.prm", "Sweep step":
    {"Parameter": "Integrator/Explicit Newmark/Time step", "Values": [0.1, 0.05]}})";
  const auto result = run_study(scratch, (scratch / "study.json").string());
  BOOST_TEST(result.exit_code == 0, result.output);
  BOOST_TEST((column_of(scratch / "out/study.csv", "step") == std::vector<std::string>{"0.1", "0.05"}));
}

BOOST_AUTO_TEST_CASE(results_of_a_run_are_not_mixed_with_those_of_a_study)
{
  const ScratchFolder scratch("study_over_run");
  const auto file = write_study(scratch, step_sweep);
  BOOST_TEST(run_freefall("run " + (scratch / "base.prm").string() + " --quiet --output " + (scratch / "out").string()).exit_code == 0);
  const auto result = run_study(scratch, file);
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(contains(result.output, "holds the results of a run"), result.output);
}

BOOST_AUTO_TEST_CASE(tables_are_averaged_over_runs_with_their_standard_error)
{
  const ScratchFolder scratch("study_average");
  const std::string averages = "subsection Average motion\n  set Quantities = particle_body_position_x\nend\n"
                               "subsection Average each\n  set Quantities = particle_body_position_x\n  set Separately for = start\nend\n";
  const auto file = write_study(scratch, "subsection Sweep start\n  set Parameter = Particles/Particle body/Position\n"
                                         "  set Values = 1, 2, 3\nend\n" + averages);
  const auto result = run_study(scratch, file);
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  const auto times = column_of(scratch / "out/motion.csv", "time"), x = column_of(scratch / "out/motion.csv", "particle_body_position_x"),
             error = column_of(scratch / "out/motion.csv", "particle_body_position_x_standard_error"),
             alone = column_of(scratch / "out/each.csv", "particle_body_position_x");
  BOOST_TEST_REQUIRE(times.size() == 3u);
  BOOST_TEST_REQUIRE(alone.size() == 9u);
  for (std::size_t i = 0; i < 3; ++i)
  {
    // The motion is linear in its start: 1, 2 and 3 times that of the first run, of mean 2 and standard error 1 / sqrt(3) of it.
    const double first = std::stod(alone[i]);
    BOOST_TEST(std::stod(x[i]) == 2 * first, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(std::stod(error[i]) == std::abs(first) / std::sqrt(3.), boost::test_tools::tolerance(1e-13));
    BOOST_TEST(std::stod(alone[6 + i]) == 3 * first, boost::test_tools::tolerance(1e-14));
  }
  BOOST_TEST(column_of(scratch / "out/motion.csv", "n_runs")[0] == "3");
  // Of a single run there is no standard error.
  BOOST_TEST(column_of(scratch / "out/each.csv", "particle_body_position_x_standard_error")[0] == "");
}

BOOST_AUTO_TEST_SUITE_END()

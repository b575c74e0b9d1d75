#include "run_program.h"

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <thread>

namespace fs = std::filesystem;

namespace
{
const std::string cube = FREEFALL_SOURCE_DIR "/parameters/cube_impact.prm";
/// Ten microseconds of the cube in a fraction of a second.
const std::string brief =
  " --set 'End time=2e-6' --set 'Integrator/Explicit Newmark/Time step=1e-8' --set 'Checks/Maximum energy error=0.1' ";

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
}  // namespace

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(run_leaves_all_files_of_a_run)
{
  const ScratchFolder scratch("run");
  const auto result = run_freefall("run " + cube + brief + "--output " + (scratch / "a").string());
  BOOST_TEST(result.exit_code == 0, result.output);
  BOOST_TEST(contains(result.output, "critical step"));
  BOOST_TEST(contains(result.output, "done in"));
  for (const char *name : {"history.csv", "summary.json", "parameters.prm", "snapshots.pvd", "snapshots/snapshot_000000.vtu"})
    BOOST_TEST(fs::exists(scratch / "a" / name), name);
  BOOST_TEST(contains(read_text(scratch / "a/summary.json"), "\"status\": \"done\""));
  BOOST_TEST(contains(read_text(scratch / "a/history.csv"),
                      "time,step,time_step,kinetic_energy,potential_energy,contact_energy,total_energy"));
}

BOOST_AUTO_TEST_CASE(parameters_as_used_give_the_same_run)
{
  const ScratchFolder scratch("again");
  BOOST_TEST(run_freefall("run " + cube + brief + "--quiet --output " + (scratch / "a").string()).exit_code == 0);
  const auto again =
    run_freefall("run " + (scratch / "a/parameters.prm").string() + " --quiet --output " + (scratch / "b").string());
  BOOST_TEST(again.exit_code == 0, again.output);
  const std::string history = read_text(scratch / "a/history.csv");
  BOOST_TEST_REQUIRE(history.size() > 1000);
  BOOST_TEST((history == read_text(scratch / "b/history.csv")));  // serial runs are the same to the last bit
}

BOOST_AUTO_TEST_CASE(json_file_gives_the_same_run_as_prm)
{
  const ScratchFolder scratch("json");
  std::ofstream(scratch / "bar.prm")
    << "set End time = 1e-4\nsubsection Body bar\n  set Velocity = 10*x; 0; 0\n  subsection Mesh\n"
       "    set Size = 1, 0.25, 0.25\n    set Subdivisions = 4, 1, 1\n  end\nend\n";
  std::ofstream(scratch / "bar.json") << R"({"End time": 1e-4, "Body bar": {"Velocity": "10*x; 0; 0",
    "Mesh": {"Size": [1, 0.25, 0.25], "Subdivisions": [4, 1, 1]}}})";
  for (const std::string kind : {"prm", "json"})
  {
    const auto result =
      run_freefall("run " + (scratch / ("bar." + kind)).string() + " --quiet --output " + (scratch / kind).string());
    BOOST_TEST(result.exit_code == 0, result.output);
  }
  const std::string history = read_text(scratch / "prm/history.csv");
  BOOST_TEST_REQUIRE(history.size() > 1000);
  BOOST_TEST((history == read_text(scratch / "json/history.csv")));
}

BOOST_AUTO_TEST_CASE(second_run_does_not_touch_the_results_of_the_first)
{
  const ScratchFolder scratch("second");
  const std::string command = "run " + cube + brief + "--quiet --output " + (scratch / "a").string();
  BOOST_TEST(run_freefall(command).exit_code == 0);
  const std::string before = read_text(scratch / "a/summary.json");
  const auto refused = run_freefall(command);
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(contains(refused.output, "--force"), refused.output);
  BOOST_TEST((before == read_text(scratch / "a/summary.json")));
  BOOST_TEST(run_freefall(command + " --force").exit_code == 0);
}

BOOST_AUTO_TEST_CASE(folder_that_cannot_be_made_is_an_input_error)
{
  const ScratchFolder scratch("unwritable");
  std::ofstream(scratch / "file") << "in the way\n";
  const auto result = run_freefall("run " + cube + brief + "--quiet --output " + (scratch / "file/run").string());
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(contains(result.output, (scratch / "file").string()), result.output);
}

BOOST_AUTO_TEST_CASE(missing_file_unknown_command_and_bad_setting_are_input_errors)
{
  const std::pair<std::string, std::string> cases[] = {
    {"run no_such_file.prm", "no_such_file.prm"},
    {"run", "file is required"},
    {"runn " + cube, "runn"},
    {"run " + cube + " --sett x", "--sett"},
    {"run " + cube + " --set 'End time'", "End time"},
    {"run " + cube + " --set 'Contact/Plane wall/Stifness=1'", "Stiffness"},
    {"run " + cube + " --set 'Contact/Plane floor/Stiffness=1'", "Plane floor"},
    {"check " + cube + " --set 'End time=-1'", "--set: End time = -1: must be a non-negative number in s"},
    {"parameters Densty", "Density"}};
  for (const auto &[arguments, text] : cases)
  {
    const auto result = run_freefall(arguments);
    BOOST_TEST(result.exit_code == 2, arguments << " said " << result.output);
    BOOST_TEST(contains(result.output, text), arguments << " said " << result.output);
  }
}

BOOST_AUTO_TEST_CASE(check_validates_and_starts_nothing)
{
  const ScratchFolder scratch("check");
  const auto current = fs::current_path();
  fs::current_path(scratch.string());
  const auto result = run_freefall("check " + cube);
  BOOST_TEST(fs::is_empty(scratch.string()));
  fs::current_path(current);
  BOOST_TEST(result.exit_code == 0, result.output);
  BOOST_TEST(contains(result.output, "213 degrees of freedom"));
}

BOOST_AUTO_TEST_CASE(help_names_every_parameter_that_the_cube_uses)
{
  const auto all = run_freefall("parameters");
  BOOST_TEST(all.exit_code == 0);
  for (const char *key :
       {"End time", "Lame lambda", "Normalise normal", "Time step", "Maximum energy error", "Snapshot interval"})
    BOOST_TEST(contains(all.output, key), key);
  const auto listed = run_freefall("list");
  for (const char *name : {"solid", "explicit Newmark", "neo-Hookean", "plane", "cube I"})
    BOOST_TEST(contains(listed.output, name), name);
}

BOOST_AUTO_TEST_CASE(interrupted_run_keeps_its_results)
{
  const ScratchFolder scratch("interrupt");
  const std::string folder = (scratch / "a").string();
  // `timeout` sends SIGINT after a second; the whole run would take hours.
  const std::string command = "timeout --signal=INT 1 " + std::string(FREEFALL_EXECUTABLE) + " run " + cube +
                              " --quiet --set 'End time=1' --set 'Output/History interval=1e-5' --set 'Checks/Maximum energy "
                              "error=none' --output " +
                              folder;
  BOOST_TEST(std::system(command.c_str()) != 0);
  BOOST_TEST(contains(read_text(folder + "/summary.json"), "\"status\": \"interrupted\""));
  const std::string history = read_text(folder + "/history.csv");
  BOOST_TEST(history.back() == '\n');
  BOOST_TEST(std::count(history.begin(), history.end(), '\n') >= 3);
}

BOOST_AUTO_TEST_SUITE_END()

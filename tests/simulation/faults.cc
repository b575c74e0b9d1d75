#include "fault_runs.h"

#include <boost/test/unit_test.hpp>

using namespace fault_runs;

namespace
{
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Runs a shell script with FREEFALL set to the program.
ProgramResult run_script(const std::string &script)
{
  const std::string command = "FREEFALL=" FREEFALL_EXECUTABLE "; { " + script + " ; } 2>&1 </dev/null";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  ProgramResult result;
  std::array<char, 4096> buffer;
  while (const auto n = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// A run that would take hours.
const std::string endless = parameters("cube_impact.prm") +
                            " --set 'End time=1' --set 'Output/History interval=1e-5' --set 'Output/Snapshot interval=1e-5'"
                            " --set 'Checks/Maximum energy error=none' --quiet";

/// Before a command of a script: root may write everywhere, so it becomes somebody else.
const std::string as_somebody = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";

/// Waits until the run in that folder has its first checkpoint.
std::string wait_for(const std::string &folder) { return "while [ ! -e " + folder + "/checkpoint ]; do sleep 0.05; done"; }
}  // namespace

BOOST_AUTO_TEST_SUITE(faults)

BOOST_AUTO_TEST_CASE(full_disk_ends_the_run_and_resume_works_after_room_is_made)
{
  const Case which = cases()[0];
  const ScratchFolder scratch("full");
  const std::string reference = (scratch / "reference").string(), disk = (scratch / "disk").string();
  BOOST_TEST_REQUIRE(run_freefall("run " + which.arguments + " --quiet --output " + reference).exit_code == 0);
  const auto expected = results(reference);
  fs::create_directories(disk);
  // A disk of 300 kB in a name space of its own: nine snapshots of 35 kB and two checkpoints do not fit.
  const std::string script = "unshare -m sh -c 'mount -t tmpfs -o size=300k freefall " + disk + " || exit 77; $FREEFALL run " +
                             std::regex_replace(which.arguments, std::regex("'"), "\"") + " --quiet --output " + disk +
                             "/a; code=$?; ls -l " + disk + "/a; mount -o remount,size=100m " + disk +
                             "; echo exit $code; $FREEFALL resume " + disk + "/a --quiet && cp -a " + disk + "/a " +
                             (scratch / "kept").string() + "'";
  const auto result = run_script("export FREEFALL; " + script);
  if (result.exit_code == 77 || contains(result.output, "unshare failed") || contains(result.output, "Operation not permitted"))
  {
    BOOST_TEST_MESSAGE("no file system can be mounted here: the limit on file sizes stands for the full disk");
    const auto limited = run_script("ulimit -f 40; trap '' XFSZ; $FREEFALL run " + which.arguments + " --quiet --output " +
                                    (scratch / "kept").string());
    BOOST_TEST(limited.exit_code == 3, limited.output);
    BOOST_TEST(run_freefall("resume " + (scratch / "kept").string() + " --quiet").exit_code == 0);
  }
  else
  {
    BOOST_TEST(result.exit_code == 0, result.output);
    BOOST_TEST(contains(result.output, "No space left on device"), result.output);
    BOOST_TEST(contains(result.output, "freefall resume"), result.output);
    BOOST_TEST(contains(result.output, "exit 3"), result.output);
    BOOST_TEST(!contains(result.output, ".partial"), result.output);
  }
  BOOST_TEST(differences(scratch / "kept", expected) == "");
}

BOOST_AUTO_TEST_CASE(a_folder_that_vanishes_ends_the_run_with_its_name)
{
  const ScratchFolder scratch("vanish");
  const std::string folder = (scratch / "a").string();
  const auto result = run_script("timeout 100 $FREEFALL run " + endless + " --output " + folder + " & " + wait_for(folder) + "; mv " + folder + " " + folder +
                                 ".gone; wait $!");
  BOOST_TEST(result.exit_code == 3, result.output);
  BOOST_TEST(contains(result.output, folder), result.output);
  BOOST_TEST(contains(result.output, "No such file or directory"), result.output);
  // What was there still is, and can be resumed where it is now.
  BOOST_TEST(read_text(folder + ".gone/history.csv").back() == '\n');
  BOOST_TEST(run_and_signal("resume " + folder + ".gone --quiet", 1.5, SIGTERM) == 3);
  BOOST_TEST(contains(read_text(folder + ".gone/summary.json"), "interrupted"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written_to_is_refused_before_anything_runs)
{
  const ScratchFolder scratch("unwritable");
  std::ofstream(scratch / "file") << "kept";
  const auto below_a_file = run_freefall("run " + endless + " --output " + (scratch / "file").string() + "/a");
  BOOST_TEST(below_a_file.exit_code == 2, below_a_file.output);
  BOOST_TEST(contains(below_a_file.output, "Cannot make the output folder"), below_a_file.output);
  BOOST_TEST(contains(below_a_file.output, "Not a directory"), below_a_file.output);
  BOOST_TEST(read_text(scratch / "file") == "kept");

  fs::create_directory(scratch / "locked");
  fs::permissions(scratch / "locked", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const auto locked = run_script(as_somebody + "$FREEFALL run " + endless + " --output " + (scratch / "locked").string());
  BOOST_TEST(locked.exit_code == 2, locked.output);
  BOOST_TEST(contains(locked.output, "cannot be written to: Permission denied"), locked.output);
}

BOOST_AUTO_TEST_CASE(a_folder_that_becomes_unwritable_ends_the_run_which_goes_on_when_that_is_mended)
{
  const ScratchFolder scratch("forbidden");
  const std::string folder = (scratch / "a").string();
  fs::permissions(scratch.string(), fs::perms::all);
  const auto result = run_script(as_somebody + "timeout 100 $FREEFALL run " + endless + " --output " + folder + " & " +
                                 wait_for(folder) + "; chmod 555 " + folder + "/snapshots; wait $!");
  BOOST_TEST(result.exit_code == 3, result.output);
  BOOST_TEST(contains(result.output, folder + "/snapshots/snapshot_"), result.output);
  BOOST_TEST(contains(result.output, "Permission denied"), result.output);
  BOOST_TEST(contains(result.output, "freefall resume"), result.output);
  BOOST_TEST(read_text(folder + "/history.csv").back() == '\n');
  fs::permissions(folder + "/snapshots", fs::perms::all);
  BOOST_TEST(run_and_signal("resume " + folder + " --quiet", 1.5, SIGTERM) == 3);
  BOOST_TEST(contains(read_text(folder + "/summary.json"), "interrupted"));
}

BOOST_AUTO_TEST_CASE(a_second_run_and_a_resume_in_a_folder_in_use_are_refused)
{
  const ScratchFolder scratch("twice");
  const std::string folder = (scratch / "a").string();
  const auto result =
    run_script("timeout 100 $FREEFALL run " + endless + " --output " + folder + " & " + wait_for(folder) + "; $FREEFALL run " + endless + " --force --output " +
               folder + "; echo second $?; $FREEFALL resume " + folder + "; echo resume $?; kill -TERM $!; wait $!; echo first $?");
  BOOST_TEST(contains(result.output, "is in use by a run of process"), result.output);
  BOOST_TEST(contains(result.output, "second 2"), result.output);
  BOOST_TEST(contains(result.output, "resume 2"), result.output);
  BOOST_TEST(contains(result.output, "first 3"), result.output);
  BOOST_TEST(contains(read_text(folder + "/summary.json"), "interrupted"));
}

BOOST_AUTO_TEST_CASE(a_folder_without_a_checkpoint_cannot_be_resumed)
{
  const ScratchFolder scratch("empty");
  const auto empty = run_freefall("resume " + scratch.string());
  BOOST_TEST(empty.exit_code == 2);
  BOOST_TEST(contains(empty.output, "holds no checkpoint of a run"), empty.output);
  const auto missing = run_freefall("resume " + (scratch / "none").string());
  BOOST_TEST(missing.exit_code == 2);
  BOOST_TEST(contains(missing.output, "There is no folder"), missing.output);
}

BOOST_AUTO_TEST_CASE(results_cut_behind_the_checkpoint_are_noticed)
{
  const ScratchFolder scratch("cut");
  const std::string folder = (scratch / "a").string();
  BOOST_TEST(run_and_signal("run " + endless + " --output " + folder, 1.5, SIGTERM) == 3);
  fs::resize_file(folder + "/history.csv", 10);
  const auto result = run_freefall("resume " + folder + " --quiet");
  BOOST_TEST(result.exit_code == 3, result.output);
  BOOST_TEST(contains(result.output, "history.csv"), result.output);
  BOOST_TEST(contains(result.output, "changed after the run stopped"), result.output);
}

BOOST_AUTO_TEST_SUITE_END()

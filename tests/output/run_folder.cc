#include <freefall/core/errors.h>
#include <freefall/output/run_folder.h>
#include <output/temporary_folder.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <vector>

using namespace freefall;
using namespace freefall::testing;
namespace fs = std::filesystem;

namespace
{
std::string refusal_of(const fs::path &path, bool force)
{
  try
  {
    RunFolder folder(path, force);
  }
  catch (const InputError &error)
  {
    return error.what();
  }
  return "accepted";
}
}  // namespace

BOOST_AUTO_TEST_SUITE(run_folder)

BOOST_AUTO_TEST_CASE(a_new_folder_is_made_with_its_parents_and_gives_the_paths_of_its_files)
{
  TemporaryFolder temporary;
  const fs::path path = temporary / "a" / "b";
  RunFolder folder(path, false);
  BOOST_TEST(fs::is_directory(path));
  BOOST_TEST(folder.path() == path);
  BOOST_TEST(folder.file("history.csv") == path / "history.csv");
}

BOOST_AUTO_TEST_CASE(each_result_of_an_earlier_run_is_refused_by_name_and_stays)
{
  for (const std::string name : {"history.csv", "summary.json", "snapshots.pvd", "parameters.prm", "checkpoint"})
  {
    TemporaryFolder temporary;
    make_file(temporary / name, "earlier");
    const std::string refusal = refusal_of(temporary.path(), false);
    BOOST_TEST_CONTEXT(refusal)
    {
      BOOST_TEST(contains(refusal, temporary.path().string()));
      BOOST_TEST(contains(refusal, "'" + name + "'"));
      BOOST_TEST(contains(refusal, "--output"));
      BOOST_TEST(contains(refusal, "--force"));
    }
    BOOST_TEST(contents_of(temporary / name) == "earlier");
    BOOST_TEST(!fs::exists(temporary / ".lock"));
  }
}

BOOST_AUTO_TEST_CASE(earlier_snapshots_are_refused_and_an_empty_snapshot_folder_is_not)
{
  TemporaryFolder temporary;
  fs::create_directory(temporary / "snapshots");
  BOOST_TEST(refusal_of(temporary.path(), false) == "accepted");
  make_file(temporary / "snapshots" / "cube_000000.vtu", "");
  BOOST_TEST(contains(refusal_of(temporary.path(), false), "'snapshots'"));
}

BOOST_AUTO_TEST_CASE(files_that_no_run_makes_are_no_reason_to_refuse)
{
  TemporaryFolder temporary;
  make_file(temporary / "notes.txt", "mine");
  BOOST_TEST(refusal_of(temporary.path(), false) == "accepted");
}

BOOST_AUTO_TEST_CASE(force_removes_what_a_run_makes_and_nothing_else)
{
  TemporaryFolder temporary;
  const fs::path snapshots = temporary / "snapshots";
  fs::create_directories(snapshots / "movie_000000.vtu");
  for (const std::string name : {"history.csv", "summary.json", "snapshots.pvd", "parameters.prm", "checkpoint",
                                 "checkpoint.partial", "summary.json.partial"})
    make_file(temporary / name, "run");
  for (const std::string name : {"cube_000000.vtu", "two_words_1234567.vtu", "cube_000003.vtu.partial", "cube_000004.pvtu", "cube_000004_0.vtu",
                                 "cube_000004_12.vtu.partial"})
    make_file(snapshots / name, "run");
  for (const std::string name : {"notes.txt", "history.csv.bak", "cube_000000.vtu"}) make_file(temporary / name, "mine");
  for (const std::string name : {"cube.vtu", "cube_12.vtu", "cube_00000x.vtu", "cube_000000.png", "cube_12_000.vtu"})
    make_file(snapshots / name, "mine");

  RunFolder folder(temporary.path(), true);
  std::vector<std::string> left;
  for (const auto &entry : fs::recursive_directory_iterator(temporary.path()))
    left.push_back(fs::relative(entry.path(), temporary.path()).string());
  std::sort(left.begin(), left.end());
  const std::vector<std::string> expected = {".lock",
                                             "cube_000000.vtu",
                                             "history.csv.bak",
                                             "notes.txt",
                                             "snapshots",
                                             "snapshots/cube.vtu",
                                             "snapshots/cube_000000.png",
                                             "snapshots/cube_00000x.vtu",
                                             "snapshots/cube_12.vtu",
                                             "snapshots/cube_12_000.vtu",
                                             "snapshots/movie_000000.vtu"};
  BOOST_TEST(left == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_path_below_a_regular_file_or_at_one_is_refused_with_the_reason)
{
  TemporaryFolder temporary;
  make_file(temporary / "file", "");
  for (const fs::path &path : {temporary / "file" / "run", temporary / "file"})
  {
    const std::string refusal = refusal_of(path, true);
    BOOST_TEST_CONTEXT(refusal)
    {
      BOOST_TEST(contains(refusal, path.string()));
      BOOST_TEST(contains(refusal, "Not a directory"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_folder_in_which_no_file_can_be_made_is_refused_with_the_reason)
{
  // The kernel's own folder: also root cannot make a file in it.
  const std::string refusal = refusal_of("/proc/self", false);
  BOOST_TEST_CONTEXT(refusal) { BOOST_TEST(contains(refusal, "'/proc/self' cannot be written to")); }
}

BOOST_AUTO_TEST_CASE(a_second_run_in_the_same_folder_is_refused_until_the_first_ends)
{
  TemporaryFolder temporary;
  {
    RunFolder first(temporary.path(), false);
    const std::string refusal = refusal_of(temporary.path(), true);
    BOOST_TEST_CONTEXT(refusal)
    {
      BOOST_TEST(contains(refusal, "in use by a run of process " + std::to_string(getpid())));
      BOOST_TEST(contains(refusal, temporary.path().string()));
    }
    BOOST_TEST(fs::exists(temporary / ".lock"));
  }
  BOOST_TEST(!fs::exists(temporary / ".lock"));
  BOOST_TEST(refusal_of(temporary.path(), false) == "accepted");
}

BOOST_AUTO_TEST_CASE(the_lock_file_of_a_killed_run_does_no_harm)
{
  TemporaryFolder temporary;
  int ready[2];
  BOOST_REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0)
  {
    RunFolder folder(temporary.path(), false);
    const ssize_t n_written = write(ready[1], "x", 1);
    if (n_written == 1) pause();
    _exit(1);
  }
  char signal_of_child = 0;
  BOOST_REQUIRE(read(ready[0], &signal_of_child, 1) == 1);
  close(ready[0]);
  close(ready[1]);
  BOOST_TEST(contains(refusal_of(temporary.path(), false), "process " + std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  BOOST_TEST(fs::exists(temporary / ".lock"));
  BOOST_TEST(refusal_of(temporary.path(), false) == "accepted");
}

BOOST_AUTO_TEST_CASE(reopening_keeps_the_results_and_locks)
{
  TemporaryFolder temporary;
  make_file(temporary / "history.csv", "earlier");
  const RunFolder folder = RunFolder::reopen(temporary.path());
  BOOST_TEST(contents_of(folder.file("history.csv")) == "earlier");
  BOOST_TEST(contains(refusal_of(temporary.path(), true), "in use"));
  BOOST_CHECK_THROW(RunFolder::reopen(temporary / "missing"), InputError);
}

BOOST_AUTO_TEST_SUITE_END()

#include "fault_runs.h"
#include "on_ranks.h"

#include <boost/test/unit_test.hpp>

using namespace fault_runs;

// Runs on several processes that are stopped, killed or fail, and go on.

namespace
{
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// The cube in contact; three quarters of a second on three ranks of two cores.
const Case explicit_cube{"explicit Newmark", cases()[0].arguments};
const Case implicit_cube{"generalised-alpha",
                         parameters("cube_impact_newmark_implicit.prm") +
                           " --set 'End time=3e-5' --set 'Contact/Plane wall/Stiffness=1e11' --set "
                           "'Integrator/Name=generalised-alpha' --set 'Integrator/Generalised-alpha/Time step=2e-7' --set "
                           "'Checks/Maximum energy error=none' --set 'Output/Checkpoint interval=4e-7'"};

/// A run under mpirun that tells the process of each rank.
class RankedRun
{
public:
  /// `wrapper` comes before the program on every rank.
  RankedRun(const ScratchFolder &scratch, int n_ranks, const std::string &arguments, const std::string &wrapper = "")
    : scratch_(scratch), n_ranks_(n_ranks)
  {
    allow_many_ranks();
    for (int rank = 0; rank < n_ranks; ++rank) fs::remove(pid_file(rank));
    const std::string script = "#!/bin/sh\n" + wrapper + "\necho $$ > " + (scratch / "pid_").string() +
                               "$OMPI_COMM_WORLD_RANK.new\nmv " + (scratch / "pid_").string() + "$OMPI_COMM_WORLD_RANK.new " +
                               (scratch / "pid_").string() + "$OMPI_COMM_WORLD_RANK\nexec " + FREEFALL_EXECUTABLE + " " +
                               arguments + "\n";
    std::ofstream(scratch / "rank.sh") << script;
    const std::string command = "exec mpirun -n " + std::to_string(n_ranks) + " sh " + (scratch / "rank.sh").string() + " >" +
                                (scratch / "output").string() + " 2>&1 </dev/null";
    mpirun_ = fork();
    if (mpirun_ == 0)
    {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
      _exit(127);
    }
  }

  /// The process of a rank; 0 when it is not there within some seconds, because the run has ended.
  pid_t process(int rank)
  {
    for (int i = 0; i < 2000 && !fs::exists(pid_file(rank)); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pid_t process = 0;
    std::ifstream(pid_file(rank)) >> process;
    return process;
  }
  pid_t mpirun() const { return mpirun_; }

  /// The exit code, 128 and more for a signal; -1 when it has not ended after so many seconds (and is killed).
  int wait(double seconds)
  {
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (waitpid(mpirun_, &status, WNOHANG) != mpirun_)
    {
      if (std::chrono::steady_clock::now() > end)
      {
        for (int rank = 0; rank < n_ranks_; ++rank)
          if (process(rank) > 0) kill(process(rank), SIGKILL);
        kill(mpirun_, SIGKILL);
        waitpid(mpirun_, &status, 0);
        return -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Whether no rank is left after so many seconds.
  bool all_have_ended(double seconds)
  {
    for (int i = 0; i < seconds / 0.01; ++i)
    {
      bool any = false;
      for (int rank = 0; rank < n_ranks_; ++rank) any = any || is_alive(process(rank));
      if (!any) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  std::string output() const { return read_text(scratch_ / "output"); }

private:
  /// A process that has ended and waits for its parent to notice is none.
  static bool is_alive(pid_t process)
  {
    const std::string stat = process > 0 ? read_text("/proc/" + std::to_string(process) + "/stat") : "";
    const std::size_t state = stat.rfind(") ");
    return state != std::string::npos && stat[state + 2] != 'Z' && stat[state + 2] != 'X';
  }
  fs::path pid_file(int rank) const { return scratch_ / ("pid_" + std::to_string(rank)); }

  const ScratchFolder &scratch_;
  int n_ranks_;
  pid_t mpirun_ = -1;
};

void wait_for_checkpoint(const std::string &file)
{
  for (int i = 0; i < 6000 && !fs::exists(file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// Far longer than the second or two that mpirun takes to clean up on a machine that is busy with other tests.
constexpr double bounded = 60;

/// Runs to the end and returns its files.
std::map<std::string, std::string> reference(const ScratchFolder &scratch, const Case &which, int n_ranks)
{
  const std::string folder = (scratch / "reference").string();
  const auto whole = run_on(n_ranks, "run " + which.arguments + " --quiet --output " + folder);
  if (whole.exit_code != 0) throw std::runtime_error(which.name + " does not run: " + whole.output);
  return results(folder);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(ranks_faults)

BOOST_AUTO_TEST_CASE(a_signal_to_one_rank_stops_all_and_the_resumed_run_leaves_the_same_bytes)
{
  for (const auto &[which, n_ranks] : {std::pair<Case, int>{explicit_cube, 3}, {implicit_cube, 2}})
  {
    const ScratchFolder scratch("ranks_terminate");
    const std::string folder = (scratch / "stopped").string();
    const auto expected = reference(scratch, which, n_ranks);
    RankedRun run(scratch, n_ranks, "run " + which.arguments + " --quiet --output " + folder);
    wait_for_checkpoint(folder + "/checkpoint.previous");  // the second one: the run is under way
    kill(run.process(n_ranks - 1), SIGTERM);
    const int exit_code = run.wait(bounded);
    BOOST_TEST(exit_code == 3, which.name << ": " << run.output());
    const std::string summary = read_text(folder + "/summary.json");
    BOOST_TEST(contains(summary, "\"status\": \"interrupted\""), summary);
    BOOST_TEST(contains(summary, "mpirun -n " + std::to_string(n_ranks) + " freefall resume"), summary);
    const auto other = run_on(n_ranks + 1, "resume " + folder);
    BOOST_TEST(other.exit_code == 2, other.output);
    BOOST_TEST(contains(other.output, "is that of a run on " + std::to_string(n_ranks) + " processes, not " +
                                        std::to_string(n_ranks + 1)),
               other.output);
    const auto resumed = run_on(n_ranks, "resume " + folder + " --quiet");
    BOOST_TEST(resumed.exit_code == 0, resumed.output);
    BOOST_TEST(differences(folder, expected) == "", which.name);
  }
}

BOOST_AUTO_TEST_CASE(a_killed_rank_ends_the_others_and_the_resumed_run_leaves_the_same_bytes)
{
  std::mt19937 generator(1);
  for (const auto &[which, n_ranks] : {std::pair<Case, int>{explicit_cube, 3}, {implicit_cube, 2}})
  {
    const ScratchFolder scratch("ranks_kill");
    const std::string folder = (scratch / "killed").string();
    const auto expected = reference(scratch, which, n_ranks);
    std::string command = "run " + which.arguments + " --force --output " + folder;
    for (int n_kills = 0; n_kills < 3; ++n_kills)
    {
      RankedRun run(scratch, n_ranks, command + " --quiet");
      wait_for_checkpoint(folder + "/checkpoint");
      std::this_thread::sleep_for(std::chrono::milliseconds(generator() % 300));
      // The last time mpirun itself is the one.
      const pid_t victim = n_kills < 2 ? run.process(static_cast<int>(generator() % n_ranks)) : run.mpirun();
      if (victim > 0) kill(victim, SIGKILL);
      BOOST_TEST(run.wait(bounded) > 0, which.name << ", kill " << n_kills << ": " << run.output());
      BOOST_TEST(run.all_have_ended(bounded), which.name << ", kill " << n_kills << ": a rank lives on");
      command = "resume " + folder;
    }
    const auto resumed = run_on(n_ranks, "resume " + folder + " --quiet");
    BOOST_TEST(resumed.exit_code == 0, resumed.output);
    BOOST_TEST(differences(folder, expected) == "", which.name);
  }
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_for_one_rank_ends_all)
{
  const ScratchFolder scratch("ranks_full");
  const std::string folder = (scratch / "a").string();
  const auto expected = reference(scratch, explicit_cube, 3);
  // Its part of a snapshot takes some 15 kB.
  RankedRun run(scratch, 3, "run " + explicit_cube.arguments + " --quiet --output " + folder,
                "[ $OMPI_COMM_WORLD_RANK = 1 ] && { ulimit -f 2; trap '' XFSZ; }");
  BOOST_TEST(run.wait(bounded) == 3, run.output());
  BOOST_TEST(contains(run.output(), "_1.vtu"), run.output());
  BOOST_TEST(contains(run.output(), "File too large"), run.output());
}

BOOST_AUTO_TEST_CASE(a_failure_keeps_its_state_and_names_its_place_on_all_ranks)
{
  const ScratchFolder scratch("ranks_failure");
  const std::string folder = (scratch / "a").string();
  const auto result = run_on(3, "run " + parameters("cube_impact.prm") +
                                  " --quiet --set 'End time=5e-6' --set 'Integrator/Explicit Newmark/Time step=2e-6' --set "
                                  "'Integrator/Explicit Newmark/Allow unstable step=true' --set 'Checks/Maximum energy "
                                  "error=none' --output " +
                                  folder);
  BOOST_TEST(result.exit_code == 3, result.output);
  for (const char *name : {"failure.pvtu", "failure_0.vtu", "failure_1.vtu", "failure_2.vtu"})
    BOOST_TEST(fs::exists(folder + "/" + name), name);
  const std::string summary = read_text(folder + "/summary.json");
  BOOST_TEST(contains(summary, "\"status\": \"stopped\""), summary);
  BOOST_TEST(contains(summary, " near ("), summary);
}

BOOST_AUTO_TEST_SUITE_END()

#pragma once

#include "run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <thread>
#include <vector>

/// Runs of the program that are stopped by force and resumed.
namespace fault_runs
{
namespace fs = std::filesystem;

struct Case
{
  std::string name;
  std::string arguments;  ///< of `freefall run`, without --output
};

inline std::string parameters(const std::string &file) { return std::string(FREEFALL_SOURCE_DIR) + "/parameters/" + file; }

/// A fraction of a second each; the cube touches the wall from 1 microsecond on.
inline std::vector<Case> cases()
{
  const auto set = [](const std::string &setting) { return " --set '" + setting + "'"; };
  return {
    {"explicit Newmark in contact", parameters("cube_impact.prm") + set("End time=4e-6") +
                                      set("Output/Checkpoint interval=1e-7") + set("Output/Snapshot interval=5e-7")},
    {"automatic step in contact", parameters("cube_impact.prm") + set("End time=6e-6") +
                                    set("Integrator/Explicit Newmark/Time step=auto") +
                                    set("Integrator/Explicit Newmark/Stability check interval=50") +
                                    set("Checks/Maximum energy error=none") + set("Output/Checkpoint interval=2e-7")},
    {"force-stepping in contact, local", parameters("cube_impact_force_stepping.prm") + set("End time=8e-6") +
                                           set("Output/Checkpoint interval=3e-7")},
    {"force-stepping in contact, kinetic", parameters("cube_impact_force_stepping.prm") + set("End time=3e-6") +
                                             set("Integrator/Force-stepping/Engine=kinetic") +
                                             set("Output/Checkpoint interval=2e-7")},
    {"particles, Sherman-Morrison", parameters("kepler_e085_force_stepping.prm") +
                                      set("Integrator/Force-stepping/Engine=sherman-morrison") +
                                      set("Output/Checkpoint interval=2")},
    {"particles, LaBudde-Greenspan", parameters("kepler_e085_labudde_greenspan.prm") + set("End time=20") +
                                       set("Checks/Maximum energy error=none") + set("Output/Checkpoint interval=0.5")},
    {"particles, Dormand-Prince", parameters("kepler_e085_newmark.prm") + set("Integrator/Name=Dormand-Prince") +
                                    set("Checks/Maximum energy error=none") + set("Output/Checkpoint interval=2")},
    {"implicit Newmark in contact", parameters("cube_impact_newmark_implicit.prm") + set("End time=6e-6") +
                                      set("Output/Checkpoint interval=4e-7") + set("Checks/Maximum energy error=none")},
    {"generalised-alpha with multigrid", parameters("cube_impact_newmark_implicit.prm") + set("End time=4e-6") +
                                           set("Body cube/Mesh/Type=cube III") + set("Contact/Plane wall/Stiffness=1e11") +
                                           set("Integrator/Name=generalised-alpha") +
                                           set("Integrator/Generalised-alpha/Time step=4e-7") +
                                           set("Integrator/Generalised-alpha/Adaptive=true") +
                                           set("Integrator/Generalised-alpha/Linear solver=multigrid") +
                                           set("Output/Checkpoint interval=4e-7") + set("Checks/Maximum energy error=none")},
    {"Zhang-Skeel in contact",
     parameters("cube_impact_zhang_skeel.prm") + set("End time=2e-5") + set("Output/Checkpoint interval=4e-7")},
    {"RATTLE", parameters("pendulum_rattle.prm") + set("End time=20000") + set("Output/History interval=20") +
                 set("Output/Checkpoint interval=500")},
    {"constrained energy-momentum",
     parameters("chain_molecule_energy_momentum.prm") + set("End time=300") + set("Output/Checkpoint interval=10")},
    {"constrained Fehlberg", parameters("pendulum_hamilton_dirac.prm") + set("End time=1000") +
                               set("Integrator/Constrained ODE/Method=Fehlberg") + set("Output/Checkpoint interval=20")},
    {"argon with neighbour lists", parameters("argon_verlet.prm") + set("End time=0.3") + set("Output/History interval=1e-3") +
                                     set("Potentials/Lennard-Jones/Cut-off=0.6") + set("Potentials/Neighbour skin=0.05") +
                                     set("Checks/Maximum energy error=none") + set("Output/Checkpoint interval=0.01")},
    {"water in a heat bath, SHAKE", parameters("water_langevin.prm") + set("End time=2000") + set("Output/Snapshot interval=none") +
                                      set("Output/Checkpoint interval=20")},
    {"multipliers as means over a window", parameters("double_pendulum_zhang_skeel.prm") + set("End time=1000") +
                                             set("Integrator/Zhang-Skeel/Time step=0.05") + set("Output/Snapshot interval=100") + set("Output/Checkpoint interval=20")},
    {"rigid body", parameters("so3_top.prm") + set("End time=400") + set("Output/Snapshot interval=50") +
                     set("Output/Checkpoint interval=10")},
  };
}

/// Every file of a run but its lock, with wall and processor times blanked.
inline std::map<std::string, std::string> results(const fs::path &folder)
{
  std::map<std::string, std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
  {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name == ".lock") continue;
    std::string text = read_text(entry.path());
    if (name == "summary.json") text = std::regex_replace(text, std::regex("_seconds\": [^,\n]*"), "_seconds\": 0");
    files[name] = text;
  }
  return files;
}

/// Empty if all files are the same to the last byte, else the names of those that are not.
inline std::string differences(const fs::path &folder, const std::map<std::string, std::string> &expected)
{
  const auto found = results(folder);
  std::string names;
  for (const auto &[name, text] : expected)
    if (found.count(name) == 0)
      names += name + " is missing; ";
    else if (found.at(name) != text)
      names += name + " differs; ";
  for (const auto &[name, text] : found)
    if (expected.count(name) == 0) names += name + " is left over; ";
  return names;
}

/// Starts the program and, if it has not ended by itself, kills it after a time in s. Returns the exit code, -1 if killed.
inline int run_and_signal(
  const std::string &arguments, double seconds, int signal, const std::function<bool()> &when = [] { return false; })
{
  const std::string command = "exec " + std::string(FREEFALL_EXECUTABLE) + " " + arguments + " >/dev/null 2>&1 </dev/null";
  const pid_t child = fork();
  if (child == 0)
  {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (std::chrono::steady_clock::now() < end && !when())
  {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  kill(child, signal);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct KillReport
{
  int n_kills = 0;
  int n_before_first_checkpoint = 0;  ///< killed so early that there was nothing to resume
  int n_finished = 0;                 ///< whole runs, each resumed after several kills and compared
  std::string differences;
};

/// Kills a run at random moments and resumes it until it is done, again and again until there were n_kills of them.
inline KillReport kill_and_resume(const Case &which, int n_kills, unsigned int seed)
{
  const ScratchFolder scratch("kill");
  const std::string reference = (scratch / "reference").string(), folder = (scratch / "killed").string();
  const auto begin = std::chrono::steady_clock::now();
  const auto whole = run_freefall("run " + which.arguments + " --quiet --output " + reference);
  const double duration = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (whole.exit_code != 0) throw std::runtime_error(which.name + " does not run: " + whole.output);
  const auto expected = results(reference);

  KillReport report;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> moment(0, 1.1 * duration);
  bool is_begun = false;
  while (report.n_kills < n_kills || is_begun)
  {
    // Once there were enough kills, the last run is let go to its end.
    const double seconds = report.n_kills < n_kills ? moment(generator) : 1000 + 100 * duration;
    const bool can_resume = is_begun && (fs::exists(folder + "/checkpoint") || fs::exists(folder + "/summary.json"));
    if (is_begun && !can_resume) ++report.n_before_first_checkpoint;
    const std::string command = can_resume ? "resume " + folder : "run " + which.arguments + " --force --output " + folder;
    const int exit_code = run_and_signal(command + " --quiet", seconds, SIGKILL);
    is_begun = true;
    if (exit_code == -1)
    {
      ++report.n_kills;
      continue;
    }
    if (exit_code != 0)
    {
      report.differences += command + " ended with exit code " + std::to_string(exit_code) + "; " +
                            run_freefall(command).output;
      return report;
    }
    ++report.n_finished;
    is_begun = false;
    report.differences += differences(folder, expected);
    fs::remove_all(folder);
    if (!report.differences.empty()) return report;
  }
  return report;
}
}  // namespace fault_runs

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace freefall
{
/// How a child process ended.
struct ProcessEnd
{
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string text;    ///< the last 8 kB of what it wrote to both streams
};

/// Runs commands as child processes, `n_jobs` at a time.
///
/// 1. Each command is a program and its arguments, without a shell.
/// 2. `ended(i, end)` is called once for each command that ran to its end, in the order in which they end; `tick(n_running)` about a
///    hundred times a second.
/// 3. When `stop_requested()` returns true nothing more is started, SIGINT is sent to those that run, and run() returns false when
///    all have ended (without a call of `ended`); true when all commands have run.
/// 4. Children do not outlive this process: the system sends them SIGTERM should it be killed.
class RunPool
{
public:
  using Command = std::vector<std::string>;
  using Ended = std::function<void(int, const ProcessEnd &)>;

  explicit RunPool(int n_jobs) : n_jobs_(n_jobs) {}
  bool run(const std::vector<Command> &commands,
           const Ended &ended,
           const std::function<void(int)> &tick,
           const std::function<bool()> &stop_requested) const;

private:
  int n_jobs_;
};
}  // namespace freefall

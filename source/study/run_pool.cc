#include <freefall/core/errors.h>
#include <freefall/study/run_pool.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace freefall
{
namespace
{
constexpr std::size_t longest_text = 8192;
constexpr auto poll_interval = std::chrono::milliseconds(10);

/// A child and the pipe from which its words come.
class Child
{
public:
  Child(int index, const RunPool::Command &command);
  ~Child() { close(pipe_); }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  int index() const { return index_; }
  /// Whether it has ended; does not wait.
  bool poll();
  void interrupt() const { kill(pid_, SIGINT); }
  const ProcessEnd &end() const { return end_; }

private:
  void read_pipe();

  int index_;
  pid_t pid_ = -1;
  int pipe_ = -1;
  ProcessEnd end_;
};

Child::Child(int index, const RunPool::Command &command) : index_(index)
{
  std::vector<char *> arguments;
  for (const auto &argument : command) arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw RunError(fmt::format("cannot make a pipe: {}.", std::strerror(errno)));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0)
  {
    close(ends[0]);
    close(ends[1]);
    throw RunError(fmt::format("cannot start a process: {}.", std::strerror(errno)));
  }
  if (pid_ == 0)
  {
    // Of its own group, so that Ctrl-C reaches the study only, which then stops its children in good order.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(126);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    // Several runs share the cores already.
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    setenv("OMP_NUM_THREADS", "1", 0);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

void Child::read_pipe()
{
  std::array<char, 4096> buffer;
  for (ssize_t n; (n = read(pipe_, buffer.data(), buffer.size())) > 0;) end_.text.append(buffer.data(), static_cast<std::size_t>(n));
  if (end_.text.size() > longest_text) end_.text.erase(0, end_.text.size() - longest_text);
}

bool Child::poll()
{
  read_pipe();
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  read_pipe();
  end_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}
}  // namespace

bool RunPool::run(const std::vector<Command> &commands,
                  const Ended &ended,
                  const std::function<void(int)> &tick,
                  const std::function<bool()> &stop_requested) const
{
  std::vector<std::unique_ptr<Child>> running;
  std::size_t next = 0;
  bool stopping = false;
  while (!running.empty() || (next < commands.size() && !stopping))
  {
    if (!stopping && stop_requested())
    {
      stopping = true;
      for (const auto &child : running) child->interrupt();
    }
    while (!stopping && next < commands.size() && static_cast<int>(running.size()) < n_jobs_)
    {
      running.push_back(std::make_unique<Child>(static_cast<int>(next), commands[next]));
      ++next;
    }
    const auto first_ended = std::stable_partition(running.begin(), running.end(), [](auto &child) { return !child->poll(); });
    std::vector<std::unique_ptr<Child>> finished(std::make_move_iterator(first_ended), std::make_move_iterator(running.end()));
    running.erase(first_ended, running.end());
    for (const auto &child : finished)
      if (!stopping) ended(child->index(), child->end());
    tick(static_cast<int>(running.size()));
    if (finished.empty() && !running.empty()) std::this_thread::sleep_for(poll_interval);
  }
  return !stopping;
}
}  // namespace freefall

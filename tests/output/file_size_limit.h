#pragma once

#include <sys/resource.h>

#include <csignal>
#include <stdexcept>

namespace freefall::testing
{
/// While it lives no file of this process can grow beyond `n_bytes`: a write beyond fails with EFBIG, also for root, which
/// stands for the full disk that a test cannot make.
class FileSizeLimit
{
public:
  explicit FileSizeLimit(unsigned long n_bytes)
  {
    getrlimit(RLIMIT_FSIZE, &earlier_limit_);
    earlier_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{n_bytes, earlier_limit_.rlim_max};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit failed");
  }
  ~FileSizeLimit()
  {
    setrlimit(RLIMIT_FSIZE, &earlier_limit_);
    std::signal(SIGXFSZ, earlier_handler_);
  }
  FileSizeLimit(const FileSizeLimit &) = delete;
  FileSizeLimit &operator=(const FileSizeLimit &) = delete;

private:
  rlimit earlier_limit_{};
  void (*earlier_handler_)(int) = SIG_DFL;
};
}  // namespace freefall::testing

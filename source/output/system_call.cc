#include <freefall/output/system_call.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace freefall
{
bool write_all(int descriptor, const void *bytes, std::size_t n_bytes)
{
  const char *next = static_cast<const char *>(bytes);
  while (n_bytes > 0)
  {
    const ssize_t n_written = ::write(descriptor, next, n_bytes);
    if (n_written < 0 && errno == EINTR) continue;
    if (n_written < 0) return false;
    next += n_written;
    n_bytes -= static_cast<std::size_t>(n_written);
  }
  return true;
}

std::string system_reason(int error_number) { return std::generic_category().message(error_number); }
}  // namespace freefall

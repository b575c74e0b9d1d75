#include <fcntl.h>
#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/output/folder_lock.h>
#include <freefall/output/system_call.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace freefall
{
namespace
{
/// Whether the open file is still the one under that name: the run before may have removed it between our open and our lock.
bool is_the_file_at(const std::filesystem::path &path, int descriptor)
{
  struct stat opened
  {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// "process 1234", or "another process" when the file does not say.
std::string holder_of_lock(int descriptor)
{
  std::array<char, 32> text{};
  const ssize_t n_read = ::pread(descriptor, text.data(), text.size() - 1, 0);
  const std::string number(text.data(), n_read > 0 ? static_cast<std::size_t>(n_read) : 0);
  const std::size_t n_digits = number.find_first_not_of("0123456789");
  return n_digits == 0 || number.empty() ? "another process" : "process " + number.substr(0, n_digits);
}
}  // namespace

FolderLock::FolderLock(const std::filesystem::path &folder) : path_(folder / ".lock")
{
  while (true)
  {
    const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      throw InputError(fmt::format("The output folder '{}' cannot be written to: {}. Choose another one with --output.",
                                   folder.string(), system_reason(errno)));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    {
      const int error_number = errno;
      const std::string holder = holder_of_lock(descriptor);
      ::close(descriptor);
      if (error_number == EWOULDBLOCK)
        throw InputError(
          fmt::format("The output folder '{}' is in use by a run of {}. Wait for its end, or choose another folder "
                      "with --output.",
                      folder.string(), holder));
      throw InputError(fmt::format("Cannot lock the output folder '{}' ('{}'): {}. Choose another one with --output.",
                                   folder.string(), path_.string(), system_reason(error_number)));
    }
    if (is_the_file_at(path_, descriptor))
    {
      descriptor_ = descriptor;
      break;
    }
    ::close(descriptor);
  }
  // Only the text of a message depends on it, so a failure here is none of the run.
  const std::string process = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor_, 0) == 0) write_all(descriptor_, process.data(), process.size());
}

FolderLock::~FolderLock()
{
  // Removed before it is released: nobody else's lock file can stand under this name yet.
  ::unlink(path_.c_str());
  ::close(descriptor_);
}
}  // namespace freefall

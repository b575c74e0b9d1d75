#include <fcntl.h>
#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/system_call.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace freefall
{
AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), partial_path_(path_)
{
  partial_path_ += ".partial";
  descriptor_ = ::open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(const void *bytes, std::size_t n_bytes)
{
  if (descriptor_ < 0) throw std::logic_error("AtomicFile::write() after commit() or a failure: " + path_.string());
  if (!write_all(descriptor_, bytes, n_bytes)) fail("write");
}

void AtomicFile::commit(const std::function<void()> &before_rename)
{
  if (descriptor_ < 0) throw std::logic_error("AtomicFile::commit() after commit() or a failure: " + path_.string());
  if (::fsync(descriptor_) != 0) fail("flush");
  if (before_rename) before_rename();
  // Network file systems report a full disk as late as here.
  if (::close(std::exchange(descriptor_, -1)) != 0 || std::rename(partial_path_.c_str(), path_.c_str()) != 0)
  {
    const int error_number = errno;
    ::unlink(partial_path_.c_str());
    errno = error_number;
    fail("finish");
  }
}

void AtomicFile::fail(const std::string &action)
{
  const int error_number = errno;
  discard();
  throw RunError(fmt::format("Cannot {} the file '{}': {}.", action, path_.string(), system_reason(error_number)));
}

void AtomicFile::discard() noexcept
{
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  ::unlink(partial_path_.c_str());
}

void write_file_atomically(const std::filesystem::path &path, std::string_view contents)
{
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}
}  // namespace freefall

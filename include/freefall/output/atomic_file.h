#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace freefall
{
/// A file that appears under its name whole or not at all.
///
/// 1. Everything is written to `<name>.partial` beside the file; commit() flushes it to the disk and renames it. Until then an
///    earlier file of the same name is untouched, and a killed program leaves it untouched for ever.
/// 2. Without commit() the destructor removes the partial file.
/// 3. A leftover partial file of a killed program is overwritten. There is one writer a path at a time.
/// 4. Every failure of the system (no such folder, disk full, no permission) is a RunError with the path and the reason; the
///    partial file is gone by then.
class AtomicFile
{
public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(const void *bytes, std::size_t n_bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// `before_rename` is called when the partial file is on the disk; what it throws leaves everything as it was.
  void commit(const std::function<void()> &before_rename = {});

private:
  [[noreturn]] void fail(const std::string &action);
  void discard() noexcept;

  std::filesystem::path path_;
  std::filesystem::path partial_path_;
  int descriptor_ = -1;  ///< -1 after commit() and discard()
};

/// Writes `contents` to `path` by an AtomicFile.
void write_file_atomically(const std::filesystem::path &path, std::string_view contents);
}  // namespace freefall

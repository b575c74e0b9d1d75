#pragma once

#include <filesystem>

namespace freefall
{
/// Keeps a second run out of a folder: an exclusive flock on its file `.lock`, for the lifetime of the object.
///
/// The system drops the lock when a process ends, however it ends, so a lock file left by a killed run does no harm. The file
/// holds the number of the process, for the message that the second run gets.
class FolderLock
{
public:
  /// Throws InputError when the folder is in use or cannot be written to.
  explicit FolderLock(const std::filesystem::path &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};
}  // namespace freefall

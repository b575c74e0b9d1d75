#pragma once

#include <freefall/output/folder_lock.h>

#include <filesystem>
#include <optional>
#include <string>

namespace freefall
{
/// The folder in which one run keeps its results: history.csv, snapshots.pvd, snapshots/, summary.json, parameters.prm and
/// checkpoint.
///
/// 1. The constructor makes the folder, with its parents, and locks it against a second run until the object is destroyed.
/// 2. Results of an earlier run are never mixed with new ones: without `force` they are an InputError that names the first one
///    found; with `force` the files that a run makes are removed, and nothing else in the folder.
/// 3. A folder that cannot be made or written to is an InputError.
///
/// So construct it when the whole input is known to be good and before anything is computed. Rank 0 does the work, and all ranks
/// learn what came of it.
class RunFolder
{
public:
  RunFolder(std::filesystem::path path, bool force);
  /// The folder of a stopped run, to go on in it: its results stay. InputError when there is no such folder.
  static RunFolder reopen(std::filesystem::path path);

  /// Removes what a run that goes on has no use for: the state of an earlier failure and half-written files.
  void clear_for_resume() const;

  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path file(const std::string &name) const { return path_ / name; }

private:
  explicit RunFolder(std::filesystem::path existing_path);
  void make(bool force);

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};
}  // namespace freefall

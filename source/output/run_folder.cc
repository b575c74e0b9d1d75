#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/output/run_folder.h>

#include <algorithm>
#include <array>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

namespace freefall
{
namespace
{
namespace fs = std::filesystem;

constexpr std::array<const char *, 12> files_of_a_run = {"history.csv",
                                                         "summary.json",
                                                         "snapshots.pvd",
                                                         "parameters.prm",
                                                         "checkpoint",
                                                         "checkpoint.previous",
                                                         "time_steps.csv",
                                                         "time_steps_by_point.csv",
                                                         "time_steps_by_coordinate.csv",
                                                         "time_steps_by_position.csv",
                                                         "failure.vtu",
                                                         "trajectory.csv"};
constexpr const char *snapshot_folder = "snapshots";

bool ends_in_digits(const std::string &name, std::size_t after, std::size_t at_least)
{
  return name.size() - after >= at_least &&
         std::all_of(name.begin() + after, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a run may have made this file of snapshots/: NAME_000000.vtu or .pvtu, six digits or more, a rank's part
/// NAME_000000_0.vtu, also when left half-written.
bool is_snapshot(const fs::path &path)
{
  const fs::path whole = path.extension() == ".partial" ? path.stem() : path;
  if (whole.extension() != ".vtu" && whole.extension() != ".pvtu") return false;
  const std::string name = whole.stem().string();
  const std::size_t last = name.rfind('_');
  if (last == std::string::npos) return false;
  if (ends_in_digits(name, last + 1, 6)) return true;
  const std::string without_rank = name.substr(0, last);
  const std::size_t underscore = without_rank.rfind('_');
  return underscore != std::string::npos && ends_in_digits(name, last + 1, 1) && ends_in_digits(without_rank, underscore + 1, 6);
}

/// failure.vtu; on several ranks failure_0.vtu and so on, and failure.pvtu.
bool is_failure(const fs::path &name)
{
  const std::string stem = name.stem().string(), begin = "failure_";
  if (name == "failure.vtu" || name == "failure.pvtu") return true;
  return name.extension() == ".vtu" && stem.compare(0, begin.size(), begin) == 0 && ends_in_digits(stem, begin.size(), 1);
}

/// The files right in a folder of which `which` says so.
std::vector<fs::path> files_in(const fs::path &folder, const std::function<bool(const fs::path &)> &which)
{
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
    if (!entry.is_directory() && which(entry.path().filename())) found.push_back(entry.path());
  return found;
}

std::optional<std::string> first_earlier_result(const fs::path &folder)
{
  for (const char *name : files_of_a_run)
    if (fs::exists(fs::symlink_status(folder / name))) return name;
  const fs::path snapshots = folder / snapshot_folder;
  if (fs::exists(snapshots) && !(fs::is_directory(snapshots) && fs::is_empty(snapshots))) return snapshot_folder;
  return std::nullopt;
}

void refuse_earlier_results(const fs::path &folder)
{
  if (const auto found = first_earlier_result(folder))
    throw InputError(fmt::format(
      "The output folder '{}' holds results of an earlier run ('{}'). Choose another folder with --output, or --force to "
      "replace them.",
      folder.string(), *found));
}

void remove_earlier_results(const fs::path &folder)
{
  for (const std::string name : files_of_a_run)
    for (const fs::path &path : {folder / name, folder / (name + ".partial")})
      // A folder of that name is no file of a run; the writer of that file will say that it is in the way.
      if (!fs::is_directory(fs::symlink_status(path))) fs::remove(path);

  for (const fs::path &path : files_in(folder, is_failure)) fs::remove(path);
  const fs::path snapshots = folder / snapshot_folder;
  if (!fs::is_directory(snapshots)) return;
  for (const fs::path &path : files_in(snapshots, is_snapshot)) fs::remove(path);
  if (fs::is_empty(snapshots)) fs::remove(snapshots);
}

[[noreturn]] void refuse(const fs::path &folder, const std::string &action, const std::error_code &reason)
{
  throw InputError(fmt::format("Cannot {} the output folder '{}': {}. Choose another one with --output.", action,
                               folder.string(), reason.message()));
}
}  // namespace

RunFolder::RunFolder(fs::path path, bool force) : path_(std::move(path))
{
  ranks::on_rank_zero([&] { make(force); });
}

void RunFolder::make(bool force)
{
  std::error_code error;
  fs::create_directories(path_, error);
  if (!error && !fs::is_directory(path_)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) refuse(path_, "make", error);
  lock_.emplace(path_);
  try
  {
    if (force)
      remove_earlier_results(path_);
    else
      refuse_earlier_results(path_);
  }
  catch (const fs::filesystem_error &failure)
  {
    refuse(path_, force ? "clear" : "read", failure.code());
  }
}

RunFolder::RunFolder(fs::path existing_path) : path_(std::move(existing_path))
{
  ranks::on_rank_zero(
    [&]
    {
      std::error_code error;
      if (!fs::is_directory(path_, error)) throw InputError(fmt::format("There is no folder '{}' of a run.", path_.string()));
      lock_.emplace(path_);
    });
}

void RunFolder::clear_for_resume() const
{
  if (ranks::rank() > 0) return;
  std::error_code ignored;
  for (const fs::path &path : files_in(path_, is_failure)) fs::remove(path, ignored);
  for (const char *name : files_of_a_run) fs::remove(path_ / (std::string(name) + ".partial"), ignored);
  for (const fs::path &path : files_in(path_ / snapshot_folder, is_snapshot))
    if (path.extension() == ".partial") fs::remove(path, ignored);
}

RunFolder RunFolder::reopen(fs::path path) { return RunFolder(std::move(path)); }
}  // namespace freefall

#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/output/run_folder.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

namespace freefall
{
namespace
{
namespace fs = std::filesystem;

constexpr std::array<const char *, 7> files_of_a_run = {
  "history.csv", "summary.json", "snapshots.pvd", "parameters.prm", "checkpoint", "time_steps.csv", "trajectory.csv"};
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

  const fs::path snapshots = folder / snapshot_folder;
  if (!fs::is_directory(snapshots)) return;
  std::vector<fs::path> to_remove;
  for (const fs::directory_entry &entry : fs::directory_iterator(snapshots))
    if (!entry.is_directory() && is_snapshot(entry.path().filename())) to_remove.push_back(entry.path());
  for (const fs::path &path : to_remove) fs::remove(path);
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

RunFolder RunFolder::reopen(fs::path path) { return RunFolder(std::move(path)); }
}  // namespace freefall

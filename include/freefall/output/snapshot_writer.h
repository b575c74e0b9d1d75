#pragma once

#include <freefall/systems/snapshot.h>

#include <filesystem>
#include <string>
#include <vector>

namespace freefall
{
/// The motion for ParaView: `snapshots/NAME_000000.vtu` and so on, and `snapshots.pvd`, which gives each its time in s.
///
/// On several ranks each writes its part, `snapshots/NAME_000000_RANK.vtu`, and rank 0 `snapshots/NAME_000000.pvtu`, which
/// joins them, and the .pvd; the snapshots of all ranks have the same fields.
///
/// After every write() the .pvd is whole and names exactly the snapshots written so far, so that a run can be looked at while
/// it goes on and after it was killed. Failures are a RunError with the path and the reason.
class SnapshotWriter
{
public:
  /// Writes into the folder of a run, which exists. A resumed run gives the times of the snapshots that it keeps: the first
  /// ones, in their order; later ones are overwritten.
  SnapshotWriter(std::filesystem::path run_folder, std::string name, std::vector<double> earlier_times = {});

  /// Writes the next snapshot and returns its file. Collective.
  std::filesystem::path write(const Snapshot &snapshot);

  /// Writes one grid: `path`.vtu, or on several ranks the parts `path`_RANK.vtu and `path`.pvtu, which joins them. Collective.
  static void write_grid(const std::filesystem::path &path, const Snapshot &snapshot);

  /// Times of all snapshots so far, s.
  const std::vector<double> &times() const { return times_; }

  /// Writes the .pvd of the snapshots so far: a resumed run says which it keeps.
  void write_collection() const;

private:
  /// "snapshots/NAME_000012.vtu", relative to the folder of the run; .pvtu on several ranks.
  std::string relative_path(std::size_t index) const;

  std::filesystem::path run_folder_;
  std::string name_;
  std::vector<double> times_;
};
}  // namespace freefall

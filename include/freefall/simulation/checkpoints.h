#pragma once

#include <freefall/core/parameters.h>
#include <freefall/output/checkpoint_file.h>
#include <freefall/systems/system.h>

#include <filesystem>
#include <optional>
#include <string>

namespace freefall
{
/// When and where a run saves itself: FOLDER/checkpoint, and FOLDER/checkpoint.previous, the one before.
///
/// When a checkpoint is written changes nothing in the run: it is taken between two steps that the run makes anyway.
///
/// Of a run on several ranks one file holds the parts of all, so that there is a whole set of them or none. All functions that
/// are not const are collective, and so is read().
class Checkpoints
{
public:
  /// Into the section Output.
  static void declare_parameters(ParameterSection &output);

  /// `root` holds all parameters as used; `system` is what was made of them.
  Checkpoints(const ParameterSection &root, const System &system);

  /// Whether the simulated time or the wall clock of any rank says that the next one is due; collective. Wall times are those of
  /// one steady clock, s.
  bool is_due(double time, double wall) const;
  void write(const std::filesystem::path &folder, const std::string &contents, double time, double wall);

  /// This rank's contents of the last checkpoint, or of the one before. InputError that says what is wrong, and whether the one before
  /// can be used.
  std::string read(const std::filesystem::path &folder, bool previous) const;
  /// Where a loaded run is: the next checkpoint comes an interval later.
  void begin(double time, double wall);
  /// Of a run that is done.
  static void remove(const std::filesystem::path &folder);

  /// Whether an interval of simulated time was asked for.
  bool has_interval() const { return interval_.has_value(); }

private:
  std::string read_whole(const std::filesystem::path &folder, bool previous) const;
  bool can_be_read(const std::filesystem::path &path) const;

  CheckpointIdentity identity_;
  std::optional<double> interval_, wall_interval_;
  double last_time_ = 0, last_wall_ = 0;
};
}  // namespace freefall

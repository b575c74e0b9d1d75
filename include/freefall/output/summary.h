#pragma once

#include <freefall/core/named_value.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace freefall
{
/// What summary.json says about a run, in SI units. A number that is infinite or none at all is written as null.
struct RunSummary
{
  /// Lengths of the steps of the run, s.
  struct TimeStep
  {
    double average = 0;
    double minimum = 0;
    double maximum = 0;
  };
  /// Further numbers of one part of the program, such as the counts of an integrator.
  struct Section
  {
    std::string name;
    NamedValues values;
  };
  /// A plane wall, for the picture of the run: a point on it in m and its normal, which points to the free side.
  struct Wall
  {
    std::array<double, 3> point;
    std::array<double, 3> normal;
  };

  std::string status;   ///< "done" or "stopped"
  std::string message;  ///< why the run stopped; empty when it is done
  std::string integrator;
  double end_time = 0;  ///< the time that was reached, s
  std::int64_t n_dofs = 0;
  int n_ranks = 1;  ///< processes
  std::int64_t n_steps = 0;
  std::int64_t n_force_evaluations = 0;
  std::int64_t n_potential_evaluations = 0;
  TimeStep time_step;
  double relative_energy_drift = 0;  ///< the largest of the run
  double wall_seconds = 0;
  std::vector<std::string> warnings;
  std::vector<Section> sections;  ///< each an object of its own; a name that is taken is a std::logic_error
  std::vector<Wall> walls;
};

/// The summary as the text of summary.json.
std::string to_json(const RunSummary &summary);

/// Writes summary.json whole or not at all (RunError).
void write_summary(const std::filesystem::path &path, const RunSummary &summary);
}  // namespace freefall

#pragma once

#include <freefall/core/state.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>
#include <freefall/integrators/integrator.h>

#include <array>
#include <cstdint>
#include <vector>

namespace freefall::force_stepping
{
/// Where the time steps are taken: the spatial distribution of GSO Figures 5, 8 and 10, and its counterpart for solids.
///
/// By place: the events of each point of the system, a node or particle whose coordinates are dofs; in reduced coordinates,
/// of each dof. A point's mean step is the time between two of its events: elapsed time / events.
/// By position, up to three dofs: steps in bins of configuration space. A bin is a cell of the grid or, so that there are
/// never more than most_bins, 2, 4, 8, ... cells wide. A step belongs to the bin in which it ends.
class StepMap
{
public:
  static constexpr int most_dofs_of_positions = 3;
  static constexpr int most_bins = 4096;

  StepMap() = default;
  StepMap(const System &system, const SimplicialGrid &grid, const State &start);

  /// `other` is -1 when one dof leaves its cell.
  void count(int dof, int other)
  {
    const int place = place_of_[dof];
    ++events_[place];
    if (other >= 0 && place_of_[other] != place) ++events_[place_of_[other]];
  }
  bool counts_positions() const { return !spacing_.empty(); }
  /// A step that ends at q.
  void count_position(const Eigen::VectorXd &q, double step);

  void archive(Archive &archive);
  /// `time_steps_by_point` (or `time_steps_by_coordinate`) and, where positions are counted, `time_steps_by_position`.
  std::vector<NumberTable> tables(double elapsed) const;

private:
  struct Bin
  {
    std::array<std::int64_t, most_dofs_of_positions> place;  ///< multiples of the bin's width
    std::int64_t n_steps;
    double sum, smallest, largest;  ///< of the steps, s
  };

  void double_width();

  int dofs_per_point_ = 0;            ///< 0 if the dofs are not coordinates of points
  Eigen::VectorXd start_;             ///< q
  std::vector<int> place_of_;         ///< point of each dof, or the dof itself
  std::vector<std::int64_t> events_;  ///< by place
  std::vector<double> spacing_;       ///< by dof; empty if positions are not counted
  std::int64_t cells_per_bin_ = 1;    ///< along each dof
  std::vector<Bin> bins_;             ///< in the order of their places
};
}  // namespace freefall::force_stepping

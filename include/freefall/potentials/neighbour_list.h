#pragma once

#include <freefall/core/simd.h>

#include <array>
#include <vector>

namespace freefall
{
/// Which points may lie within a distance of each other, for groups of points as wide as a SIMD batch.
///
/// Guarantees: after update(), all points closer than `cutoff` to a member of a group are among the neighbours of the group,
/// which are in ascending order and contain the members. So a sum over them, in which points beyond the cut-off count
/// nothing, has the bits of the sum over all points: it does not depend on when the list was made.
///
/// A list made for cutoff + skin holds until a point has moved by half the skin.
class NeighbourList
{
public:
  struct Group
  {
    std::array<int, batch_size> members;  ///< the last one again where there are fewer
    int n_members;
    int first, last;  ///< range in neighbours()
  };

  /// Both positive.
  NeighbourList(double cutoff, double skin) : cutoff_(cutoff), skin_(skin) {}

  /// x[axis][point]. Makes the list anew if it may not hold any more.
  void update(int dimension, int n_points, const double *const *x);

  const std::vector<Group> &groups() const { return groups_; }
  const std::vector<int> &neighbours() const { return neighbours_; }
  int n_builds() const { return n_builds_; }

private:
  bool holds(int dimension, int n_points, const double *const *x) const;
  void build(int dimension, int n_points, const double *const *x);

  double cutoff_, skin_;
  std::vector<double> reference_;  ///< coordinates for which the list was made, axis by axis
  std::vector<Group> groups_;
  std::vector<int> neighbours_;
  int n_builds_ = 0;
};
}  // namespace freefall

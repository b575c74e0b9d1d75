#include <freefall/potentials/neighbour_list.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace freefall
{
void NeighbourList::update(int dimension, int n_points, const double *const *x)
{
  if (!holds(dimension, n_points, x)) build(dimension, n_points, x);
}

bool NeighbourList::holds(int dimension, int n_points, const double *const *x) const
{
  if (static_cast<int>(reference_.size()) != dimension * n_points) return false;
  double largest = 0;
  for (int i = 0; i < n_points; ++i)
  {
    double moved = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      const double step = x[axis][i] - reference_[static_cast<std::size_t>(axis) * n_points + i];
      moved += step * step;
    }
    // Written so that a coordinate that is not a number makes a new list.
    largest = moved <= largest ? largest : moved;
  }
  return largest < 0.25 * skin_ * skin_;
}

void NeighbourList::build(int dimension, int n_points, const double *const *x)
{
  ++n_builds_;
  const double reach = cutoff_ + skin_;
  reference_.clear();
  for (int axis = 0; axis < dimension; ++axis) reference_.insert(reference_.end(), x[axis], x[axis] + n_points);
  // Points of one column of boxes after another, so that the members of a group lie close together.
  std::vector<std::array<double, 3>> place(n_points, {0, 0, 0});
  for (int i = 0; i < n_points; ++i)
    for (int axis = 0; axis < dimension; ++axis)
      place[i][axis] = axis + 1 < dimension ? std::floor(2 * x[axis][i] / reach) : x[axis][i];
  std::vector<int> order(n_points);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return place[i] != place[j] ? place[i] < place[j] : i < j; });

  groups_.clear();
  neighbours_.clear();
  for (int begin = 0; begin < n_points; begin += batch_size)
  {
    Group group;
    group.n_members = std::min(batch_size, n_points - begin);
    std::array<double, 3> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (int lane = 0; lane < batch_size; ++lane)
    {
      const int point = order[begin + std::min(lane, group.n_members - 1)];
      group.members[lane] = point;
      for (int axis = 0; axis < dimension; ++axis)
      {
        low[axis] = std::min(low[axis], x[axis][point] - reach);
        high[axis] = std::max(high[axis], x[axis][point] + reach);
      }
    }
    group.first = static_cast<int>(neighbours_.size());
    for (int j = 0; j < n_points; ++j)
    {
      bool outside = false;
      for (int axis = 0; axis < dimension; ++axis) outside |= x[axis][j] < low[axis] || x[axis][j] > high[axis];
      if (outside) continue;
      // In the box around all members; closer than the reach to one of them?
      double nearest = std::numeric_limits<double>::infinity();
      for (int lane = 0; lane < group.n_members; ++lane)
      {
        double squared = 0;
        for (int axis = 0; axis < dimension; ++axis)
        {
          const double d = x[axis][j] - x[axis][group.members[lane]];
          squared += d * d;
        }
        nearest = std::min(nearest, squared);
      }
      if (!(nearest > reach * reach)) neighbours_.push_back(j);
    }
    group.last = static_cast<int>(neighbours_.size());
    groups_.push_back(group);
  }
}
}  // namespace freefall

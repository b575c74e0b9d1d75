#pragma once

#include <freefall/core/archive.h>

#include <limits>
#include <vector>

namespace freefall::force_stepping
{
/// The earliest of many times that change one at a time: a tournament of groups of eight.
///
/// Every level holds the smallest of each eight entries of the level below, so that a change costs one comparison of eight
/// neighbours in memory per level, ends at the first level it does not reach, and never allocates.
/// Of equal times the lowest entry wins: the result does not depend on history.
class EventTree
{
public:
  /// n entries, all at infinity.
  void reset(int n);

  double time(int entry) const { return levels_[0][entry]; }
  const double *times() const { return levels_[0].data(); }
  void set(int entry, double time);

  /// The smallest time, and the lowest entry that has it.
  double earliest() const { return smallest_of_group(levels_.back().data()); }
  int winner() const;

  void archive(Archive &archive);

private:
  static constexpr int group = 8;

  static double smaller(double a, double b) { return a < b ? a : b; }
  static double smallest_of_group(const double *t)
  {
    return smaller(smaller(smaller(t[0], t[4]), smaller(t[2], t[6])), smaller(smaller(t[1], t[5]), smaller(t[3], t[7])));
  }

  std::vector<std::vector<double>> levels_;
};
}  // namespace freefall::force_stepping

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall::force_stepping
{
/// The motion of one dof between two changes of its force, in units of its cell: w(t), t0 the time of the last change.
struct Parabola
{
  double w = 0;                  ///< fraction of the cell at t0
  double velocity = 0;           ///< dw/dt at t0, 1/s
  double half_acceleration = 0;  ///< half of d2w/dt2, 1/s^2
  double t0 = 0;                 ///< s

  double position_at(double t) const { return w + (t - t0) * (velocity + (t - t0) * half_acceleration); }
  double velocity_at(double t) const { return velocity + 2 * (t - t0) * half_acceleration; }
};

/// The time tau >= 0 at which c + b tau + a tau^2, not negative at tau = 0 by definition, becomes negative; infinity if never.
///
/// At c = 0 the sign of b decides, at c = b = 0 that of a: leaving at once gives 0, otherwise the non-trivial root counts.
/// A tangential touch (b^2 = 4 a c) is no crossing. Free of cancellation and of branches, so that loops vectorise.
inline double first_exit(double c, double b, double a)
{
  constexpr double never = std::numeric_limits<double>::infinity();
  c = c > 0 ? c : 0;
  const double discriminant = b * b - 4 * a * c;
  const double root = std::fabs(b) + std::sqrt(discriminant > 0 ? discriminant : 0);
  const bool approaching = b < 0;
  const double tau = (approaching ? 2 * c : root) / (approaching ? root : -2 * a);
  const bool crosses = approaching ? discriminant > 0 : a < 0;
  return crosses ? tau : never;
}
}  // namespace freefall::force_stepping

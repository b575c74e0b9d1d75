#pragma once

#include <Eigen/Core>

namespace freefall
{
/// Time, generalised coordinates and velocities of a system, all at the same instant.
///
/// For a solid, q holds current (deformed) node coordinates: q[3 * node + component].
struct State
{
  double time = 0;    ///< s
  Eigen::VectorXd q;  ///< coordinates
  Eigen::VectorXd v;  ///< velocities dq/dt
};
}  // namespace freefall

#pragma once

#include <Eigen/Core>

namespace freefall
{
/// Energy that came and went since the start of the run by what is no potential (see Conditions). It depends on the path, so
/// that integrators add to it step by step; in J.
struct Work
{
  double supports = 0;  ///< done by moving supports
  double loads = 0;     ///< done by loads that depend on time or follow the motion
  double damping = 0;   ///< lost
};

/// Time, generalised coordinates and velocities of a system, all at the same instant, and the work done on the way there.
///
/// For a solid, q holds current (deformed) node coordinates: q[3 * node + component].
struct State
{
  double time = 0;    ///< s
  Eigen::VectorXd q;  ///< coordinates
  Eigen::VectorXd v;  ///< velocities dq/dt
  Work work = {};     ///< zero in a system without Conditions
};
}  // namespace freefall

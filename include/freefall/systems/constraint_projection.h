#pragma once

#include <freefall/systems/multiplier_matrix.h>

#include <string>

namespace freefall
{
/// How far a state is from the constraint manifold.
struct ConstraintResiduals
{
  double position = 0;        ///< largest |g|
  double velocity = 0;        ///< largest |G v|
  std::string position_name;  ///< of the constraint with the largest
  std::string velocity_name;
};
ConstraintResiduals constraint_residuals(const System &system, const State &state);

/// lambda(q, v) of M a = -grad V - G^T lambda, from the second derivative of g(q(t)) = 0:
/// (G M^-1 G^T) lambda = g''[v, v] - G M^-1 grad V. In the units of energy / unit of g.
Eigen::VectorXd constraint_multipliers(const System &system, const State &state);

/// Moves q to g(q) = 0 along M^-1 G(q0)^T, by Newton's iteration to rounding (S 67 with masses).
/// Throws StepFailed naming the constraint that cannot be met, and dependent ones. `matrix` is attached to the system.
void project_positions(const System &system, MultiplierMatrix &matrix, Eigen::VectorXd &q);
/// Orthogonal in the metric of the masses: v - M^-1 G^T (G M^-1 G^T)^-1 G v (S 66 with masses).
void project_velocities(const System &system, MultiplierMatrix &matrix, const Eigen::VectorXd &q, Eigen::VectorXd &v);

/// Throws InputError unless the constraints are independent at the state, naming those that are not.
void check_independence(const System &system, const Eigen::VectorXd &q);
}  // namespace freefall

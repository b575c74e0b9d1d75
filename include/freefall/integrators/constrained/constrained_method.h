#pragma once

#include <freefall/integrators/one_step_method.h>
#include <freefall/systems/multiplier_matrix.h>

#include <cstdint>

namespace freefall
{
/// What the direct schemes for M a = -grad V - G^T lambda, g(q) = 0 share: the solves for multipliers and their counts.
class ConstrainedMethod : public OneStepMethod
{
public:
  bool handles_constraints() const final { return true; }
  NamedValues summary() const override;
  void archive(Archive &archive) override;

  /// lambda of the last step, where the method says it belongs.
  const Eigen::VectorXd &multipliers() const { return multipliers_; }

protected:
  /// InputError for a system without constraints.
  void attach(const System &system);
  /// Moves q along M^-1 G_0^T to g(q) = 0, to rounding: q -= M^-1 G_0^T impulse. `entries` becomes G at (nearly) the new q.
  /// Throws StepFailed naming the constraint that is not met.
  void solve_positions(const Eigen::VectorXd &start_entries, Eigen::VectorXd &q, Eigen::VectorXd &impulse, Eigen::VectorXd &entries);
  /// v -= M^-1 G^T impulse so that G v = 0, where G has the entries.
  void solve_velocities(const Eigen::VectorXd &entries, Eigen::VectorXd &v, Eigen::VectorXd &impulse);
  void evaluate_gradient(const Eigen::VectorXd &q);
  const Eigen::VectorXd &inverse_mass() const { return matrix_.inverse_mass(); }

  const System *system_ = nullptr;
  const ConstraintSet *constraints_ = nullptr;
  MultiplierMatrix matrix_;
  Eigen::VectorXd multipliers_, gradient_;
  std::int64_t n_constraint_evaluations_ = 0, n_iterations_ = 0;

private:
  Eigen::VectorXd values_, step_;
};
}  // namespace freefall

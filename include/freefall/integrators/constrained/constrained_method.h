#pragma once

#include <freefall/integrators/constrained/constraint_solver.h>
#include <freefall/integrators/one_step_method.h>

#include <cstdint>

namespace freefall
{
/// What the direct schemes for M a = -grad V - G^T lambda, g(q) = 0 share: the solves for multipliers and their counts.
class ConstrainedMethod : public OneStepMethod
{
public:
  bool handles_constraints() const final { return true; }
  NamedValues summary() const override;
  /// The counts.
  void archive(Archive &archive) override;

  /// lambda of the last step, where the method says it belongs.
  Eigen::VectorXd multipliers() const { return solver_.in_order(multipliers_); }
  const ConstraintSolver &solver() const { return solver_; }

protected:
  /// `way`: how positions and velocities are solved for by those who do so through solver_.
  explicit ConstrainedMethod(ConstraintSolver::Method way = ConstraintSolver::Method::general) : solver_(way) {}

  /// InputError for a system without constraints.
  void attach(const System &system);
  void evaluate_gradient(const Eigen::VectorXd &q);
  const Eigen::VectorXd &inverse_mass() const { return solver_.inverse_mass(); }

  const System *system_ = nullptr;
  const ConstraintSet *constraints_ = nullptr;
  ConstraintSolver solver_;
  Eigen::VectorXd multipliers_, gradient_;  ///< multipliers in the order of solver_
  std::int64_t n_constraint_evaluations_ = 0, n_iterations_ = 0;
};
}  // namespace freefall

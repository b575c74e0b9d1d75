#pragma once

#include <freefall/integrators/constrained/constraint_solver.h>
#include <freefall/integrators/one_step_method.h>
#include <freefall/systems/hamiltonian.h>

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
  Eigen::VectorXd multipliers() const { return solver_.in_order(multipliers_); }
  const ConstraintSolver &solver() const { return solver_; }

protected:
  /// `way`: how positions and velocities are solved for by those who do so through solver_.
  explicit ConstrainedMethod(ConstraintSolver::Method way = ConstraintSolver::Method::general) : solver_(way) {}

  /// Whether H(q, p) need not be p^T M^-1 p / 2 + V(q).
  virtual bool handles_any_hamiltonian() const { return false; }
  /// InputError for a system without constraints, or with a Hamiltonian that the method does not know.
  void attach(const System &system);
  void evaluate_gradient(const Eigen::VectorXd &q);
  /// Newton's iteration has failed with these values of g: StepFailed naming the largest, and constraints that depend on others
  /// where G has the entries.
  [[noreturn]] void fail_to_converge(int n_iterations, const Eigen::VectorXd &values, const Eigen::VectorXd &entries) const;
  /// The matrix of an iteration is singular: StepFailed naming constraints that depend on others where G has the entries.
  [[noreturn]] void fail_singular(const Eigen::VectorXd &entries) const;
  const Eigen::VectorXd &inverse_mass() const { return solver_.inverse_mass(); }

  const System *system_ = nullptr;
  const ConstraintSet *constraints_ = nullptr;
  ConstraintSolver solver_;
  Eigen::VectorXd multipliers_, gradient_;  ///< multipliers in the order of solver_
  std::int64_t n_constraint_evaluations_ = 0, n_iterations_ = 0;
  std::int64_t n_own_factorisations_ = 0, n_own_solves_ = 0;  ///< of matrices other than that of solver_
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/newton_solver.h>
#include <freefall/integrators/one_step_method.h>

#include <functional>

namespace freefall
{
/// Base of implicit methods that solve one equation M (x - target) + c grad V(x) = 0 a step.
///
/// The linear solver outlives start(), which only forgets what belongs to a state.
class NewtonMethod : public OneStepMethod
{
public:
  bool runs_distributed() const override { return true; }
  NamedValues summary() const override { return newton_.summary(); }
  void archive(Archive &archive) override { newton_.archive(archive); }

protected:
  explicit NewtonMethod(const NewtonSolver::Settings &settings) : newton_(settings) {}

  void attach(const System &system);
  const System &system() const { return newton_.system(); }

  /// grad V(q) into gradient_, less the loads if there are any.
  void evaluate_gradient(const Eigen::VectorXd &q);
  /// Solves M (x - target) + c grad V(x) = 0, c >= 0, from the guess in x, or from `fallback` when the guess lies outside the
  /// domain of V. On return gradient_ is grad V(x). `motion`: how far the step goes, which with the force is what the residual is
  /// compared with.
  void solve_for_position(const Eigen::VectorXd &target,
                          double c,
                          double motion,
                          const Eigen::VectorXd &fallback,
                          Eigen::VectorXd &x);
  /// The length |dt| sqrt(v M v) of a step: the scale of its equation.
  double motion_of(const State &state, double dt) const;
  void zero_fixed(Eigen::VectorXd &values) const;

  /// Adds forces beside those of V to its second argument; empty when there are none.
  std::function<void(const Eigen::VectorXd &, Eigen::VectorXd &)> loads_;
  NewtonSolver newton_;
  Eigen::VectorXd gradient_;

private:
  Eigen::VectorXd load_forces_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/newton_method.h>

#include <vector>

namespace freefall
{
/// Energy-momentum method by discrete gradients (Gonzalez 1996, 2000) with sparse solves, for systems of any size.
///
///   q_n+1 = q_n + dt/2 (v_n + v_n+1),   M v_n+1 = M v_n - dt DV(q_n, q_n+1),   DV = sum of the terms' discrete gradients
///
/// Conserves:  energy to the tolerance of Newton's iteration; linear momentum, and angular momentum where every term that is
///             invariant has its own discrete gradient (elements, bonds, pairs, angles); not the symplectic form
/// Time level: on return q and v both belong to t + dt
/// Requires:   nothing for stability; contact that the step resolves (dt^2/4 times stiffness not far above the mass of a node):
///             with a harder wall the iteration does not converge where nodes touch and leave, and Adaptive cuts the step
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
///
/// The derivative of DV is not symmetric; the iteration uses Hess V at the midpoint instead and converges linearly.
class EnergyMomentum final : public NewtonMethod
{
public:
  explicit EnergyMomentum(const NewtonSolver::Settings &settings) : NewtonMethod(settings) {}

  std::string name() const override { return "energy-momentum"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  /// DV(q0, q1) into gradient_, zero in fixed dofs.
  void evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1);

  Eigen::VectorXd target_;
  std::vector<double> x0_, x1_, local_;
};
}  // namespace freefall

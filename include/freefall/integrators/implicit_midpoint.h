#pragma once

#include <freefall/integrators/newton_method.h>

namespace freefall
{
/// The implicit midpoint rule by sparse solves, for systems of any size (GaussCollocation with one stage is the dense form).
///
///   m = q_n + dt/2 v_n + dt^2/4 a(m),   q_n+1 = q_n + dt v_n + dt^2/2 a(m),   v_n+1 = v_n + dt a(m),   a = -M^-1 grad V
///
/// Conserves:  symplectic form, linear and angular momentum; energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to t + dt
/// Requires:   nothing for stability where V is convex
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
class ImplicitMidpoint final : public NewtonMethod
{
public:
  explicit ImplicitMidpoint(const NewtonSolver::Settings &settings) : NewtonMethod(settings) {}

  std::string name() const override { return "implicit midpoint"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  Eigen::VectorXd middle_, target_, a_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/constrained/constrained_method.h>

namespace freefall
{
/// SHAKE: Verlet's q_n+1 - 2 q_n + q_n-1 = -dt^2 M^-1 (grad V(q_n) + G_n^T lambda_n) with g(q_n+1) = 0, as a one-step method
/// with the central velocities v_n = (q_n+1 - q_n-1) / (2 dt).
///
///   q_n+1 = q_n + dt v_n - dt^2/2 M^-1 (grad V(q_n) + G_n^T lambda_n),   g(q_n+1) = 0
///   v_n+1 = (q_n+2 - q_n) / (2 dt),   where lambda_n+1 comes from g(q_n+2) = 0
///
/// Conserves:  symplectic form, g = 0 to rounding, momenta; G v = 0 only to O(dt^2); the positions are those of RATTLE
/// Time level: on return q and v both belong to t + dt, the multipliers too
/// Requires:   constraints that are independent; an initial state on the manifold
/// Throws:     StepFailed naming the constraint that is not met, DomainError; the state is left as it was
///
/// The look at q_n+2 is kept for the next step, which begins with it: one solve for positions a step, two where the velocities
/// were changed from outside or the step has another length.
class Shake final : public ConstrainedMethod
{
public:
  std::string name() const override { return "SHAKE"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  explicit Shake(ConstraintSolver::Method way = ConstraintSolver::Method::automatic) : ConstrainedMethod(way) {}
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &, const State &) override { step_ahead_ = 0; }
  void archive(Archive &archive) override;

private:
  /// ahead_ += dt half_ with the constraints met, whose impulse half_ gets: q_n+1 and v_n+1/2 from q_n and a free v_n+1/2.
  void drift(const Eigen::VectorXd &gradients, double dt);

  Eigen::VectorXd constraint_gradients_, ahead_gradients_, impulse_;  ///< G at q_n, at ahead_
  Eigen::VectorXd ahead_, half_, earlier_half_;                       ///< q_n+1, v_n+1/2, v_n-1/2
  double step_ahead_ = 0;                                             ///< that ahead_ and half_ belong to; 0 when there are none
};
}  // namespace freefall

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
/// Nothing is carried from step to step but the gradient: the look at q_n+2 is repeated by the next step, so that a step
/// costs two solves for positions.
class Shake final : public ConstrainedMethod
{
public:
  std::string name() const override { return "SHAKE"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  Eigen::VectorXd start_entries_, entries_, ahead_entries_, impulse_, force_, half_, ahead_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/one_step_method.h>

namespace freefall
{
/// Velocity Verlet: Newmark with beta = 0, gamma = 1/2 (GSO 6), also called explicit Newmark.
///
///   v_half = v_n - dt/2 M^-1 grad V(q_n),   q_n+1 = q_n + dt v_half,   v_n+1 = v_half - dt/2 M^-1 grad V(q_n+1)
///
/// Conserves:  symplectic form, momenta; energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to t + dt
/// Requires:   dt below the critical step 2 / omega_max; a diagonal mass, or one that is quick to solve
/// Throws:     DomainError, leaving the state as it was
///
/// One evaluation of the gradient a step.
class VelocityVerlet : public OneStepMethod
{
public:
  std::string name() const override { return "explicit Newmark"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }

  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  const System *system_ = nullptr;
  bool mass_is_diagonal_ = true;
  Eigen::VectorXd inverse_mass_, minus_acceleration_;
};
}  // namespace freefall

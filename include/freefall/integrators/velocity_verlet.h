#pragma once

#include <freefall/integrators/driven_forces.h>
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
///
/// With Conditions: supported dofs follow Q(t), loads are evaluated with the gradient, half a step of damping comes first and
/// last. The account T + V - work then oscillates by O(dt^2) as the energy of a free system does and has no drift of its own;
/// damping leaves the critical step as it is: at the ends of a step T + V - dt^2/8 a.M a is what the undamped step keeps, and
/// damping lowers it.
class VelocityVerlet : public OneStepMethod
{
public:
  std::string name() const override { return "explicit Newmark"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  bool runs_distributed() const override { return true; }

  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &, const State &) override {}

private:
  void step_with_conditions(const State &now, double dt, State &next);
  /// M^-1 (grad V(q) - loads) into minus_acceleration_.
  void evaluate(double time, const Eigen::VectorXd &q);

  const System *system_ = nullptr;
  const Conditions *conditions_ = nullptr;
  DrivenForces driven_;  ///< of a system with conditions
  bool mass_is_diagonal_ = true;
  Eigen::VectorXd inverse_mass_, minus_acceleration_;
};
}  // namespace freefall

#include <freefall/integrators/velocity_verlet.h>

namespace freefall
{
void VelocityVerlet::start(const System &system, const State &state)
{
  system_ = &system;
  conditions_ = system.conditions();
  if (conditions_) driven_.attach(system);
  inverse_mass_ = system.diagonal_mass().cwiseInverse();
  evaluate(state.time, state.q);
}

void VelocityVerlet::step(const State &now, double dt, State &next)
{
  if (conditions_) return step_with_conditions(now, dt, next);
  next.v.noalias() = now.v - dt / 2 * minus_acceleration_;
  for (const int dof : system_->fixed_dofs()) next.v[dof] = 0;
  next.q.noalias() = now.q + dt * next.v;
  evaluate(next.time, next.q);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
}

void VelocityVerlet::step_with_conditions(const State &now, double dt, State &next)
{
  Work work = now.work;
  next.v = now.v;
  if (conditions_->has_damping()) conditions_->damp(now.q, dt / 2, next.v, work);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
  for (const int dof : system_->fixed_dofs()) next.v[dof] = 0;
  next.q.noalias() = now.q + dt * next.v;
  conditions_->prescribe(next.time, next.q, next.v);
  evaluate(next.time, next.q);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
  driven_.book(now, work, next);
  if (conditions_->has_damping()) conditions_->damp(next.q, dt / 2, next.v, next.work);
}

void VelocityVerlet::evaluate(double time, const Eigen::VectorXd &q)
{
  if (conditions_)
    driven_.evaluate(time, q, gradient_);
  else
    system_->gradient(q, gradient_);
  if (system_->mass_is_diagonal())
    minus_acceleration_ = inverse_mass_.cwiseProduct(gradient_);
  else
    minus_acceleration_ = system_->solve_mass(gradient_);
  ++n_force_evaluations_;
}
}  // namespace freefall

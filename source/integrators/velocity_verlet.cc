#include <freefall/integrators/velocity_verlet.h>

namespace freefall
{
void VelocityVerlet::start(const System &system, const State &state)
{
  system_ = &system;
  inverse_mass_ = system.diagonal_mass().cwiseInverse();
  evaluate(state.q);
}

void VelocityVerlet::step(const State &now, double dt, State &next)
{
  next.v.noalias() = now.v - dt / 2 * minus_acceleration_;
  for (const int dof : system_->fixed_dofs()) next.v[dof] = 0;
  next.q.noalias() = now.q + dt * next.v;
  evaluate(next.q);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
}

void VelocityVerlet::evaluate(const Eigen::VectorXd &q)
{
  system_->gradient(q, gradient_);
  if (system_->mass_is_diagonal())
    minus_acceleration_ = inverse_mass_.cwiseProduct(gradient_);
  else
    minus_acceleration_ = system_->solve_mass(gradient_);
  ++n_force_evaluations_;
}
}  // namespace freefall

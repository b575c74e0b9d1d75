#include <freefall/integrators/constrained/rattle.h>

namespace freefall
{
std::string Rattle::name() const
{
  const char *names[] = {"RATTLE", "constrained symplectic Euler", "adjoint constrained symplectic Euler",
                         "composed constrained symplectic Euler"};
  return names[static_cast<int>(form_)];
}

void Rattle::start(const System &system, const State &state)
{
  attach(system);
  solver_.gradients(state.q, constraint_gradients_);
  evaluate_gradient(state.q);
  between_ = state;
}

void Rattle::step(const State &now, double dt, State &next)
{
  if (form_ != Form::composed)
    return partial_step(now.q, now.v, dt, form_ == Form::rattle ? 0.5 : form_ == Form::euler ? 1 : 0, next);
  partial_step(now.q, now.v, dt / 2, 1, between_);
  partial_step(between_.q, between_.v, dt / 2, 0, next);
}

void Rattle::partial_step(const Eigen::VectorXd &q, const Eigen::VectorXd &v, double dt, double fraction, State &next)
{
  start_gradients_.swap(constraint_gradients_);
  next.v = v;
  if (fraction > 0) next.v -= fraction * dt * inverse_mass().cwiseProduct(gradient_);
  next.q = q + dt * next.v;
  solver_.solve_positions(start_gradients_, next.q, impulse_, constraint_gradients_);
  solver_.kick(start_gradients_, impulse_, 1 / dt, next.v);
  // The gradient at the end is used by this step, or by the next one; between the parts of `composed` by neither.
  const bool is_needed = fraction < 1 || form_ != Form::composed;
  if (is_needed) evaluate_gradient(next.q);
  if (fraction < 1) next.v -= (1 - fraction) * dt * inverse_mass().cwiseProduct(gradient_);
  solver_.solve_velocities(constraint_gradients_, next.v, velocity_impulse_);
  // Impulses dt^2 and dt times the multipliers of the two kicks, whose weighted mean is that of the step.
  multipliers_ = impulse_ / (dt * dt) + velocity_impulse_ / dt;
}
}  // namespace freefall

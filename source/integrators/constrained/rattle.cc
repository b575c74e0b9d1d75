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
  constraints_->jacobian(state.q, entries_);
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
  start_entries_.swap(entries_);
  next.v = v;
  if (fraction > 0) next.v -= fraction * dt * inverse_mass().cwiseProduct(gradient_);
  next.q = q + dt * next.v;
  solve_positions(start_entries_, next.q, impulse_, entries_);
  force_.setZero(q.size());
  constraints_->add_transpose(start_entries_, impulse_, -1 / dt, force_);
  next.v += inverse_mass().cwiseProduct(force_);
  // The gradient at the end is used by this step, or by the next one; between the parts of `composed` by neither.
  const bool is_needed = fraction < 1 || form_ != Form::composed;
  if (is_needed) evaluate_gradient(next.q);
  if (fraction < 1) next.v -= (1 - fraction) * dt * inverse_mass().cwiseProduct(gradient_);
  solve_velocities(entries_, next.v, velocity_impulse_);
  // Impulses dt^2 and dt times the multipliers of the two kicks, whose weighted mean is that of the step.
  multipliers_ = impulse_ / (dt * dt) + velocity_impulse_ / dt;
}
}  // namespace freefall

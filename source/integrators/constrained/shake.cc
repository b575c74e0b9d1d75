#include <freefall/integrators/constrained/shake.h>

namespace freefall
{
void Shake::start(const System &system, const State &state)
{
  attach(system);
  constraints_->jacobian(state.q, entries_);
  evaluate_gradient(state.q);
}

void Shake::step(const State &now, double dt, State &next)
{
  start_entries_.swap(entries_);
  half_ = now.v - dt / 2 * inverse_mass().cwiseProduct(gradient_);
  next.q = now.q + dt * half_;
  solve_positions(start_entries_, next.q, impulse_, entries_);
  force_.setZero(now.q.size());
  constraints_->add_transpose(start_entries_, impulse_, -1 / dt, force_);
  half_ += inverse_mass().cwiseProduct(force_);

  evaluate_gradient(next.q);
  // v_n+3/2 = v_n+1/2 - dt M^-1 (grad V + G^T lambda) at n + 1, and v_n+1 is their mean.
  ahead_ = next.q + dt * (half_ - dt * inverse_mass().cwiseProduct(gradient_));
  solve_positions(entries_, ahead_, impulse_, ahead_entries_);
  force_ = dt / 2 * gradient_;
  constraints_->add_transpose(entries_, impulse_, 0.5 / dt, force_);
  next.v = half_ - inverse_mass().cwiseProduct(force_);
  multipliers_ = impulse_ / (dt * dt);
}
}  // namespace freefall

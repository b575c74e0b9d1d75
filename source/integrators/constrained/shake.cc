#include <freefall/integrators/constrained/shake.h>

namespace freefall
{
void Shake::start(const System &system, const State &state)
{
  attach(system);
  solver_.gradients(state.q, constraint_gradients_);
  evaluate_gradient(state.q);
  ahead_ = half_ = earlier_half_ = state.q;
  ahead_gradients_ = constraint_gradients_;
  step_ahead_ = 0;
}

void Shake::drift(const Eigen::VectorXd &gradients, double dt)
{
  ahead_ += dt * half_;
  solver_.solve_positions(gradients, ahead_, impulse_, ahead_gradients_);
  solver_.kick(gradients, impulse_, 1 / dt, half_);
}

void Shake::step(const State &now, double dt, State &next)
{
  if (step_ahead_ != dt)
  {
    half_ = now.v - dt / 2 * inverse_mass().cwiseProduct(gradient_);
    ahead_ = now.q;
    drift(constraint_gradients_, dt);
  }
  step_ahead_ = 0;
  next.q = ahead_;
  constraint_gradients_.swap(ahead_gradients_);
  evaluate_gradient(next.q);
  // v_n+3/2 = v_n+1/2 - dt M^-1 (grad V + G^T lambda) at n + 1, and v_n+1 is their mean.
  earlier_half_ = half_;
  half_ -= dt * inverse_mass().cwiseProduct(gradient_);
  drift(constraint_gradients_, dt);
  next.v = 0.5 * (earlier_half_ + half_);
  multipliers_ = impulse_ / (dt * dt);
  step_ahead_ = dt;
}

void Shake::archive(Archive &archive)
{
  ConstrainedMethod::archive(archive);
  archive("ahead", ahead_);
  archive("half", half_);
  archive("step_ahead", step_ahead_);
  if (archive.is_loading()) solver_.gradients(ahead_, ahead_gradients_);
}
}  // namespace freefall

#include <freefall/integrators/implicit_midpoint.h>

namespace freefall
{
void ImplicitMidpoint::step(const State &now, double dt, State &next)
{
  target_ = now.q + dt / 2 * now.v;
  middle_ = target_;
  solve_for_position(target_, dt * dt / 4, motion_of(now, dt), now.q, middle_);
  a_ = -system().solve_mass(gradient_);
  zero_fixed(a_);
  next.q = now.q + dt * now.v + dt * dt / 2 * a_;
  next.v = now.v + dt * a_;
}
}  // namespace freefall

#include <freefall/integrators/implicit_midpoint.h>
#include <freefall/integrators/refuse_conditions.h>

namespace freefall
{
void ImplicitMidpoint::start(const System &system, const State &)
{
  refuse_conditions(system, name());
  attach(system);
}

void ImplicitMidpoint::step(const State &now, double dt, State &next)
{
  target_ = now.q + dt / 2 * now.v;
  middle_ = target_;
  solve_for_position(target_, dt * dt / 4, motion_of(now, dt), now.q, middle_);
  a_ = -system().solve_mass(gradient_);
  zero_fixed(a_);
  next.q = now.q + dt * now.v + dt * dt / 2 * a_;
  next.v = now.v + dt * a_;
  // The rule never looks at the end of a step, where an element may be inverted: a DomainError here and not in whoever looks next.
  evaluate_gradient(next.q);
}
}  // namespace freefall

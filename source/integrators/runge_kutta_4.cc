#include <freefall/integrators/runge_kutta_4.h>

namespace freefall
{
void RungeKutta4::start(const System &system, const State &) { acceleration_.attach(system, name()); }

void RungeKutta4::step(const State &now, double dt, State &next)
{
  // With v' = a(q) the stages of v are sums of accelerations, so that only those of q are formed.
  acceleration_(now.q, a_[0]);
  stage_ = now.q + dt / 2 * now.v;
  acceleration_(stage_, a_[1]);
  stage_ += dt * dt / 4 * a_[0];
  acceleration_(stage_, a_[2]);
  stage_ = now.q + dt * now.v + dt * dt / 2 * a_[1];
  acceleration_(stage_, a_[3]);
  next.q = now.q + dt * now.v + dt * dt / 6 * (a_[0] + a_[1] + a_[2]);
  next.v = now.v + dt / 6 * (a_[0] + 2 * a_[1] + 2 * a_[2] + a_[3]);
  n_force_evaluations_ = acceleration_.n_evaluations();
}
}  // namespace freefall

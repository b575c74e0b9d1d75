#include <freefall/integrators/symplectic_euler.h>

namespace freefall
{
void SymplecticEuler::start(const System &system, const State &) { acceleration_.attach(system, name()); }

void SymplecticEuler::step(const State &now, double dt, State &next)
{
  if (form_ == Form::kick_drift)
  {
    acceleration_(now.q, a_);
    next.v = now.v + dt * a_;
    next.q = now.q + dt * next.v;
  }
  else
  {
    next.q = now.q + dt * now.v;
    acceleration_(next.q, a_);
    next.v = now.v + dt * a_;
  }
  n_force_evaluations_ = acceleration_.n_evaluations();
}
}  // namespace freefall

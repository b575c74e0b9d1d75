#include <freefall/integrators/constrained/constrained_euler.h>
#include <freefall/integrators/constrained/hamiltonian_euler.h>

namespace freefall
{
void ConstrainedEuler::start(const System &system, const State &state)
{
  // A method that starts again goes on counting.
  if (!method_)
  {
    if (non_separable_hamiltonian(system))
      method_ = std::make_unique<HamiltonianEuler>(form_);
    else
      method_ = std::make_unique<Rattle>(form_);
  }
  method_->start(system, state);
  count();
}

void ConstrainedEuler::step(const State &now, double dt, State &next)
{
  method_->step(now, dt, next);
  count();
}

void ConstrainedEuler::count()
{
  n_force_evaluations_ = method_->n_force_evaluations();
  n_potential_evaluations_ = method_->n_potential_evaluations();
}
}  // namespace freefall

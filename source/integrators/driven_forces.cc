#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/integrators/driven_forces.h>

namespace freefall
{
void DrivenForces::attach(const System &system)
{
  system_ = &system;
  conditions_ = system.conditions();
  if (conditions_->moves_supports() && !system.mass_is_diagonal())
    throw InputError("moving supports need a lumped mass with this integrator. Set Finite elements/Mass = lumped.");
  loads_.setZero(system.n_dofs());
  reactions_.setZero(static_cast<Eigen::Index>(system.fixed_dofs().size()));
  earlier_loads_ = loads_;
  earlier_reactions_ = reactions_;
}

void DrivenForces::evaluate(double time, const Eigen::VectorXd &q, Eigen::VectorXd &gradient)
{
  system_->gradient_with_reactions(q, gradient);
  if (conditions_->has_loads())
  {
    loads_.swap(earlier_loads_);
    loads_.setZero();
    conditions_->add_loads(time, q, loads_);
    gradient -= loads_;
  }
  reactions_.swap(earlier_reactions_);
  Eigen::Index i = 0;
  for (const int dof : system_->fixed_dofs())
  {
    reactions_[i++] = gradient[dof];
    gradient[dof] = 0;
  }
}

double DrivenForces::support_work(const State &now, const State &next) const
{
  double work = 0;
  Eigen::Index i = 0;
  for (const int dof : system_->fixed_dofs())
  {
    const double reaction = 0.5 * (earlier_reactions_[i] + reactions_[i]);
    const double inertia = system_->diagonal_mass()[dof] * 0.5 * (next.v[dof] - now.v[dof]) * (next.v[dof] + now.v[dof]);
    if (system_->is_owned(dof)) work += reaction * (next.q[dof] - now.q[dof]) + inertia;
    ++i;
  }
  return system_->is_distributed() ? ranks::sum(work) : work;
}

void DrivenForces::book(const State &now, const Work &work, State &next) const
{
  next.work = work;
  if (conditions_->has_loads()) next.work.loads += 0.5 * system_->dot(earlier_loads_ + loads_, next.q - now.q);
  if (conditions_->moves_supports()) next.work.supports += support_work(now, next);
}
}  // namespace freefall

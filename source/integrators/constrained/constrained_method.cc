#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_method.h>

#include <fmt/format.h>

namespace freefall
{
NamedValues ConstrainedMethod::summary() const
{
  const ConstraintSolver::Counts &counts = solver_.counts();
  return {{"n_constraint_evaluations", static_cast<double>(n_constraint_evaluations_ + counts.n_evaluations)},
          {"n_newton_iterations", static_cast<double>(n_iterations_ + counts.n_evaluations)},
          {"n_matrix_factorisations", static_cast<double>(counts.n_factorisations)},
          {"n_matrix_solves", static_cast<double>(counts.n_solves)}};
}

void ConstrainedMethod::archive(Archive &archive)
{
  archive("n_constraint_evaluations", n_constraint_evaluations_);
  archive("n_newton_iterations", n_iterations_);
  solver_.archive(archive);
}

void ConstrainedMethod::attach(const System &system)
{
  if (!system.constraints())
    throw InputError(fmt::format("{} is for systems with constraints, and this one has none: choose another integrator", name()));
  system_ = &system;
  constraints_ = system.constraints();
  solver_.attach(system);
  multipliers_.setZero(solver_.impulse_size());
}

void ConstrainedMethod::evaluate_gradient(const Eigen::VectorXd &q)
{
  system_->gradient(q, gradient_);
  ++n_force_evaluations_;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_method.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace freefall
{
NamedValues ConstrainedMethod::summary() const
{
  const ConstraintSolver::Counts &counts = solver_.counts();
  return {{"n_constraint_evaluations", static_cast<double>(n_constraint_evaluations_ + counts.n_evaluations)},
          {"n_newton_iterations", static_cast<double>(n_iterations_ + counts.n_evaluations)},
          {"n_matrix_factorisations", static_cast<double>(counts.n_factorisations + n_own_factorisations_)},
          {"n_matrix_solves", static_cast<double>(counts.n_solves + n_own_solves_)}};
}

void ConstrainedMethod::archive(Archive &archive)
{
  archive.list("multipliers", multipliers_);
  archive("n_constraint_evaluations", n_constraint_evaluations_);
  archive("n_newton_iterations", n_iterations_);
  archive("n_own_factorisations", n_own_factorisations_);
  archive("n_own_solves", n_own_solves_);
  solver_.archive(archive);
}

void ConstrainedMethod::attach(const System &system)
{
  if (!system.constraints())
    throw InputError(fmt::format("{} is for systems with constraints, and this one has none: choose another integrator", name()));
  system_ = &system;
  constraints_ = system.constraints();
  if (!handles_any_hamiltonian()) refuse_non_separable(system, name());
  solver_.attach(system);
  multipliers_.setZero(solver_.impulse_size());
}

void ConstrainedMethod::fail_to_converge(int n_iterations, const Eigen::VectorXd &values, const Eigen::VectorXd &entries) const
{
  std::string dependence;
  if (entries.allFinite())
    for (const auto &message : dependent_constraints(*system_, entries)) dependence += "; " + message;
  throw StepFailed(fmt::format("Newton's iteration did not converge in {} iterations; the largest constraint residual is {:.3g} of "
                               "{}{}; a shorter step may help",
                               n_iterations, values.cwiseAbs().maxCoeff(), constraints_->largest(values).name(), dependence));
}

void ConstrainedMethod::fail_singular(const Eigen::VectorXd &entries) const
{
  const auto dependent = dependent_constraints(*system_, entries);
  if (dependent.empty()) throw StepFailed("the matrix of Newton's iteration is singular; a shorter step may help");
  throw StepFailed(fmt::format("the constraints have become dependent: {}", fmt::join(dependent, "; ")));
}

void ConstrainedMethod::evaluate_gradient(const Eigen::VectorXd &q)
{
  system_->gradient(q, gradient_);
  ++n_force_evaluations_;
}
}  // namespace freefall

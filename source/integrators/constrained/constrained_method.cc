#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_method.h>
#include <freefall/integrators/newton_progress.h>

#include <fmt/format.h>

namespace freefall
{
NamedValues ConstrainedMethod::summary() const
{
  return {{"n_constraint_evaluations", static_cast<double>(n_constraint_evaluations_)},
          {"n_newton_iterations", static_cast<double>(n_iterations_)},
          {"n_matrix_factorisations", static_cast<double>(matrix_.n_factorisations())},
          {"n_matrix_solves", static_cast<double>(matrix_.n_solves())}};
}

void ConstrainedMethod::archive(Archive &archive)
{
  archive.list("multipliers", multipliers_);
  archive("n_constraint_evaluations", n_constraint_evaluations_);
  archive("n_iterations", n_iterations_);
  matrix_.archive(archive);
}

void ConstrainedMethod::attach(const System &system)
{
  if (!system.constraints())
    throw InputError(fmt::format("{} is for systems with constraints, and this one has none: choose another integrator", name()));
  system_ = &system;
  constraints_ = system.constraints();
  matrix_.attach(system);
  multipliers_.setZero(constraints_->size());
}

void ConstrainedMethod::evaluate_gradient(const Eigen::VectorXd &q)
{
  system_->gradient(q, gradient_);
  ++n_force_evaluations_;
}

void ConstrainedMethod::solve_positions(const Eigen::VectorXd &start_entries,
                                        Eigen::VectorXd &q,
                                        Eigen::VectorXd &impulse,
                                        Eigen::VectorXd &entries)
{
  impulse.setZero(constraints_->size());
  NewtonProgress progress(q.cwiseAbs().maxCoeff());
  bool is_fresh = false;
  while (true)
  {
    if (!is_fresh)
    {
      constraints_->jacobian(q, entries);
      matrix_.factorise(entries, start_entries);
      is_fresh = true;
    }
    constraints_->value(q, values_);
    ++n_constraint_evaluations_;
    ++n_iterations_;
    matrix_.solve(values_);
    impulse += values_;
    step_.setZero(q.size());
    constraints_->add_transpose(start_entries, values_, 1, step_);
    step_.array() *= inverse_mass().array();
    q -= step_;
    const auto verdict = progress.judge(step_.cwiseAbs().maxCoeff());
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed)
    {
      if (!q.allFinite()) throw StepFailed("the positions of the step are not finite; a shorter step may help");
      constraints_->value(q, values_);
      throw StepFailed(fmt::format("the constraints could not be met in {} iterations: {} stays at {:.3g}; a shorter step may help",
                                   progress.n_iterations(), constraints_->largest(values_).name(), values_.cwiseAbs().maxCoeff()));
    }
    if (verdict == NewtonProgress::Verdict::refresh_matrix) is_fresh = false;
  }
  constraints_->jacobian(q, entries);
}

void ConstrainedMethod::solve_velocities(const Eigen::VectorXd &entries, Eigen::VectorXd &v, Eigen::VectorXd &impulse)
{
  matrix_.factorise(entries, entries);
  constraints_->apply(entries, v, impulse);
  matrix_.solve(impulse);
  step_.setZero(v.size());
  constraints_->add_transpose(entries, impulse, 1, step_);
  v -= inverse_mass().cwiseProduct(step_);
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constraint_solver.h>
#include <freefall/integrators/newton_progress.h>

#include <fmt/format.h>

namespace freefall
{
void ConstraintSolver::attach(const System &system)
{
  constraints_ = system.constraints();
  matrix_.attach(system);
  clusters_ = method_ == Method::automatic ? ConstraintClusters::find(system) : nullptr;
}

void ConstraintSolver::gradients(const Eigen::VectorXd &q, Eigen::VectorXd &gradients) const
{
  if (clusters_)
    clusters_->gradients(q, gradients);
  else
    constraints_->jacobian(q, gradients);
}

void ConstraintSolver::solve_positions(const Eigen::VectorXd &start,
                                       Eigen::VectorXd &q,
                                       Eigen::VectorXd &impulse,
                                       Eigen::VectorXd &end)
{
  if (!clusters_) return solve_generally(start, q, impulse, end);
  const int n_iterations = clusters_->solve_positions(start, q, impulse, end);
  counts_.n_evaluations += n_iterations;
  if (n_iterations == 0) fail(q, ConstraintClusters::max_iterations);
}

void ConstraintSolver::solve_generally(const Eigen::VectorXd &start,
                                       Eigen::VectorXd &q,
                                       Eigen::VectorXd &impulse,
                                       Eigen::VectorXd &end)
{
  impulse.setZero(constraints_->size());
  NewtonProgress progress(q.cwiseAbs().maxCoeff());
  bool is_fresh = false;
  while (true)
  {
    if (!is_fresh)
    {
      constraints_->jacobian(q, end);
      factorise(end, start);
      is_fresh = true;
    }
    constraints_->value(q, values_);
    ++counts_.n_evaluations;
    solve_with_matrix(values_);
    impulse += values_;
    step_.setZero(q.size());
    constraints_->add_transpose(start, values_, 1, step_);
    step_.array() *= inverse_mass().array();
    q -= step_;
    const auto verdict = progress.judge(step_.cwiseAbs().maxCoeff());
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail(q, progress.n_iterations());
    if (verdict == NewtonProgress::Verdict::refresh_matrix) is_fresh = false;
  }
  constraints_->jacobian(q, end);
}

void ConstraintSolver::factorise(const Eigen::VectorXd &left, const Eigen::VectorXd &right)
{
  matrix_.factorise(left, right);
  ++counts_.n_factorisations;
}

void ConstraintSolver::solve_with_matrix(Eigen::VectorXd &b)
{
  matrix_.solve(b);
  ++counts_.n_solves;
}

void ConstraintSolver::fail(const Eigen::VectorXd &q, int n_iterations)
{
  if (!q.allFinite()) throw StepFailed("the positions of the step are not finite; a shorter step may help");
  constraints_->value(q, values_);
  throw StepFailed(fmt::format("the constraints could not be met in {} iterations: {} stays at {:.3g}; a shorter step may help",
                               n_iterations, constraints_->largest(values_).name(), values_.cwiseAbs().maxCoeff()));
}

void ConstraintSolver::solve_velocities(const Eigen::VectorXd &at, Eigen::VectorXd &v, Eigen::VectorXd &impulse)
{
  if (clusters_) return clusters_->solve_velocities(at, v, impulse);
  factorise(at, at);
  constraints_->apply(at, v, impulse);
  solve_with_matrix(impulse);
  kick(at, impulse, 1, v);
}

void ConstraintSolver::kick(const Eigen::VectorXd &at, const Eigen::VectorXd &impulse, double factor, Eigen::VectorXd &v)
{
  if (clusters_) return clusters_->kick(at, impulse, factor, v);
  step_.setZero(v.size());
  constraints_->add_transpose(at, impulse, factor, step_);
  v -= inverse_mass().cwiseProduct(step_);
}

void ConstraintSolver::archive(Archive &archive)
{
  const Archive::Part part(archive, "constraint_solver");
  archive("n_evaluations", counts_.n_evaluations);
  archive("n_factorisations", counts_.n_factorisations);
  archive("n_solves", counts_.n_solves);
}

Eigen::VectorXd ConstraintSolver::in_order(const Eigen::VectorXd &impulse) const
{
  return clusters_ ? clusters_->in_order(impulse) : impulse;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/discrete_gradient_method.h>
#include <freefall/integrators/newton_progress.h>
#include <freefall/integrators/refuse_conditions.h>
#include <freefall/potentials/discrete_gradient.h>
#include <freefall/systems/dense_hessian.h>
#include <freefall/systems/name_of_largest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
void DiscreteGradientMethod::start(const System &system, const State &)
{
  refuse_conditions(system, name());
  if (system.n_dofs() > max_dense_rows)
    throw InputError(
      fmt::format("{}: a dense matrix of {} rows would be factorised in every step; at most {} are allowed. This "
                  "method is for small systems.",
                  name(), system.n_dofs(), max_dense_rows));
  system_ = &system;
  mass_ = dense_mass(system);
  int n = 0;
  for (const auto &family : system.terms()) n = std::max(n, family->dofs_per_term());
  x0_.resize(n);
  x1_.resize(n);
  local_.resize(n);
}

void DiscreteGradientMethod::factorise(const Eigen::VectorXd &middle, double dt)
{
  dense_hessian(*system_, middle, hessian_);
  jacobian_ = mass_ + dt * dt / 4 * hessian_;
  factors_.compute(jacobian_);
}

void DiscreteGradientMethod::evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1)
{
  gradient_.setZero(q0.size());
  for (const auto &family : system_->terms())
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (std::size_t a = 0; a < dofs.size(); ++a)
      {
        x0_[a] = q0[dofs[a]];
        x1_[a] = q1[dofs[a]];
      }
      discrete_gradient(*family, term, x0_.data(), x1_.data(), local_.data());
      for (std::size_t a = 0; a < dofs.size(); ++a) gradient_[dofs[a]] += local_[a];
    }
  for (const int dof : system_->fixed_dofs()) gradient_[dof] = 0;
  ++n_force_evaluations_;
}

void DiscreteGradientMethod::step(const State &now, double dt, State &next)
{
  middle_ = now.q + dt / 2 * now.v;
  factorise(middle_, dt);
  next.q = now.q + dt * now.v;
  NewtonProgress progress(now.q.cwiseAbs().maxCoeff() + std::abs(dt) * now.v.cwiseAbs().maxCoeff());
  while (true)
  {
    // M (q_n+1 - q_n - dt v_n) + dt^2/2 DV = 0.
    evaluate(now.q, next.q);
    change_ = factors_.solve(mass_ * (next.q - now.q - dt * now.v) + dt * dt / 2 * gradient_);
    next.q -= change_;
    const auto verdict = progress.judge(change_.cwiseAbs().maxCoeff());
    ++counts_.n_iterations;
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed)
      throw StepFailed(fmt::format("Newton's iteration did not converge in {} iterations, its last change is largest at {}; a "
                                   "shorter step may help",
                                   progress.n_iterations(), name_of_largest(*system_, change_)));
    if (verdict == NewtonProgress::Verdict::refresh_matrix)
    {
      ++counts_.n_refreshes;
      middle_ = 0.5 * (now.q + next.q);
      factorise(middle_, dt);
    }
  }
  evaluate(now.q, next.q);
  next.v = now.v - dt * system_->solve_mass(gradient_);
}
}  // namespace freefall

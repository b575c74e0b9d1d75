#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_energy_momentum.h>
#include <freefall/integrators/newton_progress.h>
#include <freefall/potentials/discrete_gradient.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freefall
{
void ConstrainedEnergyMomentum::start(const System &system, const State &)
{
  attach(system);
  is_fixed_.assign(system.n_dofs(), false);
  for (const int dof : system.fixed_dofs()) is_fixed_[dof] = true;
  is_analysed_ = false;
  factors_ = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
  int n = 0;
  for (const auto &family : system.terms()) n = std::max(n, family->dofs_per_term());
  x0_.resize(n);
  x1_.resize(n);
  local_.resize(n * n);
  impulse_.setZero(constraints_->size());
}

void ConstrainedEnergyMomentum::factorise(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1, double dt)
{
  // Unknowns q_n+1 and dt^2/2 lambda: [M + dt^2/4 Hess V + 1/2 impulse . g'',  Dg^T;  G(q_n+1), 0].
  const int n = system_->n_dofs(), m = constraints_->size();
  middle_ = 0.5 * (q0 + q1);
  triplets_.clear();
  for (int dof = 0; dof < n; ++dof) triplets_.emplace_back(dof, dof, system_->diagonal_mass()[dof]);
  for (const auto &family : system_->terms())
  {
    const int k = family->dofs_per_term();
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (int a = 0; a < k; ++a) x0_[a] = middle_[dofs[a]];
      family->hessian(term, x0_.data(), local_.data());
      for (int a = 0; a < k; ++a)
        for (int b = 0; b < k; ++b)
          if (!is_fixed_[dofs[a]]) triplets_.emplace_back(dofs[a], dofs[b], dt * dt / 4 * local_[a * k + b]);
    }
  }
  std::array<double, Constraint::max_dofs> x;
  std::array<double, Constraint::max_dofs * Constraint::max_dofs> hessian;
  constraints_->discrete_jacobian(q0, q1, discrete_entries_);
  constraints_->jacobian(q1, entries_);
  for (int c = 0; c < m; ++c)
  {
    const auto dofs = (*constraints_)[c].dofs();
    const int k = static_cast<int>(dofs.size());
    for (int a = 0; a < k; ++a) x[a] = middle_[dofs[a]];
    (*constraints_)[c].hessian(x.data(), hessian.data());
    for (int a = 0; a < k; ++a)
    {
      triplets_.emplace_back(n + c, dofs[a], is_fixed_[dofs[a]] ? 0 : entries_[constraints_->offset(c) + a]);
      if (is_fixed_[dofs[a]]) continue;
      triplets_.emplace_back(dofs[a], n + c, discrete_entries_[constraints_->offset(c) + a]);
      for (int b = 0; b < k; ++b) triplets_.emplace_back(dofs[a], dofs[b], 0.5 * impulse_[c] * hessian[a * k + b]);
    }
  }
  jacobian_.resize(n + m, n + m);
  jacobian_.setFromTriplets(triplets_.begin(), triplets_.end());
  if (!is_analysed_) factors_->analyzePattern(jacobian_);
  is_analysed_ = true;
  factors_->factorize(jacobian_);
  ++n_own_factorisations_;
  if (factors_->info() == Eigen::Success) return;
  fail_singular(entries_);
}

void ConstrainedEnergyMomentum::evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1)
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
  constraints_->discrete_jacobian(q0, q1, discrete_entries_);
  ++n_force_evaluations_;
  ++n_constraint_evaluations_;
}

void ConstrainedEnergyMomentum::step(const State &now, double dt, State &next)
{
  const Eigen::Index n = now.q.size(), m = constraints_->size();
  const Eigen::VectorXd &mass = system_->diagonal_mass();
  next.q = now.q + dt * now.v;
  // A pure function of the state: no impulse is carried over as a first guess.
  impulse_.setZero();
  factorise(now.q, next.q, dt);
  residual_.resize(n + m);
  NewtonProgress progress(now.q.cwiseAbs().maxCoeff() + std::abs(dt) * now.v.cwiseAbs().maxCoeff());
  while (true)
  {
    evaluate(now.q, next.q);
    change_ = dt * dt / 2 * gradient_;
    constraints_->add_transpose(discrete_entries_, impulse_, 1, change_);
    for (const int dof : system_->fixed_dofs()) change_[dof] = 0;
    residual_.head(n) = mass.cwiseProduct(next.q - now.q - dt * now.v) + change_;
    constraints_->value(next.q, values_);
    residual_.tail(m) = values_;
    change_ = factors_->solve(residual_);
    ++n_own_solves_;
    next.q -= change_.head(n);
    impulse_ -= change_.tail(m);
    ++n_iterations_;
    const auto verdict = progress.judge(change_.head(n).cwiseAbs().maxCoeff());
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail_to_converge(progress.n_iterations(), values_, entries_);
    // The first matrix knows no multipliers; one more is cheaper than the iterations that it saves.
    if (verdict == NewtonProgress::Verdict::refresh_matrix || progress.n_iterations() == 1) factorise(now.q, next.q, dt);
  }
  evaluate(now.q, next.q);
  change_ = dt * gradient_;
  constraints_->add_transpose(discrete_entries_, impulse_, 2 / dt, change_);
  next.v = now.v - inverse_mass().cwiseProduct(change_);
  multipliers_ = 2 / (dt * dt) * impulse_;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/hamiltonian_euler.h>
#include <freefall/integrators/newton_progress.h>

#include <fmt/format.h>
#include <cmath>
#include <vector>

namespace freefall
{
using SparseMatrix = Eigen::SparseMatrix<double>;

void HamiltonianEuler::start(const System &system, const State &)
{
  attach(system);
  hamiltonian_ = non_separable_hamiltonian(system);
  if (!hamiltonian_) throw InputError(fmt::format("{} needs a Hamiltonian that is not separable: use RATTLE", name()));
}

void HamiltonianEuler::evaluate(const Eigen::VectorXd &q, const Eigen::VectorXd &p)
{
  hamiltonian_->derivatives(q, p, here_);
  ++n_force_evaluations_;
}

SparseMatrix HamiltonianEuler::jacobian(const Eigen::VectorXd &q, Eigen::VectorXd &entries)
{
  constraints_->jacobian(q, entries);
  ++n_constraint_evaluations_;
  std::vector<Eigen::Triplet<double>> triplets;
  for (int c = 0; c < constraints_->size(); ++c)
  {
    const auto dofs = (*constraints_)[c].dofs();
    for (std::size_t a = 0; a < dofs.size(); ++a) triplets.emplace_back(c, dofs[a], entries[constraints_->offset(c) + a]);
  }
  SparseMatrix result(constraints_->size(), q.size());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

void HamiltonianEuler::solve(const SparseMatrix &a, const SparseMatrix &b, const SparseMatrix &c)
{
  const Eigen::Index n = a.rows(), m = c.rows();
  std::vector<Eigen::Triplet<double>> triplets;
  const auto add = [&](const SparseMatrix &block, Eigen::Index row, Eigen::Index column)
  {
    for (Eigen::Index k = 0; k < block.outerSize(); ++k)
      for (SparseMatrix::InnerIterator entry(block, k); entry; ++entry)
        triplets.emplace_back(row + entry.row(), column + entry.col(), entry.value());
  };
  add(a, 0, 0);
  add(b, 0, n);
  add(c, n, 0);
  SparseMatrix whole(n + m, n + m);
  whole.setFromTriplets(triplets.begin(), triplets.end());
  factors_.compute(whole);
  ++n_own_factorisations_;
  if (factors_.info() != Eigen::Success) fail_singular(entries_);
  change_ = factors_.solve(residual_);
  ++n_own_solves_;
  ++n_iterations_;
}

void HamiltonianEuler::forward(double dt)
{
  // Unknowns p~ and Lambda; the row of g is divided by dt.
  const Eigen::Index n = q_.size(), m = constraints_->size();
  const SparseMatrix start_transposed = jacobian(q_, entries_).transpose();
  SparseMatrix identity(n, n);
  identity.setIdentity();
  Eigen::VectorXd p = p_, q, impulse = Eigen::VectorXd::Zero(m);
  residual_.resize(n + m);
  NewtonProgress progress(q_.cwiseAbs().maxCoeff() + largest_move_);
  while (true)
  {
    evaluate(q_, p);
    q = q_ + dt * here_.p;
    constraints_->value(q, values_);
    residual_.head(n) = p - p_ + dt * here_.q + start_transposed * impulse;
    residual_.tail(m) = values_ / dt;
    const SparseMatrix end = jacobian(q, entries_);
    solve(identity + dt * here_.qp, start_transposed, end * here_.pp);
    p -= change_.head(n);
    impulse -= change_.tail(m);
    const auto verdict = progress.judge((dt * (here_.pp * change_.head(n))).cwiseAbs().maxCoeff());
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail_to_converge(progress.n_iterations(), values_, entries_);
  }
  evaluate(q_, p);
  q_ += dt * here_.p;
  p_ = p;
  multipliers_ += impulse;
  solve_momenta();
}

void HamiltonianEuler::backward(double dt)
{
  // Unknowns q' and mu.
  const Eigen::Index n = q_.size(), m = constraints_->size();
  const SparseMatrix start_transposed = jacobian(q_, entries_).transpose();
  SparseMatrix identity(n, n);
  identity.setIdentity();
  Eigen::VectorXd p = p_, q = q_, impulse = Eigen::VectorXd::Zero(m);
  residual_.resize(n + m);
  NewtonProgress progress(q_.cwiseAbs().maxCoeff() + largest_move_);
  while (true)
  {
    evaluate(q, p);
    constraints_->value(q, values_);
    residual_.head(n) = q - q_ - dt * here_.p;
    residual_.tail(m) = values_;
    const SparseMatrix end = jacobian(q, entries_), mixed = here_.qp.transpose();
    solve(identity - dt * mixed, dt * here_.pp * start_transposed, end);
    q -= change_.head(n);
    impulse -= change_.tail(m);
    p = p_ - start_transposed * impulse;
    const auto verdict = progress.judge(change_.head(n).cwiseAbs().maxCoeff());
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail_to_converge(progress.n_iterations(), values_, entries_);
  }
  evaluate(q, p);
  q_ = q;
  p_ = p - dt * here_.q;
  multipliers_ += impulse;
  solve_momenta();
}

void HamiltonianEuler::solve_momenta()
{
  const Eigen::Index n = q_.size(), m = constraints_->size();
  const SparseMatrix here = jacobian(q_, entries_), transposed = here.transpose();
  SparseMatrix identity(n, n);
  identity.setIdentity();
  const Eigen::VectorXd start = p_;
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(m);
  residual_.resize(n + m);
  evaluate(q_, p_);
  NewtonProgress progress(here_.p.cwiseAbs().maxCoeff());
  while (true)
  {
    values_ = here * here_.p;
    residual_.head(n) = p_ - start + transposed * impulse;
    residual_.tail(m) = values_;
    solve(identity, transposed, here * here_.pp);
    p_ -= change_.head(n);
    impulse -= change_.tail(m);
    const auto verdict = progress.judge((here_.pp * change_.head(n)).cwiseAbs().maxCoeff());
    evaluate(q_, p_);
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail_to_converge(progress.n_iterations(), values_, entries_);
  }
  multipliers_ += impulse;
}

void HamiltonianEuler::step(const State &now, double dt, State &next)
{
  q_ = now.q;
  hamiltonian_->momentum(now.q, now.v, p_);
  largest_move_ = std::abs(dt) * now.v.cwiseAbs().maxCoeff();
  multipliers_.setZero();
  if (form_ == Rattle::Form::composed)
  {
    forward(dt / 2);
    backward(dt / 2);
  }
  else if (form_ == Rattle::Form::euler)
    forward(dt);
  else
    backward(dt);
  multipliers_ /= dt;
  next.q = q_;
  next.v = here_.p;
}
}  // namespace freefall

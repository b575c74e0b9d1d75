#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/gauss_dae.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/newton_progress.h>
#include <freefall/systems/dense_hessian.h>

#include <Eigen/LU>
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace freefall
{
GaussDae::GaussDae(const Settings &settings) : settings_(settings)
{
  if (settings.n_stages < 1 || settings.n_stages > 3 || settings.index < 2 || settings.index > 3)
    throw InputError(fmt::format("Gauss collocation of constrained systems has 1 to 3 stages on index 2 or 3, not {} on {}",
                                 settings.n_stages, settings.index));
  const GaussCollocation tableau(settings.n_stages);
  matrix_ = tableau.matrix();
  weights_ = tableau.weights();
}

std::string GaussDae::name() const
{
  return fmt::format("{}{}Gauss collocation with {} stage{} on index {}", settings_.is_reversible ? "reversible " : "",
                     settings_.is_projected ? "projected " : "", settings_.n_stages, settings_.n_stages == 1 ? "" : "s",
                     settings_.index);
}

void GaussDae::start(const System &system, const State &state)
{
  attach(system);
  const int rows = 2 * settings_.n_stages * (system.n_dofs() + constraints_->size());
  if (rows > max_dense_rows)
    throw InputError(fmt::format("{}: a dense matrix of {} rows would be factorised in every step; at most {} are allowed. Use "
                                 "RATTLE.",
                                 name(), rows, max_dense_rows));
  between_ = state;
}

void GaussDae::evaluate(Stage &stage, bool has_hamiltonian)
{
  const Eigen::Index n = stage.q.size();
  const int m = constraints_->size();
  const auto w = inverse_mass().asDiagonal();
  constraints_->value(stage.q, stage.g);
  constraints_->jacobian(stage.q, entries_);
  ++n_constraint_evaluations_;
  stage.jacobian.setZero(m, n);
  stage.curved.setZero(m, n);
  stage.q_by_q.setZero(n, n);
  stage.v_by_q.setZero(n, n);
  gradient_.setZero(n);
  if (has_hamiltonian)
  {
    evaluate_gradient(stage.q);
    dense_hessian(*system_, stage.q, hessian_);
    stage.v_by_q = -hessian_;
  }
  std::array<double, Constraint::max_dofs> x;
  std::array<double, Constraint::max_dofs * Constraint::max_dofs> second;
  for (int c = 0; c < m; ++c)
  {
    const auto dofs = (*constraints_)[c].dofs();
    const std::size_t k = dofs.size();
    for (std::size_t a = 0; a < k; ++a) x[a] = stage.q[dofs[a]];
    (*constraints_)[c].hessian(x.data(), second.data());
    for (std::size_t a = 0; a < k; ++a)
    {
      stage.jacobian(c, dofs[a]) = entries_[constraints_->offset(c) + a];
      for (std::size_t b = 0; b < k; ++b)
      {
        stage.curved(c, dofs[a]) += second[a * k + b] * stage.v[dofs[b]];
        stage.v_by_q(dofs[a], dofs[b]) -= stage.lambda1[c] * second[a * k + b];
        stage.q_by_q(dofs[a], dofs[b]) += stage.lambda2[c] * second[a * k + b];
      }
    }
  }
  // The third derivatives of g, times lambda_2, which is small, are left out of v_by_q: Newton's iteration then converges
  // linearly but fast, to the same solution.
  stage.psi = stage.jacobian * stage.v;
  stage.q_rate = w * (stage.jacobian.transpose() * stage.lambda2);
  if (has_hamiltonian) stage.q_rate += stage.v;
  stage.v_rate =
    w * (-gradient_ - stage.jacobian.transpose() * stage.lambda1 - stage.curved.transpose() * stage.lambda2);
  stage.v_by_v = -(w * stage.q_by_q);
  stage.q_by_q = w * stage.q_by_q;
  stage.v_by_q = w * stage.v_by_q;
}

void GaussDae::solve(
  const Eigen::VectorXd &q, const Eigen::VectorXd &v, const Eigen::MatrixXd &a, double dt, int index, bool has_hamiltonian)
{
  const Eigen::Index s = a.rows(), n = q.size(), m = constraints_->size(), size = 2 * n + (index == 2 ? 2 : 1) * m;
  stages_.resize(s);
  for (Stage &stage : stages_)
  {
    stage.q = q;
    stage.v = v;
    stage.lambda1.setZero(m);
    stage.lambda2.setZero(m);
  }
  Eigen::VectorXd residual(s * size);
  Eigen::MatrixXd jacobian(s * size, s * size);
  const auto w = inverse_mass().asDiagonal();
  NewtonProgress progress(q.cwiseAbs().maxCoeff() + std::abs(dt) * v.cwiseAbs().maxCoeff());
  const double velocity_scale = has_hamiltonian ? std::abs(dt) : 1;
  while (true)
  {
    for (Stage &stage : stages_) evaluate(stage, has_hamiltonian);
    jacobian.setZero();
    for (Eigen::Index i = 0; i < s; ++i)
    {
      const Eigen::Index row = i * size;
      residual.segment(row, n) = stages_[i].q - q;
      residual.segment(row + n, n) = stages_[i].v - v;
      residual.segment(row + 2 * n, m) = stages_[i].g;
      jacobian.block(row, row, 2 * n, 2 * n).setIdentity();
      jacobian.block(row + 2 * n, row, m, n) = stages_[i].jacobian;
      if (index == 2)
      {
        residual.segment(row + 2 * n + m, m) = stages_[i].psi;
        jacobian.block(row + 2 * n + m, row, m, n) = stages_[i].curved;
        jacobian.block(row + 2 * n + m, row + n, m, n) = stages_[i].jacobian;
      }
      for (Eigen::Index j = 0; j < s; ++j)
      {
        const Stage &stage = stages_[j];
        const Eigen::Index column = j * size;
        const double factor = dt * a(i, j);
        residual.segment(row, n) -= factor * stage.q_rate;
        residual.segment(row + n, n) -= factor * stage.v_rate;
        jacobian.block(row, column, n, n) -= factor * stage.q_by_q;
        if (has_hamiltonian) jacobian.block(row, column + n, n, n).diagonal().array() -= factor;
        jacobian.block(row + n, column, n, n) -= factor * stage.v_by_q;
        jacobian.block(row + n, column + n, n, n) -= factor * stage.v_by_v;
        jacobian.block(row + n, column + 2 * n, n, m) += factor * (w * stage.jacobian.transpose());
        if (index == 2)
        {
          jacobian.block(row, column + 2 * n + m, n, m) -= factor * (w * stage.jacobian.transpose());
          jacobian.block(row + n, column + 2 * n + m, n, m) += factor * (w * stage.curved.transpose());
        }
      }
    }
    const Eigen::VectorXd change = jacobian.partialPivLu().solve(residual);
    ++n_own_factorisations_;
    ++n_own_solves_;
    ++n_iterations_;
    double largest = 0;
    for (Eigen::Index i = 0; i < s; ++i)
    {
      Stage &stage = stages_[i];
      const Eigen::Index row = i * size;
      stage.q -= change.segment(row, n);
      stage.v -= change.segment(row + n, n);
      stage.lambda1 -= change.segment(row + 2 * n, m);
      if (index == 2) stage.lambda2 -= change.segment(row + 2 * n + m, m);
      largest = std::max({largest, change.segment(row, n).cwiseAbs().maxCoeff(),
                          velocity_scale * change.segment(row + n, n).cwiseAbs().maxCoeff()});
    }
    const auto verdict = progress.judge(largest);
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed) fail_to_converge(progress.n_iterations(), stages_[0].g, entries_);
  }
  for (Stage &stage : stages_) evaluate(stage, has_hamiltonian);
}

void GaussDae::plain_step(const Eigen::VectorXd &q, const Eigen::VectorXd &v, double dt, State &next)
{
  solve(q, v, matrix_, dt, settings_.index, true);
  next.q = q;
  next.v = v;
  multipliers_.setZero();
  for (int i = 0; i < settings_.n_stages; ++i)
  {
    next.q += dt * weights_[i] * stages_[i].q_rate;
    next.v += dt * weights_[i] * stages_[i].v_rate;
    multipliers_ += weights_[i] * stages_[i].lambda1;
  }
  if (!settings_.is_projected) return;
  // The same equations without H, by one implicit Euler step of length 1.
  solve(next.q, next.v, Eigen::MatrixXd::Ones(1, 1), 1, 2, false);
  next.q = stages_[0].q;
  next.v = stages_[0].v;
}

void GaussDae::step(const State &now, double dt, State &next)
{
  if (!settings_.is_reversible) return plain_step(now.q, now.v, dt, next);
  plain_step(now.q, now.v, dt / 2, between_);
  between_.v = -between_.v;
  plain_step(between_.q, between_.v, -dt / 2, next);
  next.v = -next.v;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/newton_progress.h>
#include <freefall/systems/dense_hessian.h>
#include <freefall/systems/name_of_largest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// The zeros of the Legendre polynomial of degree s, moved to [0, 1], by Newton's iteration.
LongVector gauss_nodes(int s)
{
  LongVector nodes(s);
  for (int i = 0; i < s; ++i)
  {
    long double x = -std::cos(std::acos(-1.0L) * (i + 0.75L) / (s + 0.5L));
    for (int iteration = 0; iteration < 20; ++iteration)
    {
      long double p = 1, next = x;
      for (int k = 1; k < s; ++k)
      {
        const long double after = ((2 * k + 1) * x * next - k * p) / (k + 1);
        p = next;
        next = after;
      }
      const long double slope = s * (x * next - p) / (x * x - 1);
      x -= next / slope;
    }
    nodes[i] = (1 + x) / 2;
  }
  return nodes;
}
}  // namespace

GaussCollocation::GaussCollocation(int n_stages) : n_stages_(n_stages)
{
  if (n_stages < 1 || n_stages > 4) throw InputError(fmt::format("Gauss collocation has 1 to 4 stages, not {}", n_stages));
  const LongVector c = gauss_nodes(n_stages);
  // a_ij and b_j integrate the polynomials 1, x, ..., x^(s-1) exactly, up to c_i and up to 1.
  LongMatrix powers(n_stages, n_stages), integrals(n_stages, n_stages + 1);
  for (int k = 0; k < n_stages; ++k)
  {
    for (int j = 0; j < n_stages; ++j)
    {
      powers(k, j) = std::pow(c[j], static_cast<long double>(k));
      integrals(k, j) = std::pow(c[j], static_cast<long double>(k + 1)) / (k + 1);
    }
    integrals(k, n_stages) = 1.0L / (k + 1);
  }
  const LongMatrix solution = powers.partialPivLu().solve(integrals).transpose();
  const LongMatrix a = solution.topRows(n_stages);
  const LongMatrix b = solution.bottomRows(1);
  nodes_ = c.cast<double>();
  matrix_ = a.cast<double>();
  weights_ = b.transpose().cast<double>();
  matrix_squared_ = (a * a).cast<double>();
  position_weights_ = (b * a).cast<double>();
}

std::string GaussCollocation::name() const
{
  return n_stages_ == 1 ? "implicit midpoint" : fmt::format("Gauss collocation with {} stages", n_stages_);
}

void GaussCollocation::start(const System &system, const State &state)
{
  if (n_stages_ * system.n_dofs() > max_dense_rows)
    throw InputError(
      fmt::format("{}: a dense matrix of {} rows would be factorised in every step; at most {} are allowed. This "
                  "method is for small systems.",
                  name(), n_stages_ * system.n_dofs(), max_dense_rows));
  system_ = &system;
  acceleration_.attach(system, name());
  mass_ = dense_mass(system);
  increments_.setZero(state.q.size(), n_stages_);
  accelerations_.setZero(state.q.size(), n_stages_);
}

void GaussCollocation::factorise(const Eigen::VectorXd &q, double dt)
{
  const Eigen::Index n = q.size();
  dense_hessian(*system_, q, hessian_);
  const Eigen::MatrixXd rate = mass_.partialPivLu().solve(hessian_);
  jacobian_.setIdentity(n * n_stages_, n * n_stages_);
  for (int i = 0; i < n_stages_; ++i)
    for (int j = 0; j < n_stages_; ++j) jacobian_.block(i * n, j * n, n, n) += dt * dt * matrix_squared_(i, j) * rate;
  factors_.compute(jacobian_);
}

void GaussCollocation::evaluate_stages(const State &now, double dt)
{
  for (int i = 0; i < n_stages_; ++i)
  {
    stage_ = now.q + nodes_[i] * dt * now.v + increments_.col(i);
    acceleration_(stage_, stage_acceleration_);
    accelerations_.col(i) = stage_acceleration_;
  }
}

void GaussCollocation::step(const State &now, double dt, State &next)
{
  stage_ = now.q + 0.5 * dt * now.v;
  factorise(stage_, dt);
  increments_.setZero();
  NewtonProgress progress(now.q.cwiseAbs().maxCoeff() + std::abs(dt) * now.v.cwiseAbs().maxCoeff());
  while (true)
  {
    evaluate_stages(now, dt);
    const Eigen::MatrixXd residual = dt * dt * accelerations_ * matrix_squared_.transpose() - increments_;
    residual_ = factors_.solve(Eigen::Map<const Eigen::VectorXd>(residual.data(), residual.size()));
    Eigen::Map<Eigen::VectorXd>(increments_.data(), increments_.size()) += residual_;
    const auto verdict = progress.judge(residual_.cwiseAbs().maxCoeff());
    ++counts_.n_iterations;
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed)
    {
      const Eigen::Map<const Eigen::MatrixXd> change(residual_.data(), now.q.size(), n_stages_);
      throw StepFailed(fmt::format("Newton's iteration did not converge in {} iterations, its last change is largest at {}; a "
                                   "shorter step may help",
                                   progress.n_iterations(), name_of_largest(*system_, change.cwiseAbs().rowwise().sum())));
    }
    if (verdict == NewtonProgress::Verdict::refresh_matrix)
    {
      ++counts_.n_refreshes;
      stage_ = now.q + 0.5 * dt * now.v + increments_.rowwise().mean();
      factorise(stage_, dt);
    }
  }
  evaluate_stages(now, dt);
  next.q = now.q + dt * now.v + dt * dt * (accelerations_ * position_weights_.transpose());
  next.v = now.v + dt * (accelerations_ * weights_);
  n_force_evaluations_ = acceleration_.n_evaluations();
}
}  // namespace freefall

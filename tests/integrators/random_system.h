#pragma once

#include <freefall/systems/system.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace freefall::test
{
/// Terms V_e(x) = A cos(k.x + phase) + 1/2 s (m.x)^2 with random numbers, over random dofs: smooth, coupled, not convex.
/// x is counted from `origin` in every component.
class RandomTerms : public LocalTerms
{
public:
  RandomTerms(int n_terms, int dofs_per_term, int n_dofs, std::mt19937_64 &generator, double origin = 0)
    : n_(dofs_per_term), origin_(origin)
  {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<int> all(n_dofs);
    std::iota(all.begin(), all.end(), 0);
    for (int term = 0; term < n_terms; ++term)
    {
      std::shuffle(all.begin(), all.end(), generator);
      dofs_.insert(dofs_.end(), all.begin(), all.begin() + n_);
      Term t;
      t.amplitude = 1 + uniform(generator);
      t.stiffness = 1 + uniform(generator);
      t.phase = 3 * uniform(generator);
      for (int a = 0; a < n_; ++a)
      {
        t.k.push_back(2 * uniform(generator));
        t.m.push_back(uniform(generator));
      }
      terms_.push_back(t);
    }
  }

  std::string kind() const override { return "random term"; }
  int n_terms() const override { return static_cast<int>(terms_.size()); }
  int dofs_per_term() const override { return n_; }
  Span<const int> dofs(int term) const override { return {dofs_.data() + term * n_, static_cast<std::size_t>(n_)}; }

  double value(int term, const double *x) const override
  {
    const Term &t = terms_[term];
    return t.amplitude * std::cos(phase(t, x)) + 0.5 * t.stiffness * strain(t, x) * strain(t, x);
  }
  void gradient(int term, const double *x, double *gradient) const override
  {
    const Term &t = terms_[term];
    for (int a = 0; a < n_; ++a)
      gradient[a] = -t.amplitude * std::sin(phase(t, x)) * t.k[a] + t.stiffness * strain(t, x) * t.m[a];
  }
  void hessian(int term, const double *x, double *hessian) const override
  {
    const Term &t = terms_[term];
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b)
        hessian[a * n_ + b] = -t.amplitude * std::cos(phase(t, x)) * t.k[a] * t.k[b] + t.stiffness * t.m[a] * t.m[b];
  }
  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override
  {
    const Term &t = terms_[term];
    double along = 0;
    for (int a = 0; a < n_; ++a) along += t.k[a] * direction[a];
    for (int a = 0; a < n_; ++a) contraction[a] = t.amplitude * std::sin(phase(t, x)) * t.k[a] * along * along;
  }
  double difference(int term, const double *x, int a, double s) const override
  {
    const Term &t = terms_[term];
    const double half = 0.5 * t.k[a] * s, stretch = t.m[a] * s;
    return -2 * t.amplitude * std::sin(phase(t, x) + half) * std::sin(half) +
           t.stiffness * stretch * (strain(t, x) + 0.5 * stretch);
  }
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override
  {
    const Term &t = terms_[term];
    const double half_a = 0.5 * t.k[a] * s, half_b = 0.5 * t.k[b] * r;
    return -4 * t.amplitude * std::sin(half_a) * std::sin(half_b) * std::cos(phase(t, x) + half_a + half_b) +
           t.stiffness * t.m[a] * s * t.m[b] * r;
  }

private:
  struct Term
  {
    double amplitude, stiffness, phase;
    std::vector<double> k, m;
  };
  double phase(const Term &t, const double *x) const { return t.phase + dot(t.k, x); }
  double strain(const Term &t, const double *x) const { return dot(t.m, x); }
  double dot(const std::vector<double> &factors, const double *x) const
  {
    double sum = 0;
    for (int a = 0; a < n_; ++a) sum += factors[a] * (x[a] - origin_);
    return sum;
  }

  int n_;
  double origin_;
  std::vector<int> dofs_;
  std::vector<Term> terms_;
};

/// A random system: terms of one to five dofs, random masses, a random start of size one.
class RandomSystem : public System
{
public:
  RandomSystem(int n_dofs, std::uint64_t seed, std::vector<int> fixed_dofs = {}, bool full_mass = false, double origin = 0)
  {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int n = 1; n <= std::min(5, n_dofs); ++n)
      terms_.push_back(std::make_unique<RandomTerms>(std::max(1, n_dofs / 2), n, n_dofs, generator, origin));
    diagonal_mass_.resize(n_dofs);
    initial_state_.q.resize(n_dofs);
    initial_state_.v.resize(n_dofs);
    for (int dof = 0; dof < n_dofs; ++dof)
    {
      diagonal_mass_[dof] = 1.5 + uniform(generator);
      // On multiples of 2^-30, so that adding a large origin is exact.
      initial_state_.q[dof] = origin + std::round(uniform(generator) * 0x1p30) * 0x1p-30;
      initial_state_.v[dof] = uniform(generator);
    }
    fixed_dofs_ = std::move(fixed_dofs);
    for (const int dof : fixed_dofs_) initial_state_.v[dof] = 0;
    if (!full_mass) return;
    const Eigen::MatrixXd random =
      Eigen::MatrixXd::NullaryExpr(n_dofs, n_dofs, [&](Eigen::Index, Eigen::Index) { return uniform(generator); });
    mass_ = random * random.transpose() / n_dofs;
    mass_.diagonal() += diagonal_mass_;
    diagonal_mass_ = mass_.diagonal();
  }

  bool mass_is_diagonal() const override { return mass_.size() == 0; }
  Eigen::VectorXd apply_mass(const Eigen::VectorXd &v) const override
  {
    return mass_is_diagonal() ? System::apply_mass(v) : Eigen::VectorXd(mass_ * v);
  }

private:
  Eigen::MatrixXd mass_;
};
}  // namespace freefall::test

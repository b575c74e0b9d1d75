#pragma once

#include <freefall/core/errors.h>
#include <freefall/potentials/local_terms.h>
#include <freefall/systems/system.h>

#include <cmath>

/// Systems of a few dofs with known motions.
namespace small_systems
{
using namespace freefall;

/// Base of terms that these tests differentiate only once or twice.
class SimpleTerm : public LocalTerms
{
public:
  explicit SimpleTerm(int n_dofs)
  {
    for (int dof = 0; dof < n_dofs; ++dof) dofs_.push_back(dof);
  }
  int n_terms() const override { return 1; }
  int dofs_per_term() const override { return static_cast<int>(dofs_.size()); }
  Span<const int> dofs(int) const override { return dofs_; }
  void third_derivative(int, const double *, const double *, double *) const override
  {
    throw std::logic_error("not needed by these tests");
  }
  double difference(int, const double *, int, double) const override { throw std::logic_error("not needed by these tests"); }
  double mixed_difference(int, const double *, int, double, int, double) const override
  {
    throw std::logic_error("not needed by these tests");
  }

private:
  std::vector<int> dofs_;
};

/// V = k/2 x^2, forbidden beyond |x| = limit.
class SpringTerm : public SimpleTerm
{
public:
  SpringTerm(double stiffness, double limit) : SimpleTerm(1), stiffness_(stiffness), limit_(limit) {}
  std::string kind() const override { return "spring"; }
  double value(int, const double *x) const override { return stiffness_ / 2 * x[0] * x[0]; }
  void gradient(int, const double *x, double *gradient) const override
  {
    if (std::abs(x[0]) > limit_) throw DomainError("the spring broke");
    gradient[0] = stiffness_ * x[0];
  }
  void hessian(int, const double *, double *hessian) const override { hessian[0] = stiffness_; }

private:
  double stiffness_, limit_;
};

/// Two bodies of mass 1 in the plane, bound by gravity, V = -1/r; dofs x1, y1, x2, y2.
class TwoBodyTerm : public SimpleTerm
{
public:
  TwoBodyTerm() : SimpleTerm(4) {}
  std::string kind() const override { return "pair"; }
  double value(int, const double *x) const override { return -1 / std::hypot(x[2] - x[0], x[3] - x[1]); }
  void gradient(int, const double *x, double *g) const override
  {
    const double dx = x[2] - x[0], dy = x[3] - x[1], r = std::hypot(dx, dy);
    g[2] = dx / (r * r * r), g[3] = dy / (r * r * r);
    g[0] = -g[2], g[1] = -g[3];
  }
  void hessian(int, const double *, double *) const override { throw std::logic_error("not needed by these tests"); }
};

class Spring : public System
{
public:
  /// Mass 1, so that omega = sqrt(k); starts at x = 1 at rest.
  explicit Spring(double stiffness, double limit = 1e300)
  {
    terms_.push_back(std::make_unique<SpringTerm>(stiffness, limit));
    diagonal_mass_ = Eigen::VectorXd::Ones(1);
    initial_state_.q = Eigen::VectorXd::Ones(1);
    initial_state_.v = Eigen::VectorXd::Zero(1);
  }
};

class TwoBodies : public System
{
public:
  /// An ellipse with a drifting centre.
  TwoBodies()
  {
    terms_.push_back(std::make_unique<TwoBodyTerm>());
    diagonal_mass_ = Eigen::VectorXd::Ones(4);
    initial_state_.q = Eigen::Vector4d(-0.5, 0, 0.5, 0);
    initial_state_.v = Eigen::Vector4d(0.1, -0.5, 0.1, 0.6);
  }
  CriticalStep critical_step(const Eigen::VectorXd &) const override { return {1, "a guess for tests"}; }
  NamedValues observe(const State &state) const override
  {
    const auto &q = state.q, &v = state.v;
    return {{"linear_momentum_x", v[0] + v[2]},
            {"linear_momentum_y", v[1] + v[3]},
            {"angular_momentum_z", q[0] * v[1] - q[1] * v[0] + q[2] * v[3] - q[3] * v[2]}};
  }
};
}  // namespace small_systems

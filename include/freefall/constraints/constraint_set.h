#pragma once

#include <freefall/constraints/constraint.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace freefall
{
/// All constraints g(q) = 0 of a system, with products of their derivatives.
///
/// G = dg/dq is kept as the gradients of the constraints, one after another: constraint c owns the entries
/// offset(c) ... offset(c + 1) - 1. All vectors are of the right size or are resized; results are overwritten unless the name
/// says add.
class ConstraintSet
{
public:
  void add(std::unique_ptr<Constraint> constraint);

  int size() const { return static_cast<int>(constraints_.size()); }
  const Constraint &operator[](int c) const { return *constraints_[c]; }
  int offset(int c) const { return offsets_[c]; }

  /// g(q).
  void value(const Eigen::VectorXd &q, Eigen::VectorXd &g) const;
  /// The entries of G(q).
  void jacobian(const Eigen::VectorXd &q, Eigen::VectorXd &entries) const;
  /// The entries of Dg(q0, q1), the discrete derivative (G99 15-17).
  void discrete_jacobian(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1, Eigen::VectorXd &entries) const;
  /// G v.
  void apply(const Eigen::VectorXd &entries, const Eigen::VectorXd &v, Eigen::VectorXd &product) const;
  /// result += factor G^T lambda.
  void add_transpose(const Eigen::VectorXd &entries, const Eigen::VectorXd &lambda, double factor, Eigen::VectorXd &result) const;
  /// g_c''(q)[v, w] for each c.
  void second_derivative(const Eigen::VectorXd &q,
                         const Eigen::VectorXd &v,
                         const Eigen::VectorXd &w,
                         Eigen::VectorXd &contraction) const;
  /// result += factor sum_c lambda_c g_c''(q) v.
  void add_hessian_product(const Eigen::VectorXd &q,
                           const Eigen::VectorXd &lambda,
                           const Eigen::VectorXd &v,
                           double factor,
                           Eigen::VectorXd &result) const;
  /// result += factor sum_c lambda_c g_c'''(q)[v, v].
  void add_third_derivative(const Eigen::VectorXd &q,
                            const Eigen::VectorXd &lambda,
                            const Eigen::VectorXd &v,
                            double factor,
                            Eigen::VectorXd &result) const;
  /// The constraint with the largest |value| of a vector with one entry each.
  const Constraint &largest(const Eigen::VectorXd &values) const;

private:
  std::vector<std::unique_ptr<Constraint>> constraints_;
  std::vector<int> offsets_{0};
};
}  // namespace freefall

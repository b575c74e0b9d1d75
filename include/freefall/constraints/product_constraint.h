#pragma once

#include <freefall/constraints/constraint.h>

namespace freefall
{
/// Two vectors of dofs that stay orthogonal: g = x.y, such as two columns of a rotation matrix.
///
/// Its discrete gradient is the gradient at the midpoint, since g is a quadratic form.
class ProductConstraint final : public Constraint
{
public:
  /// `dofs`: those of x, then those of y, three each.
  ProductConstraint(std::string name, std::vector<int> dofs);

  double value(const double *x) const override;
  void gradient(const double *x, double *gradient) const override;
  void hessian(const double *x, double *hessian) const override;
  void third_derivative(const double *x, const double *direction, double *contraction) const override;
  double difference(const double *x, int a, double s) const override;
  double mixed_difference(const double *x, int a, double s, int b, double r) const override;
  void discrete_gradient(const double *x0, const double *x1, double *gradient) const override;
};
}  // namespace freefall

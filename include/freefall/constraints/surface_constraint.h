#pragma once

#include <freefall/constraints/constraint.h>
#include <freefall/core/expression.h>

namespace freefall
{
/// A point on the surface (or curve) f(x, y, z) = 0 given by a smooth formula; derivatives are exact (nested duals).
///
/// The discrete gradient comes from discrete duals (see there): it has the symmetries that the formula shows, such as that of a
/// surface of revolution written with x^2 + y^2, and for quadratic surfaces it is the gradient at the midpoint.
///
/// Throws: DomainError where the formula or its gradient has no finite value
class SurfaceConstraint final : public Constraint
{
public:
  /// One to three dofs, the variables of the formula in order.
  SurfaceConstraint(std::string name, Expression formula, std::vector<int> dofs);

  double value(const double *x) const override;
  void gradient(const double *x, double *gradient) const override;
  void hessian(const double *x, double *hessian) const override;
  void third_derivative(const double *x, const double *direction, double *contraction) const override;
  double difference(const double *x, int a, double s) const override;
  double mixed_difference(const double *x, int a, double s, int b, double r) const override;
  void discrete_gradient(const double *x0, const double *x1, double *gradient) const override;

private:
  Expression formula_;
};
}  // namespace freefall

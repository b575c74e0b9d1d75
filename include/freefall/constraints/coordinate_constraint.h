#pragma once

#include <freefall/constraints/constraint.h>

namespace freefall
{
/// One coordinate held at a value: g = x - c.
class CoordinateConstraint final : public Constraint
{
public:
  CoordinateConstraint(std::string name, int dof, double value) : Constraint(std::move(name), {dof}), held_(value) {}

  double value(const double *x) const override { return x[0] - held_; }
  void gradient(const double *, double *gradient) const override { gradient[0] = 1; }
  void hessian(const double *, double *hessian) const override { hessian[0] = 0; }
  void third_derivative(const double *, const double *, double *contraction) const override { contraction[0] = 0; }
  double difference(const double *, int, double s) const override { return s; }
  double mixed_difference(const double *, int, double, int, double) const override { return 0; }
  void discrete_gradient(const double *, const double *, double *gradient) const override { gradient[0] = 1; }

private:
  double held_;
};
}  // namespace freefall

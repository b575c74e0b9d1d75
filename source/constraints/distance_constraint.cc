#include <freefall/constraints/distance_constraint.h>
#include <freefall/core/errors.h>
#include <freefall/core/increment.h>

#include <fmt/format.h>
#include <cmath>

namespace freefall
{
DistanceConstraint::DistanceConstraint(
  std::string name, std::vector<int> dofs, int dim, const Vector &centre, double length, Form form)
  : Constraint(std::move(name), std::move(dofs)), dim_(dim), centre_(centre), length_(length), form_(form)
{
  if (!(length > 0) || !std::isfinite(length))
    throw InputError(fmt::format("{}: the length is {}: it must be positive; to join two points, make them one",
                                 this->name(), length));
}

DistanceConstraint DistanceConstraint::between(std::string name, std::vector<int> dofs, double length, Form form)
{
  const int dim = static_cast<int>(dofs.size()) / 2;
  return {std::move(name), std::move(dofs), dim, {}, length, form};
}

DistanceConstraint DistanceConstraint::from_point(
  std::string name, std::vector<int> dofs, const std::vector<double> &centre, double length, Form form)
{
  Vector point{};
  for (std::size_t axis = 0; axis < dofs.size(); ++axis) point[axis] = centre[axis];
  const int dim = static_cast<int>(dofs.size());
  return {std::move(name), std::move(dofs), dim, point, length, form};
}

DistanceConstraint::Vector DistanceConstraint::separation(const double *x, bool is_direction) const
{
  Vector d{};
  for (int axis = 0; axis < dim_; ++axis)
    d[axis] = has_two_points() ? x[dim_ + axis] - x[axis] : x[axis] - (is_direction ? 0 : centre_[axis]);
  return d;
}

double DistanceConstraint::squared(const Vector &d) const { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

double DistanceConstraint::root(double u) const
{
  if (!(u > 0)) throw DomainError(fmt::format("{}: its two ends coincide", name()));
  return std::sqrt(u);
}

void DistanceConstraint::spread(const Vector &d, double factor, double *result) const
{
  for (int axis = 0; axis < dim_; ++axis)
  {
    const double value = factor * d[axis];
    if (has_two_points())
    {
      result[axis] = -value;
      result[dim_ + axis] = value;
    }
    else
      result[axis] = value;
  }
}

double DistanceConstraint::factor_of_square() const { return form_ == Form::square ? 1 : 0.5; }

double DistanceConstraint::value(const double *x) const
{
  const double u = squared(separation(x, false));
  if (form_ == Form::length) return root(u) - length_;
  // u - L^2 as a product: no cancellation beyond that of sqrt(u) - L.
  const double r = std::sqrt(u);
  return factor_of_square() * (r - length_) * (r + length_);
}

void DistanceConstraint::gradient(const double *x, double *gradient) const
{
  const Vector d = separation(x, false);
  spread(d, form_ == Form::length ? 1 / root(squared(d)) : 2 * factor_of_square(), gradient);
}

void DistanceConstraint::hessian(const double *x, double *hessian) const
{
  const Vector d = separation(x, false);
  const int n = n_dofs();
  // With g = f(u): 2 f' I + 4 f'' d d^T, in the signs of the points.
  double slope = factor_of_square(), curvature = 0;
  if (form_ == Form::length)
  {
    const double r = root(squared(d));
    slope = 0.5 / r;
    curvature = -0.25 / (r * r * r);
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
    {
      const double sign = a / dim_ == b / dim_ ? 1 : -1;
      const double same = a % dim_ == b % dim_ ? 2 * slope : 0;
      hessian[a * n + b] = sign * (same + 4 * curvature * d[a % dim_] * d[b % dim_]);
    }
}

void DistanceConstraint::third_derivative(const double *x, const double *direction, double *contraction) const
{
  const Vector d = separation(x, false), w = separation(direction, true);
  if (form_ != Form::length) return spread({}, 0, contraction);
  const double r = root(squared(d)), second = -0.25 / (r * r * r), third = 0.375 / (r * r * r * r * r);
  const double dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
  Vector sum;
  for (int axis = 0; axis < 3; ++axis)
    sum[axis] = (8 * third * dw * dw + 4 * second * squared(w)) * d[axis] + 8 * second * dw * w[axis];
  spread(sum, 1, contraction);
}

template <typename T>
T DistanceConstraint::evaluate(const T *x) const
{
  using std::sqrt;
  T u(0.);
  for (int axis = 0; axis < dim_; ++axis)
  {
    const T d = has_two_points() ? x[dim_ + axis] - x[axis] : x[axis] - centre_[axis];
    u = u + d * d;
  }
  return form_ == Form::length ? T(sqrt(u)) : T(factor_of_square() * u);
}

double DistanceConstraint::difference(const double *x, int a, double s) const
{
  std::array<Increment<double>, max_dofs> y;
  for (int c = 0; c < n_dofs(); ++c) y[c] = Increment<double>(x[c], c == a ? s : 0.);
  return evaluate(y.data()).d;
}

double DistanceConstraint::mixed_difference(const double *x, int a, double s, int b, double r) const
{
  std::array<Increment<Increment<double>>, max_dofs> y;
  for (int c = 0; c < n_dofs(); ++c) y[c] = Increment<Increment<double>>({x[c], c == a ? s : 0.}, {c == b ? r : 0., 0.});
  return evaluate(y.data()).d.d;
}

void DistanceConstraint::discrete_gradient(const double *x0, const double *x1, double *gradient) const
{
  const Vector d0 = separation(x0, false), d1 = separation(x1, false);
  const double quotient = form_ == Form::length ? 1 / (root(squared(d0)) + root(squared(d1))) : factor_of_square();
  spread({d0[0] + d1[0], d0[1] + d1[1], d0[2] + d1[2]}, quotient, gradient);
}
}  // namespace freefall

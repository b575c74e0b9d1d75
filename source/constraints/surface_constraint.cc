#include <freefall/constraints/surface_constraint.h>
#include <freefall/core/discrete_dual.h>
#include <freefall/core/dual.h>
#include <freefall/core/errors.h>
#include <freefall/core/increment.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>
#include <stdexcept>

namespace freefall
{
SurfaceConstraint::SurfaceConstraint(std::string name, Expression formula, std::vector<int> dofs)
  : Constraint(std::move(name), std::move(dofs)), formula_(std::move(formula))
{
  if (n_dofs() < 1 || n_dofs() > 3) throw std::logic_error("a surface has one to three variables");
}

double SurfaceConstraint::value(const double *x) const
{
  const double value = formula_(x);
  if (!std::isfinite(value))
    throw DomainError(
      fmt::format("{}: the formula '{}' has no finite value at ({})", name(), formula_.formula(), fmt::join(x, x + n_dofs(), ", ")));
  return value;
}

void SurfaceConstraint::gradient(const double *x, double *gradient) const
{
  std::array<Dual<double, 3>, 3> y{};
  for (int a = 0; a < n_dofs(); ++a)
  {
    y[a] = x[a];
    y[a].d[a] = 1;
  }
  const auto f = formula_(y.data());
  double sum = f.x;
  for (int a = 0; a < n_dofs(); ++a) sum += gradient[a] = f.d[a];
  if (!std::isfinite(sum))
    throw DomainError(fmt::format("{}: the formula '{}' or its derivative is not finite at ({})", name(), formula_.formula(),
                                  fmt::join(x, x + n_dofs(), ", ")));
}

void SurfaceConstraint::hessian(const double *x, double *hessian) const
{
  std::array<Dual<Dual<double, 3>, 3>, 3> y{};
  const int n = n_dofs();
  for (int a = 0; a < n; ++a)
  {
    y[a] = x[a];
    y[a].x.d[a] = 1;
    y[a].d[a].x = 1;
  }
  const auto f = formula_(y.data());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) hessian[a * n + b] = f.d[a].d[b];
}

void SurfaceConstraint::third_derivative(const double *x, const double *direction, double *contraction) const
{
  std::array<Dual<Dual<Dual<double, 1>, 1>, 3>, 3> y{};
  for (int a = 0; a < n_dofs(); ++a)
  {
    y[a] = x[a];
    y[a].x.x.d[0] = direction[a];
    y[a].x.d[0].x = direction[a];
    y[a].d[a].x.x = 1;
  }
  const auto f = formula_(y.data());
  for (int a = 0; a < n_dofs(); ++a) contraction[a] = f.d[a].d[0].d[0];
}

double SurfaceConstraint::difference(const double *x, int a, double s) const
{
  std::array<Increment<double>, 3> y{};
  for (int c = 0; c < n_dofs(); ++c) y[c] = Increment<double>(x[c], c == a ? s : 0.);
  return formula_(y.data()).d;
}

double SurfaceConstraint::mixed_difference(const double *x, int a, double s, int b, double r) const
{
  std::array<Increment<Increment<double>>, 3> y{};
  for (int c = 0; c < n_dofs(); ++c) y[c] = Increment<Increment<double>>({x[c], c == a ? s : 0.}, {c == b ? r : 0., 0.});
  return formula_(y.data()).d.d;
}

void SurfaceConstraint::discrete_gradient(const double *x0, const double *x1, double *gradient) const
{
  std::array<DiscreteDual<3>, 3> y{};
  for (int a = 0; a < n_dofs(); ++a)
  {
    y[a].x = Increment<double>(x0[a], x1[a] - x0[a]);
    y[a].d[a] = 1;
  }
  const auto f = formula_(y.data());
  double sum = 0;
  for (int a = 0; a < n_dofs(); ++a) sum += gradient[a] = f.d[a];
  if (!std::isfinite(sum))
    throw DomainError(fmt::format("{}: the formula '{}' or its derivative is not finite between ({}) and ({})", name(),
                                  formula_.formula(), fmt::join(x0, x0 + n_dofs(), ", "), fmt::join(x1, x1 + n_dofs(), ", ")));
}
}  // namespace freefall

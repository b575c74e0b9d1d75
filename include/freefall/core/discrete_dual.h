#pragma once

#include <freefall/core/dual.h>
#include <freefall/core/increment.h>

#include <array>
#include <cmath>

namespace freefall
{
/// A function of n numbers that go from x0 to x1, with a discrete derivative D: D . (x1 - x0) = f(x1) - f(x0), D(x, x) = grad f(x),
/// D(x0, x1) = D(x1, x0) (G99 15, 16).
///
/// The rules of differentiation hold with means in place of values and quotients in place of slopes:
///   D(f g) = Df mean(g) + mean(f) Dg,    D phi(f) = (phi(f1) - phi(f0)) / (f1 - f0) Df
/// where differences come from increments, which know them relative to their own size: a quotient of small ones is as good as any.
/// So D sees every symmetry that the parts of a formula have: of phi(x^2 + y^2) it is along the mean of (x, y), and of every
/// quadratic part it is the derivative at the midpoint (17).
template <int n>
struct DiscreteDual
{
  DiscreteDual() = default;
  DiscreteDual(double constant) : x(constant) { d.fill(0); }
  double mean() const { return x.x + 0.5 * x.d; }

  Increment<double> x;
  std::array<double, n> d;
};

template <int n>
double value_of(const DiscreteDual<n> &u)
{
  return u.x.x;
}

/// a u.d + b w.d, of the value x.
template <int n>
DiscreteDual<n> combine(const Increment<double> &x, double a, const DiscreteDual<n> &u, double b, const DiscreteDual<n> &w)
{
  DiscreteDual<n> result;
  result.x = x;
  for (int i = 0; i < n; ++i) result.d[i] = a * u.d[i] + b * w.d[i];
  return result;
}
/// phi(u), with phi a function of doubles, increments and duals.
template <int n, typename Function>
DiscreteDual<n> chain(const DiscreteDual<n> &u, const Function &phi)
{
  const Increment<double> value = phi(u.x);
  double slope;
  if (u.x.d != 0)
    slope = value.d / u.x.d;
  else
  {
    Dual<double, 1> here(u.x.x);
    here.d[0] = 1;
    slope = phi(here).d[0];
  }
  return combine(value, slope, u, 0, u);
}

template <int n>
DiscreteDual<n> operator-(const DiscreteDual<n> &u)
{
  return combine(-u.x, -1, u, 0, u);
}
template <int n>
DiscreteDual<n> operator+(const DiscreteDual<n> &u, const DiscreteDual<n> &w)
{
  return combine(u.x + w.x, 1, u, 1, w);
}
template <int n>
DiscreteDual<n> operator-(const DiscreteDual<n> &u, const DiscreteDual<n> &w)
{
  return combine(u.x - w.x, 1, u, -1, w);
}
template <int n>
DiscreteDual<n> operator*(const DiscreteDual<n> &u, const DiscreteDual<n> &w)
{
  return combine(u.x * w.x, w.mean(), u, u.mean(), w);
}
/// From f = (f / g) g.
template <int n>
DiscreteDual<n> operator/(const DiscreteDual<n> &u, const DiscreteDual<n> &w)
{
  const Increment<double> quotient = u.x / w.x;
  return combine(quotient, 1 / w.mean(), u, -(quotient.x + 0.5 * quotient.d) / w.mean(), w);
}
template <int n>
DiscreteDual<n> operator+(const DiscreteDual<n> &u, double c)
{
  return combine(u.x + c, 1, u, 0, u);
}
template <int n>
DiscreteDual<n> operator+(double c, const DiscreteDual<n> &u)
{
  return u + c;
}
template <int n>
DiscreteDual<n> operator-(const DiscreteDual<n> &u, double c)
{
  return u + (-c);
}
template <int n>
DiscreteDual<n> operator-(double c, const DiscreteDual<n> &u)
{
  return -u + c;
}
template <int n>
DiscreteDual<n> operator*(double c, const DiscreteDual<n> &u)
{
  return combine(c * u.x, c, u, 0, u);
}
template <int n>
DiscreteDual<n> operator*(const DiscreteDual<n> &u, double c)
{
  return c * u;
}
template <int n>
DiscreteDual<n> operator/(const DiscreteDual<n> &u, double c)
{
  return (1 / c) * u;
}
template <int n>
DiscreteDual<n> operator/(double c, const DiscreteDual<n> &u)
{
  return DiscreteDual<n>(c) / u;
}

template <int n>
DiscreteDual<n> sqrt(const DiscreteDual<n> &u)
{
  return chain(u, [](const auto &y) { return sqrt(y); });
}
template <int n>
DiscreteDual<n> exp(const DiscreteDual<n> &u)
{
  return chain(u, [](const auto &y) { return exp(y); });
}
template <int n>
DiscreteDual<n> log(const DiscreteDual<n> &u)
{
  return chain(u, [](const auto &y) { return log(y); });
}
template <int n>
DiscreteDual<n> sin(const DiscreteDual<n> &u)
{
  return chain(u, [](const auto &y) { return sin(y); });
}
template <int n>
DiscreteDual<n> cos(const DiscreteDual<n> &u)
{
  return chain(u, [](const auto &y) { return cos(y); });
}
template <int n>
DiscreteDual<n> pow(const DiscreteDual<n> &u, double p)
{
  return chain(u, [p](const auto &y) { return pow(y, p); });
}
/// The angle turns by atan2(c, a.b) with c = mean(x) dy - mean(y) dx, the cross product of (x0, y0) and (x1, y1).
template <int n>
DiscreteDual<n> atan2(const DiscreteDual<n> &y, const DiscreteDual<n> &x)
{
  const double cross = x.mean() * y.x.d - y.mean() * x.x.d, dot = x.x.x * x.x.end() + y.x.x * y.x.end();
  const Increment<double> angle(std::atan2(y.x.x, x.x.x), std::atan2(cross, dot));
  const double quotient = cross != 0 ? angle.d / cross : 1 / dot;
  return combine(angle, quotient * x.mean(), y, -quotient * y.mean(), x);
}
}  // namespace freefall

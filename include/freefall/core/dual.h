#pragma once

#include <freefall/core/increment.h>

#include <array>
#include <cmath>

namespace freefall
{
/// A value with its exact derivatives along n directions: forward differentiation.
///
/// Nested duals give higher derivatives: Dual<Dual<double, n>, n> the Hessian, Dual<Dual<Dual<double, 1>, 1>, n> seeded with
/// the same direction in the two inner levels the contraction of the third derivative with that direction twice.
template <typename T, int n>
struct Dual
{
  Dual() = default;
  Dual(double constant) : x(constant) { d.fill(T(0.)); }
  explicit Dual(const T &value, int) : x(value) {}

  T x;
  std::array<T, n> d;
};

template <typename T, int n>
double value_of(const Dual<T, n> &u)
{
  return value_of(u.x);
}

/// A function of one dual from its value and slope.
template <typename T, int n>
Dual<T, n> chain(const Dual<T, n> &u, const T &value, const T &slope)
{
  Dual<T, n> result(value, 0);
  for (int i = 0; i < n; ++i) result.d[i] = slope * u.d[i];
  return result;
}

template <typename T, int n>
Dual<T, n> operator-(const Dual<T, n> &u)
{
  Dual<T, n> result(-u.x, 0);
  for (int i = 0; i < n; ++i) result.d[i] = -u.d[i];
  return result;
}
template <typename T, int n>
Dual<T, n> operator+(const Dual<T, n> &u, const Dual<T, n> &w)
{
  Dual<T, n> result(u.x + w.x, 0);
  for (int i = 0; i < n; ++i) result.d[i] = u.d[i] + w.d[i];
  return result;
}
template <typename T, int n>
Dual<T, n> operator-(const Dual<T, n> &u, const Dual<T, n> &w)
{
  Dual<T, n> result(u.x - w.x, 0);
  for (int i = 0; i < n; ++i) result.d[i] = u.d[i] - w.d[i];
  return result;
}
template <typename T, int n>
Dual<T, n> operator*(const Dual<T, n> &u, const Dual<T, n> &w)
{
  Dual<T, n> result(u.x * w.x, 0);
  for (int i = 0; i < n; ++i) result.d[i] = u.d[i] * w.x + u.x * w.d[i];
  return result;
}
template <typename T, int n>
Dual<T, n> operator/(const Dual<T, n> &u, const Dual<T, n> &w)
{
  const T inverse = 1. / w.x;
  Dual<T, n> result(u.x * inverse, 0);
  for (int i = 0; i < n; ++i) result.d[i] = (u.d[i] - result.x * w.d[i]) * inverse;
  return result;
}

template <typename T, int n>
Dual<T, n> operator+(const Dual<T, n> &u, double c)
{
  return chain(u, T(u.x + c), T(1.));
}
template <typename T, int n>
Dual<T, n> operator+(double c, const Dual<T, n> &u)
{
  return u + c;
}
template <typename T, int n>
Dual<T, n> operator-(const Dual<T, n> &u, double c)
{
  return u + (-c);
}
template <typename T, int n>
Dual<T, n> operator-(double c, const Dual<T, n> &u)
{
  return -u + c;
}
template <typename T, int n>
Dual<T, n> operator*(double c, const Dual<T, n> &u)
{
  return chain(u, T(c * u.x), T(c));
}
template <typename T, int n>
Dual<T, n> operator*(const Dual<T, n> &u, double c)
{
  return c * u;
}
template <typename T, int n>
Dual<T, n> operator/(const Dual<T, n> &u, double c)
{
  return (1 / c) * u;
}
template <typename T, int n>
Dual<T, n> operator/(double c, const Dual<T, n> &u)
{
  const T quotient = c / u.x;
  return chain(u, quotient, T(-(quotient / u.x)));
}

template <typename T, int n>
Dual<T, n> sqrt(const Dual<T, n> &u)
{
  using std::sqrt;
  const T root = sqrt(u.x);
  return chain(u, root, T(0.5 / root));
}
template <typename T, int n>
Dual<T, n> exp(const Dual<T, n> &u)
{
  using std::exp;
  const T e = exp(u.x);
  return chain(u, e, e);
}
template <typename T, int n>
Dual<T, n> expm1(const Dual<T, n> &u)
{
  using std::exp;
  using std::expm1;
  return chain(u, T(expm1(u.x)), T(exp(u.x)));
}
template <typename T, int n>
Dual<T, n> log(const Dual<T, n> &u)
{
  using std::log;
  return chain(u, T(log(u.x)), T(1. / u.x));
}
template <typename T, int n>
Dual<T, n> sin(const Dual<T, n> &u)
{
  using std::cos;
  using std::sin;
  return chain(u, T(sin(u.x)), T(cos(u.x)));
}
template <typename T, int n>
Dual<T, n> cos(const Dual<T, n> &u)
{
  using std::cos;
  using std::sin;
  return chain(u, T(cos(u.x)), T(-sin(u.x)));
}
template <typename T, int n>
Dual<T, n> atan2(const Dual<T, n> &y, const Dual<T, n> &x)
{
  using std::atan2;
  const T inverse = 1. / (x.x * x.x + y.x * y.x);
  Dual<T, n> result(atan2(y.x, x.x), 0);
  for (int i = 0; i < n; ++i) result.d[i] = (y.d[i] * x.x - x.d[i] * y.x) * inverse;
  return result;
}
template <typename T, int n>
Dual<T, n> pow(const Dual<T, n> &u, double p)
{
  using std::pow;
  return chain(u, T(pow(u.x, p)), T(p * pow(u.x, p - 1)));
}
/// 1 where u < bound, else 0; also of SIMD batches.
inline double is_inside(double u, double bound) { return u < bound ? 1 : 0; }
template <typename T, int n>
Dual<T, n> is_inside(const Dual<T, n> &u, double bound)
{
  return Dual<T, n>(value_of(u) < bound ? 1. : 0.);
}
template <typename Batch>
Batch is_inside(const Batch &u, double bound)
{
  return select(u < Batch(bound), Batch(1.), Batch(0.));
}
template <typename T, int n>
Dual<T, n> at_most(const Dual<T, n> &u, double bound)
{
  const T inside = is_inside(u.x, bound);
  Dual<T, n> result(at_most(u.x, bound), 0);
  for (int i = 0; i < n; ++i) result.d[i] = inside * u.d[i];
  return result;
}
}  // namespace freefall

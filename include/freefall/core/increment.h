#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace freefall
{
/// A number that changes from `x` to `x + d`, where d is known to its own accuracy and not as a difference of two numbers.
///
/// A function evaluated with increments returns f(x + d) - f(x) without subtracting two nearly equal values: by
///   (fg)' - fg = df (g + dg) + f dg,   sqrt: d / (sqrt(x + d) + sqrt(x)),   log: log1p(d / x),   sin: 2 cos(x + d/2) sin(d/2)
/// and so on. Increment<Increment<double>> does the same in two directions at once: with {{x, a}, {b, m}} for a number that
/// is x, x + a, x + b and x + a + b + m at the four corners of a rectangle, the last part of the result is the mixed
/// difference f11 - f10 - f01 + f00.
template <typename T>
struct Increment
{
  Increment() = default;
  Increment(double constant) : x(constant), d(0.) {}
  Increment(const T &start, const T &change) : x(start), d(change) {}
  T end() const { return x + d; }

  T x;  ///< the value before
  T d;  ///< the value after minus the value before
};

inline double value_of(double x) { return x; }
template <typename T>
double value_of(const Increment<T> &u)
{
  return value_of(u.x);
}

template <typename T>
Increment<T> operator-(const Increment<T> &u)
{
  return {-u.x, -u.d};
}
template <typename T>
Increment<T> operator+(const Increment<T> &u, const Increment<T> &w)
{
  return {u.x + w.x, u.d + w.d};
}
template <typename T>
Increment<T> operator-(const Increment<T> &u, const Increment<T> &w)
{
  return {u.x - w.x, u.d - w.d};
}
template <typename T>
Increment<T> operator*(const Increment<T> &u, const Increment<T> &w)
{
  return {u.x * w.x, u.d * w.end() + u.x * w.d};
}
template <typename T>
Increment<T> operator/(const Increment<T> &u, const Increment<T> &w)
{
  const T quotient = u.x / w.x;
  return {quotient, (u.d - quotient * w.d) / w.end()};
}

template <typename T>
Increment<T> operator+(const Increment<T> &u, double c)
{
  return {u.x + c, u.d};
}
template <typename T>
Increment<T> operator+(double c, const Increment<T> &u)
{
  return u + c;
}
template <typename T>
Increment<T> operator-(const Increment<T> &u, double c)
{
  return {u.x - c, u.d};
}
template <typename T>
Increment<T> operator-(double c, const Increment<T> &u)
{
  return {c - u.x, -u.d};
}
template <typename T>
Increment<T> operator*(double c, const Increment<T> &u)
{
  return {c * u.x, c * u.d};
}
template <typename T>
Increment<T> operator*(const Increment<T> &u, double c)
{
  return c * u;
}
template <typename T>
Increment<T> operator/(const Increment<T> &u, double c)
{
  return {u.x / c, u.d / c};
}
template <typename T>
Increment<T> operator/(double c, const Increment<T> &u)
{
  const T quotient = c / u.x;
  return {quotient, -(quotient * u.d) / u.end()};
}

template <typename T>
Increment<T> sqrt(const Increment<T> &u)
{
  using std::sqrt;
  const T root = sqrt(u.x);
  return {root, u.d / (sqrt(u.end()) + root)};
}
template <typename T>
Increment<T> exp(const Increment<T> &u)
{
  using std::exp;
  using std::expm1;
  const T e = exp(u.x);
  return {e, e * expm1(u.d)};
}
template <typename T>
Increment<T> expm1(const Increment<T> &u)
{
  using std::exp;
  using std::expm1;
  return {expm1(u.x), exp(u.x) * expm1(u.d)};
}
template <typename T>
Increment<T> log(const Increment<T> &u)
{
  using std::log;
  using std::log1p;
  return {log(u.x), log1p(u.d / u.x)};
}
template <typename T>
Increment<T> log1p(const Increment<T> &u)
{
  using std::log1p;
  return {log1p(u.x), log1p(u.d / (1. + u.x))};
}
template <typename T>
Increment<T> sin(const Increment<T> &u)
{
  using std::cos;
  using std::sin;
  return {sin(u.x), 2. * cos(u.x + 0.5 * u.d) * sin(0.5 * u.d)};
}
template <typename T>
Increment<T> cos(const Increment<T> &u)
{
  using std::cos;
  using std::sin;
  return {cos(u.x), -2. * sin(u.x + 0.5 * u.d) * sin(0.5 * u.d)};
}
/// The angle of (x, y) turns by the angle between the two vectors.
template <typename T>
Increment<T> atan2(const Increment<T> &y, const Increment<T> &x)
{
  using std::atan2;
  return {atan2(y.x, x.x), atan2(y.d * x.x - x.d * y.x, x.end() * x.x + y.end() * y.x)};
}
/// x^p for a positive x and any real p.
template <typename T>
Increment<T> pow(const Increment<T> &u, double p)
{
  using std::expm1;
  using std::log1p;
  using std::pow;
  const T power = pow(u.x, p);
  return {power, power * expm1(p * log1p(u.d / u.x))};
}
inline bool is_below(double x, double bound) { return x < bound; }
template <typename T>
bool is_below(const Increment<T> &u, double bound)
{
  return is_below(u.x, bound) && is_below(u.end(), bound);
}
/// min(u, bound), also of SIMD batches. When the bound is crossed, an increment is only known to the rounding of u.
template <typename T>
T at_most(const T &u, double bound)
{
  using std::min;
  return min(u, T(bound));
}
template <typename T>
Increment<T> at_most(const Increment<T> &u, double bound)
{
  if (is_below(u, bound)) return u;
  const T start = at_most(u.x, bound);
  return {start, at_most(u.end(), bound) - start};
}
}  // namespace freefall

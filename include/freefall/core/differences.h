#pragma once

#include <freefall/core/numbers.h>

namespace freefall
{
/// A function at two points: `value` at the first, `a` its exact difference to the second.
///
/// The rules below never subtract two values: from differences that are accurate relative to their own size come differences
/// that are accurate in the same sense. An energy written for any type of number so gives W(F + A) - W(F) without cancellation.
template <typename T>
struct Difference
{
  T value;
  T a;

  Difference() = default;
  explicit Difference(double constant) : value(constant), a(0) {}
  Difference(const T &value, const T &a) : value(value), a(a) {}

  Difference operator-() const { return {-value, -a}; }
  friend Difference operator+(const Difference &f, const Difference &g) { return {f.value + g.value, f.a + g.a}; }
  friend Difference operator-(const Difference &f, const Difference &g) { return {f.value - g.value, f.a - g.a}; }
  friend Difference operator*(const Difference &f, const Difference &g)
  {
    return {f.value * g.value, f.a * g.value + (f.value + f.a) * g.a};
  }
  friend Difference operator/(const Difference &f, const Difference &g)
  {
    const T value = f.value / g.value;
    return {value, (f.a - value * g.a) / (g.value + g.a)};
  }
  Difference &operator+=(const Difference &g) { return *this = *this + g; }
};

/// A function f at the four corners of a parallelogram, by the exact differences
///
///   f(1,0) = value + a,   f(0,1) = value + b,   f(1,1) = value + a + b + ab,
///
/// ab being the mixed difference f(1,1) - f(1,0) - f(0,1) + f(0,0). The rules keep ab accurate relative to the product of the
/// two steps: (fg)_ab = f(1,1) g_ab + f_ab (g + g_a + g_b) + f_a g_b + f_b g_a, and so on.
template <typename T>
struct MixedDifference
{
  T value;
  T a, b;
  T ab;

  MixedDifference() = default;
  explicit MixedDifference(double constant) : value(constant), a(0), b(0), ab(0) {}
  MixedDifference(const T &value, const T &a, const T &b, const T &ab) : value(value), a(a), b(b), ab(ab) {}

  MixedDifference operator-() const { return {-value, -a, -b, -ab}; }
  friend MixedDifference operator+(const MixedDifference &f, const MixedDifference &g)
  {
    return {f.value + g.value, f.a + g.a, f.b + g.b, f.ab + g.ab};
  }
  friend MixedDifference operator-(const MixedDifference &f, const MixedDifference &g)
  {
    return {f.value - g.value, f.a - g.a, f.b - g.b, f.ab - g.ab};
  }
  friend MixedDifference operator*(const MixedDifference &f, const MixedDifference &g)
  {
    const T corner = f.value + f.a + f.b + f.ab;
    return {f.value * g.value, f.a * g.value + (f.value + f.a) * g.a, f.b * g.value + (f.value + f.b) * g.b,
            corner * g.ab + f.ab * (g.value + g.a + g.b) + f.a * g.b + f.b * g.a};
  }
  friend MixedDifference operator/(const MixedDifference &f, const MixedDifference &g)
  {
    // From h g = f, each rule of the product solved for h.
    const T value = f.value / g.value;
    const T a = (f.a - value * g.a) / (g.value + g.a);
    const T b = (f.b - value * g.b) / (g.value + g.b);
    const T corner = g.value + g.a + g.b + g.ab;
    return {value, a, b, (f.ab - g.ab * (value + a + b) - a * g.b - b * g.a) / corner};
  }
  MixedDifference &operator+=(const MixedDifference &g) { return *this = *this + g; }
};

template <typename T>
Difference<T> fast_log1p(const Difference<T> &f)
{
  return {fast_log1p(f.value), fast_log1p(T(f.a / (T(1) + f.value)))};
}

template <typename T>
MixedDifference<T> fast_log1p(const MixedDifference<T> &f)
{
  const T one_plus = T(1) + f.value;
  const T ab = (f.ab * one_plus - f.a * f.b) / ((one_plus + f.a) * (one_plus + f.b));
  return {fast_log1p(f.value), fast_log1p(T(f.a / one_plus)), fast_log1p(T(f.b / one_plus)), fast_log1p(ab)};
}

template <typename T>
Difference<T> exponential(const Difference<T> &f)
{
  const T e = exponential(f.value);
  return {e, e * exponential_minus_one(f.a)};
}

template <typename T>
MixedDifference<T> exponential(const MixedDifference<T> &f)
{
  const T e = exponential(f.value), a = exponential_minus_one(f.a), b = exponential_minus_one(f.b);
  return {e, e * a, e * b, e * (a * b + (T(1) + a) * (T(1) + b) * exponential_minus_one(f.ab))};
}

template <typename T>
T lowest(const Difference<T> &f)
{
  return lower_of(f.value, T(f.value + f.a));
}
template <typename T>
T lowest(const MixedDifference<T> &f)
{
  return lower_of(lower_of(f.value, T(f.value + f.a)), lower_of(T(f.value + f.b), T(f.value + f.a + f.b + f.ab)));
}
}  // namespace freefall

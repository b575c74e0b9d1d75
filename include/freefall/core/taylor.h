#pragma once

#include <freefall/core/numbers.h>

namespace freefall
{
/// A function of one parameter e, known at e = 0 with its first and second derivative: exact differentiation by the rules of
/// calculus, no differences. A stress P written for any type of number gives P(F + e A), dP/de and d2P/de2 at once.
template <typename T>
struct Taylor
{
  T value;
  T first;   ///< d/de
  T second;  ///< d2/de2

  Taylor() = default;
  explicit Taylor(double constant) : value(constant), first(0), second(0) {}
  Taylor(const T &value, const T &first, const T &second) : value(value), first(first), second(second) {}

  Taylor operator-() const { return {-value, -first, -second}; }
  friend Taylor operator+(const Taylor &f, const Taylor &g)
  {
    return {f.value + g.value, f.first + g.first, f.second + g.second};
  }
  friend Taylor operator-(const Taylor &f, const Taylor &g)
  {
    return {f.value - g.value, f.first - g.first, f.second - g.second};
  }
  friend Taylor operator*(const Taylor &f, const Taylor &g)
  {
    return {f.value * g.value, f.first * g.value + f.value * g.first,
            f.second * g.value + T(2) * f.first * g.first + f.value * g.second};
  }
  friend Taylor operator/(const Taylor &f, const Taylor &g)
  {
    // From h g = f: h' g = f' - h g', h'' g = f'' - 2 h' g' - h g''.
    const T value = f.value / g.value;
    const T first = (f.first - value * g.first) / g.value;
    return {value, first, (f.second - T(2) * first * g.first - value * g.second) / g.value};
  }
  Taylor &operator+=(const Taylor &g) { return *this = *this + g; }
};

/// The same to first order only, where the second derivative would be wasted.
template <typename T>
struct Tangent
{
  T value;
  T first;  ///< d/de

  Tangent() = default;
  explicit Tangent(double constant) : value(constant), first(0) {}
  Tangent(const T &value, const T &first) : value(value), first(first) {}

  Tangent operator-() const { return {-value, -first}; }
  friend Tangent operator+(const Tangent &f, const Tangent &g) { return {f.value + g.value, f.first + g.first}; }
  friend Tangent operator-(const Tangent &f, const Tangent &g) { return {f.value - g.value, f.first - g.first}; }
  friend Tangent operator*(const Tangent &f, const Tangent &g)
  {
    return {f.value * g.value, f.first * g.value + f.value * g.first};
  }
  friend Tangent operator/(const Tangent &f, const Tangent &g)
  {
    const T value = f.value / g.value;
    return {value, (f.first - value * g.first) / g.value};
  }
  Tangent &operator+=(const Tangent &g) { return *this = *this + g; }
};

template <typename T>
Tangent<T> fast_log1p(const Tangent<T> &f)
{
  return {fast_log1p(f.value), f.first / (T(1) + f.value)};
}

template <typename T>
Tangent<T> exponential(const Tangent<T> &f)
{
  const T e = exponential(f.value);
  return {e, e * f.first};
}

template <typename T>
Taylor<T> fast_log1p(const Taylor<T> &f)
{
  const T slope = f.first / (T(1) + f.value);
  return {fast_log1p(f.value), slope, f.second / (T(1) + f.value) - slope * slope};
}

template <typename T>
Taylor<T> exponential(const Taylor<T> &f)
{
  const T e = exponential(f.value);
  return {e, e * f.first, e * (f.second + f.first * f.first)};
}
}  // namespace freefall

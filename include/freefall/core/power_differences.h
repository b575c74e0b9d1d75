#pragma once

namespace freefall
{
/// Divided differences of the power c^p at positive points, accurate to a few roundings also where points coincide.
/// Meant for -21 <= p <= 20.

/// (x^p - y^p) / (x - y), and p x^(p - 1) for x = y: with x = e^(2 r), y = e^(2 s) it is
/// (x y)^((p - 1) / 2) sinh(p (r - s)) / sinh(r - s), which has no small difference but r - s itself.
double power_difference(double p, double x, double y);

/// f[x, y, z] for f(c) = c^p, which is p (p - 1) / 2 x^(p - 2) for x = y = z.
///
/// Points within 5 % of their mean m: the series sum_k binom(p, k) m^(p - k) h_(k - 2)(x - m, y - m, z - m) with the complete
/// homogeneous polynomials h, whose terms beyond the 24th are below rounding. Otherwise (f[x, y] - f[y, z]) / (x - z) with x
/// and z farthest apart, which loses less than two digits.
double second_power_difference(double p, double x, double y, double z);
}  // namespace freefall

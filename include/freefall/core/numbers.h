#pragma once

#include <freefall/core/simd.h>

namespace freefall
{
/// Elementary functions under one name for every type of number in which energies and stresses are written: double, Batch,
/// Tangent and Taylor (taylor.h), Difference and MixedDifference (differences.h). fast_log1p (simd.h) belongs to them.
inline double exponential(double x) { return std::exp(x); }
inline Batch exponential(const Batch &x) { return xsimd::exp(x); }
inline double exponential_minus_one(double x) { return std::expm1(x); }
inline Batch exponential_minus_one(const Batch &x) { return xsimd::expm1(x); }
inline double square_root(double x) { return std::sqrt(x); }
inline Batch square_root(const Batch &x) { return xsimd::sqrt(x); }
inline double lower_of(double a, double b) { return b < a ? b : a; }
inline Batch lower_of(const Batch &a, const Batch &b) { return xsimd::min(a, b); }
/// 1 with the sign of x.
inline double sign_of(double x) { return std::copysign(1., x); }
inline Batch sign_of(const Batch &x) { return xsimd::copysign(Batch(1.), x); }

/// The lowest of the values that a number stands for.
inline double lowest(double x) { return x; }
inline Batch lowest(const Batch &x) { return x; }
}  // namespace freefall

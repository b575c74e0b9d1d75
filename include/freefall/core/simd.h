#pragma once

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace freefall
{
/// As many doubles as the widest vector register of the target holds: for loops over many elements.
using WideBatch = xsimd::batch<double>;

/// The same, but at most four: for the few partners of a node, of which wider batches would be half empty. With AVX-512 its
/// operations are encoded with the 32 registers.
#if XSIMD_WITH_AVX512F
using Batch = xsimd::batch<double, xsimd::fma3<xsimd::avx2>>;
#else
using Batch = WideBatch;
#endif
constexpr int batch_size = Batch::size;

namespace simd_detail
{
inline bool all(bool condition) { return condition; }
template <typename Mask>
bool all(const Mask &condition)
{
  return xsimd::all(condition);
}
// Not inlined: rarely taken, and long.
[[gnu::noinline]] inline double exact_log1p(double x) { return std::log1p(x); }
template <typename Arch>
[[gnu::noinline]] xsimd::batch<double, Arch> exact_log1p(xsimd::batch<double, Arch> x)
{
  return xsimd::log1p(x);
}
inline double magnitude(double x) { return std::abs(x); }
template <typename Arch>
xsimd::batch<double, Arch> magnitude(const xsimd::batch<double, Arch> &x)
{
  return xsimd::abs(x);
}
}  // namespace simd_detail

/// ln(1 + x / y) to rounding, y > 0, T = double or a batch. Fast while all |x / y| are below about 0.26, faster below 0.09.
///
/// ln(1 + x / y) = 2 artanh(w), w = x / (2 y + x): one division. The odd series in w is below one rounding after six terms for
/// |w| < 0.045 and after twelve for |w| < 0.15.
template <typename T>
T fast_log1p_of_ratio(const T &x, const T &y)
{
  const T w = x / (y + y + x);
  const T u = w * w;
  T series(1. / 11);
  if (!simd_detail::all(u < T(0.045 * 0.045)))
  {
    if (!simd_detail::all(u < T(0.15 * 0.15))) return simd_detail::exact_log1p(T(x / y));
    series = T(1. / 23);
    for (int k = 21; k >= 11; k -= 2) series = series * u + T(1. / k);
  }
  for (int k = 9; k >= 3; k -= 2) series = series * u + T(1. / k);
  return T(2) * w + T(2) * w * u * series;
}

/// ln(1 + x) to rounding.
template <typename T>
T fast_log1p(const T &x)
{
  return fast_log1p_of_ratio(x, T(1));
}
}  // namespace freefall

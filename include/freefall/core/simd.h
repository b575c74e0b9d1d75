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

/// ln(1 + x) to rounding, T = double or a batch. Fast while all |x| < 0.3, which moderate strains satisfy.
///
/// ln(1 + x) = 2 artanh(w), w = x / (2 + x); with |w| < 0.177 the odd series is below one rounding after twelve terms.
template <typename T>
T fast_log1p(const T &x)
{
  if (!simd_detail::all(simd_detail::magnitude(x) < T(0.3))) return simd_detail::exact_log1p(x);
  const T w = x / (T(2) + x);
  const T u = w * w;
  T series(1. / 23);
  for (int k = 21; k >= 3; k -= 2) series = series * u + T(1. / k);
  return T(2) * w + T(2) * w * u * series;
}
}  // namespace freefall

#pragma once

#include <freefall/core/simd.h>

#include <type_traits>
#include <utility>

/// What core/simd_transpose.h is made of: registers that hold one row each against registers that hold one column each.
namespace freefall
{
/// How many numbers T holds: 1 for double, the size of a batch.
template <typename T>
constexpr int n_lanes = T::size;
template <>
inline constexpr int n_lanes<double> = 1;

namespace simd_detail
{
template <typename T, typename Row, std::size_t... lane>
T gather_lanes(const Row &row, int k, std::index_sequence<lane...>)
{
  return T{row(static_cast<int>(lane))[k]...};
}

template <typename T>
T load(const double *lanes)
{
  if constexpr (std::is_same_v<T, double>)
    return *lanes;
  else
    return T::load_unaligned(lanes);
}
inline void store(double value, double *lanes) { *lanes = value; }
template <typename T>
void store(const T &value, double *lanes)
{
  value.store_unaligned(lanes);
}

/// Whether rows of four doubles, one a lane, are transposed by shuffles of vector registers.
template <typename T>
constexpr bool has_rows =
#if defined(__AVX512VL__)
  n_lanes<T> == 4 || n_lanes<T> == 8;
#elif defined(__AVX__)
  n_lanes<T> == 4;
#else
  false;
#endif

#ifdef __AVX__
/// Columns of four rows of four numbers.
[[gnu::always_inline]] inline void transpose_to_columns(const __m256d (&rows)[4], __m256d (&columns)[4])
{
  const __m256d low_even = _mm256_unpacklo_pd(rows[0], rows[1]), low_odd = _mm256_unpackhi_pd(rows[0], rows[1]);
  const __m256d high_even = _mm256_unpacklo_pd(rows[2], rows[3]), high_odd = _mm256_unpackhi_pd(rows[2], rows[3]);
  columns[0] = _mm256_permute2f128_pd(low_even, high_even, 0x20);
  columns[1] = _mm256_permute2f128_pd(low_odd, high_odd, 0x20);
  columns[2] = _mm256_permute2f128_pd(low_even, high_even, 0x31);
  columns[3] = _mm256_permute2f128_pd(low_odd, high_odd, 0x31);
}

/// The inverse, for three columns; the fourth number of a row is 0.
[[gnu::always_inline]] inline void transpose_to_rows(__m256d x, __m256d y, __m256d z, __m256d (&rows)[4])
{
  const __m256d zero = _mm256_setzero_pd();
  const __m256d xy_even = _mm256_unpacklo_pd(x, y), xy_odd = _mm256_unpackhi_pd(x, y);
  const __m256d z_even = _mm256_unpacklo_pd(z, zero), z_odd = _mm256_unpackhi_pd(z, zero);
  rows[0] = _mm256_permute2f128_pd(xy_even, z_even, 0x20);
  rows[1] = _mm256_permute2f128_pd(xy_odd, z_odd, 0x20);
  rows[2] = _mm256_permute2f128_pd(xy_even, z_even, 0x31);
  rows[3] = _mm256_permute2f128_pd(xy_odd, z_odd, 0x31);
}
#endif

#ifdef __AVX512VL__
/// Columns of eight rows of four numbers. The order in which rows share registers makes the lanes come out in theirs.
[[gnu::always_inline]] inline void transpose_to_columns(const __m256d (&rows)[8], __m512d (&columns)[4])
{
  const auto pair = [&](int a, int b) { return _mm512_insertf64x4(_mm512_castpd256_pd512(rows[a]), rows[b], 1); };
  const __m512d r02 = pair(0, 2), r13 = pair(1, 3), r46 = pair(4, 6), r57 = pair(5, 7);
  const __m512d low_even = _mm512_unpacklo_pd(r02, r13), low_odd = _mm512_unpackhi_pd(r02, r13);
  const __m512d high_even = _mm512_unpacklo_pd(r46, r57), high_odd = _mm512_unpackhi_pd(r46, r57);
  columns[0] = _mm512_shuffle_f64x2(low_even, high_even, 0x88);
  columns[1] = _mm512_shuffle_f64x2(low_odd, high_odd, 0x88);
  columns[2] = _mm512_shuffle_f64x2(low_even, high_even, 0xdd);
  columns[3] = _mm512_shuffle_f64x2(low_odd, high_odd, 0xdd);
}

/// The inverse, for three columns; the fourth number of a row is 0.
[[gnu::always_inline]] inline void transpose_to_rows(__m512d x, __m512d y, __m512d z, __m256d (&rows)[8])
{
  const __m512d zero = _mm512_setzero_pd();
  const __m512d xy_even = _mm512_unpacklo_pd(x, y), xy_odd = _mm512_unpackhi_pd(x, y);
  const __m512d z_even = _mm512_unpacklo_pd(z, zero), z_odd = _mm512_unpackhi_pd(z, zero);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const auto split = [&](__m512d both, int first)
  {
    rows[first] = _mm512_castpd512_pd256(both);
    rows[first + 2] = _mm512_extractf64x4_pd(both, 1);
  };
  split(_mm512_permutex2var_pd(xy_even, low, z_even), 0);
  split(_mm512_permutex2var_pd(xy_odd, low, z_odd), 1);
  split(_mm512_permutex2var_pd(xy_even, high, z_even), 4);
  split(_mm512_permutex2var_pd(xy_odd, high, z_odd), 5);
}
#endif
}  // namespace simd_detail
}  // namespace freefall

#pragma once

#include <freefall/core/simd.h>

#include <type_traits>
#include <utility>

namespace freefall
{
/// How many numbers T holds: 1 for double, batch_size for Batch.
template <typename T>
constexpr int n_lanes = std::is_same_v<T, double> ? 1 : batch_size;

namespace simd_detail
{
template <typename Row, std::size_t... lane>
Batch gather_lanes(const Row &row, int k, std::index_sequence<lane...>)
{
  return Batch{row(static_cast<int>(lane))[k]...};
}
}  // namespace simd_detail

/// columns[k] = row(lane)[k] in each lane, k < n: `n` neighbouring numbers from each of as many places as T has lanes.
///
/// row(lane) is a pointer to n doubles. With four lanes it takes two half-vector loads and one shuffle a column instead of
/// four scalar loads and three shuffles.
template <typename T, int n, typename Row>
[[gnu::always_inline]] inline void load_transposed(const Row &row, T *columns)
{
  if constexpr (std::is_same_v<T, double>)
    for (int k = 0; k < n; ++k) columns[k] = row(0)[k];
  else
  {
    int k = 0;
#ifdef __AVX__
    if constexpr (batch_size == 4)
#pragma GCC unroll 8
      for (; k + 1 < n; k += 2)
      {
        const __m256d even =
          _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row(0) + k)), _mm_loadu_pd(row(2) + k), 1);
        const __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row(1) + k)), _mm_loadu_pd(row(3) + k), 1);
        columns[k] = _mm256_unpacklo_pd(even, odd);
        columns[k + 1] = _mm256_unpackhi_pd(even, odd);
      }
#endif
    for (; k < n; ++k) columns[k] = simd_detail::gather_lanes(row, k, std::make_index_sequence<batch_size>());
  }
}

/// row(lane)[k] += columns[k][lane], k < 3, one lane after another: rows may be the same.
///
/// row(lane) is a pointer to four doubles; the fourth gets zero added, so that a row is one load, one addition and one store.
template <typename T, typename Row>
[[gnu::always_inline]] inline void add_transposed(const T *columns, const Row &row)
{
  if constexpr (std::is_same_v<T, double>)
    for (int k = 0; k < 3; ++k) row(0)[k] += columns[k];
  else
  {
#ifdef __AVX__
    if constexpr (batch_size == 4)
    {
      const __m256d zero = _mm256_setzero_pd();
      const __m256d xy_even = _mm256_unpacklo_pd(columns[0], columns[1]), xy_odd = _mm256_unpackhi_pd(columns[0], columns[1]);
      const __m256d z_even = _mm256_unpacklo_pd(columns[2], zero), z_odd = _mm256_unpackhi_pd(columns[2], zero);
      const auto add = [](double *to, __m256d what) { _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), what)); };
      add(row(0), _mm256_insertf128_pd(xy_even, _mm256_castpd256_pd128(z_even), 1));
      add(row(1), _mm256_insertf128_pd(xy_odd, _mm256_castpd256_pd128(z_odd), 1));
      add(row(2), _mm256_permute2f128_pd(xy_even, z_even, 0x31));
      add(row(3), _mm256_permute2f128_pd(xy_odd, z_odd, 0x31));
      return;
    }
#endif
    double lanes[3][batch_size];
    for (int k = 0; k < 3; ++k) columns[k].store_unaligned(lanes[k]);
    for (int lane = 0; lane < batch_size; ++lane)
      for (int k = 0; k < 3; ++k) row(lane)[k] += lanes[k][lane];
  }
}
}  // namespace freefall

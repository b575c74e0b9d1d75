#pragma once

#include <freefall/core/simd_rows.h>

#include <algorithm>
#include <utility>

namespace freefall
{
/// columns[k] = row(lane)[k] in each lane, k < n: `n` neighbouring numbers from each of as many places as T has lanes.
///
/// row(lane) is a pointer to n doubles. With four or eight lanes it takes loads of half a vector and one to three shuffles a column
/// instead of a scalar load a lane.
template <typename T, int n, typename Row>
[[gnu::always_inline]] inline void load_transposed(const Row &row, T *columns)
{
  if constexpr (std::is_same_v<T, double>)
    for (int k = 0; k < n; ++k) columns[k] = row(0)[k];
  else
  {
    int k = 0;
#ifdef __AVX512VL__
    if constexpr (n_lanes<T> == 8)
#pragma GCC unroll 8
      for (; k + 2 < n; k += 4)
      {
        __m256d rows[8];
        // Not beyond the last number of a row.
        const auto mask = static_cast<__mmask8>(k + 4 <= n ? 0xf : 0x7);
#pragma GCC unroll 8
        for (int lane = 0; lane < 8; ++lane)
          rows[lane] = k + 4 <= n ? _mm256_loadu_pd(row(lane) + k) : _mm256_maskz_loadu_pd(mask, row(lane) + k);
        __m512d four[4];
        simd_detail::transpose_to_columns(rows, four);
        for (int i = 0; i < std::min(4, n - k); ++i) columns[k + i] = four[i];
      }
    if constexpr (n_lanes<T> == 8)
      for (; k + 1 < n; k += 2)
      {
        const auto quarters = [&](int first)
        {
          __m512d all = _mm512_castpd128_pd512(_mm_loadu_pd(row(first) + k));
          all = _mm512_insertf64x2(all, _mm_loadu_pd(row(first + 2) + k), 1);
          all = _mm512_insertf64x2(all, _mm_loadu_pd(row(first + 4) + k), 2);
          return _mm512_insertf64x2(all, _mm_loadu_pd(row(first + 6) + k), 3);
        };
        const __m512d even = quarters(0), odd = quarters(1);
        columns[k] = _mm512_unpacklo_pd(even, odd);
        columns[k + 1] = _mm512_unpackhi_pd(even, odd);
      }
#endif
#ifdef __AVX__
    if constexpr (n_lanes<T> == 4)
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
    for (; k < n; ++k) columns[k] = simd_detail::gather_lanes<T>(row, k, std::make_index_sequence<n_lanes<T>>());
  }
}

/// edges[3 * a + c] = row(lane, a)[c] - row(lane, 3)[c] in each lane, a and c < 3, where row(lane, a) is a pointer to four doubles,
/// the position of a node and a number that does not count.
template <typename T, typename Row>
[[gnu::always_inline]] inline void load_edges(const Row &row, T *edges)
{
  constexpr int n = n_lanes<T>;
  if constexpr (!simd_detail::has_rows<T>)
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 3; ++c)
      {
        double lanes[n];
        for (int lane = 0; lane < n; ++lane) lanes[lane] = row(lane, a)[c] - row(lane, 3)[c];
        edges[3 * a + c] = simd_detail::load<T>(lanes);
      }
  else
  {
    __m256d origins[n], rows[n];
#pragma GCC unroll 8
    for (int lane = 0; lane < n; ++lane) origins[lane] = _mm256_loadu_pd(row(lane, 3));
#pragma GCC unroll 4
    for (int a = 0; a < 3; ++a)
    {
#pragma GCC unroll 8
      for (int lane = 0; lane < n; ++lane) rows[lane] = _mm256_sub_pd(_mm256_loadu_pd(row(lane, a)), origins[lane]);
      decltype(T::data) columns[4];
      simd_detail::transpose_to_columns(rows, columns);
#pragma GCC unroll 4
      for (int c = 0; c < 3; ++c) edges[3 * a + c] = columns[c];
    }
  }
}

/// row(lane, a)[c] += forces[3 * a + c][lane] for a < 3, and row(lane, 3)[c] minus their sum: forces in balance. One lane after
/// another: rows may be the same. Each row is four doubles, of which the fourth keeps its value.
template <typename T, typename Row>
[[gnu::always_inline]] inline void add_in_balance(const T *forces, const Row &row)
{
  constexpr int n = n_lanes<T>;
  if constexpr (!simd_detail::has_rows<T>)
    for (int c = 0; c < 3; ++c)
    {
      double lanes[3][n];
      for (int a = 0; a < 3; ++a) simd_detail::store(forces[3 * a + c], lanes[a]);
      for (int lane = 0; lane < n; ++lane)
      {
        for (int a = 0; a < 3; ++a) row(lane, a)[c] += lanes[a][lane];
        row(lane, 3)[c] -= lanes[0][lane] + lanes[1][lane] + lanes[2][lane];
      }
    }
  else
  {
    __m256d rows[n], sums[n];
#pragma GCC unroll 4
    for (int a = 0; a < 3; ++a)
    {
      simd_detail::transpose_to_rows(forces[3 * a].data, forces[3 * a + 1].data, forces[3 * a + 2].data, rows);
#pragma GCC unroll 8
      for (int lane = 0; lane < n; ++lane)
      {
        sums[lane] = a == 0 ? rows[lane] : _mm256_add_pd(sums[lane], rows[lane]);
        _mm256_storeu_pd(row(lane, a), _mm256_add_pd(_mm256_loadu_pd(row(lane, a)), rows[lane]));
      }
    }
#pragma GCC unroll 8
    for (int lane = 0; lane < n; ++lane)
      _mm256_storeu_pd(row(lane, 3), _mm256_sub_pd(_mm256_loadu_pd(row(lane, 3)), sums[lane]));
  }
}
}  // namespace freefall

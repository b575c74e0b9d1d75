#pragma once

#include <freefall/core/simd.h>
#include <freefall/integrators/force_stepping/parabola.h>

namespace freefall::force_stepping
{
/// Consecutive parabolas, one in each lane.
struct ParabolaBatch
{
  Batch w, velocity, half_acceleration, t0;
};

/// Loads batch_size parabolas from `first` on; all of them must be readable.
inline ParabolaBatch load_parabolas(const Parabola *first)
{
#ifdef __AVX__
  if constexpr (batch_size == 4)
  {
    // A transposition of four registers, which xsimd 8 does not have.
    const __m256d a = _mm256_load_pd(&first[0].w), b = _mm256_load_pd(&first[1].w);
    const __m256d c = _mm256_load_pd(&first[2].w), d = _mm256_load_pd(&first[3].w);
    const __m256d ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
    const __m256d cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
    return {Batch(_mm256_permute2f128_pd(ab_low, cd_low, 0x20)), Batch(_mm256_permute2f128_pd(ab_high, cd_high, 0x20)),
            Batch(_mm256_permute2f128_pd(ab_low, cd_low, 0x31)), Batch(_mm256_permute2f128_pd(ab_high, cd_high, 0x31))};
  }
#endif
  double fields[4][batch_size];
  for (int lane = 0; lane < batch_size; ++lane)
  {
    fields[0][lane] = first[lane].w;
    fields[1][lane] = first[lane].velocity;
    fields[2][lane] = first[lane].half_acceleration;
    fields[3][lane] = first[lane].t0;
  }
  return {Batch::load_unaligned(fields[0]), Batch::load_unaligned(fields[1]), Batch::load_unaligned(fields[2]),
          Batch::load_unaligned(fields[3])};
}
}  // namespace freefall::force_stepping

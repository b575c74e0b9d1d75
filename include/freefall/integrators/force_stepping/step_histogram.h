#pragma once

#include <freefall/core/archive.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace freefall::force_stepping
{
/// Counts time steps in four bins an octave. A bin is the exponent and the first two bits of the mantissa, so that counting
/// costs nothing: lower edges are 2^e (1 + m/4). Bin 0 holds steps of length zero (and below 2^-1022 s).
class StepHistogram
{
public:
  static constexpr int n_bins = 2048 * 4;

  void count(double step)
  {
    std::uint64_t bits;
    std::memcpy(&bits, &step, sizeof bits);
    ++counts_[(bits >> 50) & (n_bins - 1)];
  }
  std::int64_t count_in(int bin) const { return counts_[bin]; }
  static double lower_edge(int bin)
  {
    const std::uint64_t bits = std::uint64_t(bin) << 50;
    double edge;
    std::memcpy(&edge, &bits, sizeof edge);
    return edge;
  }

  void archive(Archive &archive) { archive.array_of("histogram", counts_.data(), counts_.size()); }

private:
  std::array<std::int64_t, n_bins> counts_{};
};
}  // namespace freefall::force_stepping

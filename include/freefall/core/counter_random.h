#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace freefall
{
/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): a bijection of the counter for each key, whose values for different
/// counters pass as independent random bits.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Random numbers that are functions of where and when: of a seed, a stream, a step and an index.
///
/// There is no state. A number does not depend on what was drawn before, so that neither the number of ranks nor a restart changes
/// it. Streams keep apart what must not share numbers, such as the noise of a bath and the velocities at the start.
class CounterRandom
{
public:
  CounterRandom(std::uint64_t seed, std::uint32_t stream) : key_{low(seed), high(seed)}, stream_(stream) {}

  /// Uniform in the open interval (0, 1), a multiple of 2^-53 plus half of it.
  double uniform(std::uint64_t step, std::uint32_t index) const;
  /// Of mean 0 and variance 1 (Box and Muller 1958): indices 2 k and 2 k + 1 share a block of bits.
  double normal(std::uint64_t step, std::uint32_t index) const;
  /// values[i] = normal(step, i), at half the cost.
  void normals(std::uint64_t step, std::vector<double> &values) const;

private:
  static std::uint32_t low(std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }
  static std::uint32_t high(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); }
  /// Two uniform numbers.
  std::array<double, 2> pair(std::uint64_t step, std::uint32_t block) const;
  std::array<double, 2> normal_pair(std::uint64_t step, std::uint32_t block) const;

  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
};
}  // namespace freefall

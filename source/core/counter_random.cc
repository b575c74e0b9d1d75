#include <freefall/core/counter_random.h>

#include <cmath>

namespace freefall
{
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x, std::array<std::uint32_t, 2> key)
{
  for (int round = 0; round < 10; ++round)
  {
    const std::uint64_t first = std::uint64_t(0xD2511F53) * x[0], second = std::uint64_t(0xCD9E8D57) * x[2];
    x = {static_cast<std::uint32_t>(second >> 32) ^ x[1] ^ key[0], static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ x[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return x;
}

std::array<double, 2> CounterRandom::pair(std::uint64_t step, std::uint32_t block) const
{
  const auto bits = philox({block, stream_, low(step), high(step)}, key_);
  const auto uniform = [](std::uint32_t upper, std::uint32_t lower)
  {
    const std::uint64_t whole = (std::uint64_t(upper) << 32 | lower) >> 11;
    return (static_cast<double>(whole) + 0.5) * 0x1p-53;
  };
  return {uniform(bits[0], bits[1]), uniform(bits[2], bits[3])};
}

std::array<double, 2> CounterRandom::normal_pair(std::uint64_t step, std::uint32_t block) const
{
  const auto [first, second] = pair(step, block);
  const double radius = std::sqrt(-2 * std::log(first)), angle = 2 * M_PI * second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

double CounterRandom::uniform(std::uint64_t step, std::uint32_t index) const { return pair(step, index / 2)[index % 2]; }

double CounterRandom::normal(std::uint64_t step, std::uint32_t index) const { return normal_pair(step, index / 2)[index % 2]; }

void CounterRandom::normals(std::uint64_t step, std::vector<double> &values) const
{
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n; i += 2)
  {
    const auto two = normal_pair(step, static_cast<std::uint32_t>(i / 2));
    values[i] = two[0];
    if (i + 1 < n) values[i + 1] = two[1];
  }
}
}  // namespace freefall

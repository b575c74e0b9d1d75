#pragma once

#include <freefall/systems/particles/particle_system.h>
#include <freefall/systems/tally.h>

#include <cstdint>
#include <vector>

namespace freefall
{
/// A histogram of the distances of all pairs of some particles: the radial distribution of a cluster (TO 4.3).
///
/// Its table radial_distribution has a row a bin with
///   distance           the middle of the bin
///   density            part of all pairs in the bin / its width: the probability density of a distance, 1 / length
///   neighbours_within  mean number of others around a particle, up to the end of the bin
class RadialDistribution final : public Tally
{
public:
  RadialDistribution(const RadialDistributionSettings &settings, int dimension);

  void sample(const State &state) override;
  std::vector<NumberTable> tables() const override;
  void archive(Archive &archive) override;

private:
  RadialDistributionSettings settings_;
  int dimension_;
  std::int64_t n_samples_ = 0;
  std::vector<std::int64_t> counts_;
};
}  // namespace freefall

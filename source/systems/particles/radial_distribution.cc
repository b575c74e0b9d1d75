#include <freefall/systems/particles/radial_distribution.h>

#include <cmath>

namespace freefall
{
RadialDistribution::RadialDistribution(const RadialDistributionSettings &settings, int dimension)
  : settings_(settings), dimension_(dimension), counts_(settings.n_bins)
{
}

void RadialDistribution::sample(const State &state)
{
  if (state.time < settings_.begin) return;
  ++n_samples_;
  const double bins_per_length = settings_.n_bins / settings_.range;
  const auto &points = settings_.particles;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
    {
      double square = 0;
      for (int axis = 0; axis < dimension_; ++axis)
        square += std::pow(state.q[dimension_ * points[i] + axis] - state.q[dimension_ * points[j] + axis], 2);
      const double bin = std::sqrt(square) * bins_per_length;
      if (bin < settings_.n_bins) ++counts_[static_cast<int>(bin)];
    }
}

std::vector<NumberTable> RadialDistribution::tables() const
{
  NumberTable table{"radial_distribution", {}};
  const double width = settings_.range / settings_.n_bins, n = static_cast<double>(settings_.particles.size());
  const double n_pairs = 0.5 * n * (n - 1) * static_cast<double>(n_samples_);
  std::int64_t sum = 0;
  for (int bin = 0; bin < settings_.n_bins; ++bin)
  {
    sum += counts_[bin];
    const double part = n_pairs > 0 ? static_cast<double>(counts_[bin]) / n_pairs : 0;
    const double part_within = n_pairs > 0 ? static_cast<double>(sum) / n_pairs : 0;
    table.rows.push_back({{"distance", (bin + 0.5) * width}, {"density", part / width}, {"neighbours_within", (n - 1) * part_within}});
  }
  return {table};
}

void RadialDistribution::archive(Archive &archive)
{
  archive("n_samples", n_samples_);
  archive("counts", counts_);
}
}  // namespace freefall

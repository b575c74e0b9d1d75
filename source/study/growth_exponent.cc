#include <freefall/core/errors.h>
#include <freefall/study/growth_exponent.h>
#include <freefall/study/power_law_fit.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace freefall
{
double growth_exponent(const std::vector<double> &times, const std::vector<double> &values, const TimeSpan &span)
{
  constexpr int n_parts = 8;
  const double from = span.from, to = std::min(span.to, times.back());
  std::array<double, n_parts> largest{}, reached{};
  for (std::size_t i = 0; i < times.size(); ++i)
  {
    if (times[i] < from || times[i] > to || !(to > from)) continue;
    const auto part = std::min(n_parts - 1, static_cast<int>(n_parts * std::log(times[i] / from) / std::log(to / from)));
    if (std::abs(values[i]) <= largest[part]) continue;
    largest[part] = std::abs(values[i]);
    reached[part] = times[i];
  }
  std::vector<int> used;
  for (int part = 0; part < n_parts; ++part)
    if (largest[part] > 0) used.push_back(part);
  if (used.size() < 3)
    throw RunError(fmt::format("a growth exponent from {} to {} needs values that are not 0 in three of {} parts of that time: there "
                               "are {}. Write the history more often, or look at a longer time.",
                               from, to, n_parts, used.size()));
  Eigen::MatrixXd x(used.size(), 1);
  Eigen::VectorXd y(used.size());
  for (std::size_t i = 0; i < used.size(); ++i)
  {
    x(i, 0) = reached[used[i]];
    y[i] = largest[used[i]];
  }
  return fit_power_law(x, y).value().slopes[0].value;
}
}  // namespace freefall

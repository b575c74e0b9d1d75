#include <freefall/core/ranks.h>
#include <freefall/systems/name_of_largest.h>

#include <cmath>
#include <limits>

namespace freefall
{
std::string name_of_largest(const System &system, const Eigen::VectorXd &values)
{
  double largest = -1;
  int place = 0;
  for (int dof = 0; dof < static_cast<int>(values.size()); ++dof)
  {
    const double size = std::isnan(values[dof]) ? std::numeric_limits<double>::infinity() : std::abs(values[dof]);
    if (!(size > largest)) continue;
    largest = size;
    place = dof;
  }
  const std::string name = values.size() > 0 ? system.dof_name(place) : "nothing";
  if (!system.is_distributed()) return name;
  const bool is_here = largest == ranks::maximum(largest);
  return ranks::broadcast(name, static_cast<int>(ranks::minimum(is_here ? ranks::rank() : ranks::size())));
}
}  // namespace freefall

#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/potentials/lame_constants.h>

#include <cmath>

namespace freefall
{
LameConstants LameConstants::from_young(double young_modulus, double poisson_ratio)
{
  if (!(young_modulus > 0 && std::isfinite(young_modulus)))
    throw InputError(fmt::format("Young's modulus is {} Pa; it must be positive.", young_modulus));
  if (!(poisson_ratio > -1 && poisson_ratio < 0.5))
    throw InputError(
      fmt::format("Poisson's ratio is {}; it must be above -1 and below 0.5. For a nearly incompressible solid "
                  "take a value such as 0.49.",
                  poisson_ratio));
  const double mu = young_modulus / (2 * (1 + poisson_ratio));
  return {2 * mu * poisson_ratio / (1 - 2 * poisson_ratio), mu};
}
}  // namespace freefall

#pragma once

#include <freefall/integrators/force_stepping/simplicial_grid.h>
#include <freefall/systems/system.h>

namespace freefall::force_stepping
{
/// V_h(q) as the sum of the terms' own Kuhn interpolants (METHODS.md 2), O(number of terms):
///
///     V_e,h = V_e(z^0) + sum over r of w[p_r] (V_e(z^r) - V_e(z^(r-1))),
///
/// the differences being those of LocalTerms, which do not cancel. Equals SimplicialGrid::interpolate() to rounding.
double interpolated_energy(const System &system, const SimplicialGrid &grid, const Eigen::VectorXd &q);
}  // namespace freefall::force_stepping

#pragma once

#include <freefall/systems/multigrid.h>

#include <memory>

namespace freefall
{
/// Smoothed aggregation by Trilinos ML for solids in three dimensions: one V-cycle with Chebyshev smoothers, the near null space
/// being the six rigid motions of the current configuration.
///
/// q must hold node positions in triples; matrices must have blocks of three. Starts MPI if nobody has.
std::unique_ptr<Multigrid> make_trilinos_multigrid();
}  // namespace freefall

#pragma once

#include <freefall/systems/multigrid.h>

#include <memory>

namespace freefall
{
class System;

/// Smoothed aggregation by Trilinos ML for solids in three dimensions: one V-cycle with Chebyshev smoothers, the near null space
/// being the six rigid motions of the current configuration.
///
/// q must hold node positions in triples; matrices must have blocks of three. Of a distributed system the levels are those of
/// the whole matrix: build() adds what the ranks have of the rows that they share, each row then lies on the rank that owns it,
/// and apply() gives all ranks that hold a dof the same bits. Both are then collective, and ranks may hold nothing.
///
/// The system outlives the object. Starts MPI if nobody has.
std::unique_ptr<Multigrid> make_trilinos_multigrid(const System &system);
}  // namespace freefall

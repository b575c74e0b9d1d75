#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/particles/particle_system.h>

#include <vector>

namespace freefall
{
/// The sections Row NAME of the section Particles: many particles by formulas of their number, for chains and lattices.
void declare_row_parameters(ParameterSection &particles);

/// Appends the particles NAME_1, ..., NAME_n of every row. Throws InputError.
void add_rows(const ParameterSection &particles, int dimension, std::vector<Particle> &list);

/// The particles of a row, by number.
struct ParticleRow
{
  int first, count;
};
/// The row of this name. InputError of `key` in `section`, which names the row, if there is none.
ParticleRow find_row(const ParameterSection &particles,
                     const ParticleSystem &system,
                     const ParameterSection &section,
                     const std::string &key);
}  // namespace freefall

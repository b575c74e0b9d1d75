#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/particles/particle_system.h>

#include <memory>

namespace freefall
{
/// The sections Particles and Potentials of a parameter file: point masses, written there or in CSV files, and what acts on
/// them.
void declare_particle_parameters(ParameterSection &root);

/// The system of these sections, or its Jacobi reduction if the file asks for that. Throws InputError.
std::unique_ptr<System> parse_particle_parameters(const ParameterSection &root);

/// The section Radial Kepler: the radius alone of a body that a fixed centre attracts.
void declare_radial_kepler_parameters(ParameterSection &root);
std::unique_ptr<System> parse_radial_kepler_parameters(const ParameterSection &root);
}  // namespace freefall

#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/particles/particle_system.h>

#include <vector>

namespace freefall
{
/// The sections Water and Radial distribution within Particles.
void declare_water_parameters(ParameterSection &particles);
void declare_radial_distribution_parameters(ParameterSection &particles);

/// Whether a file asks for water molecules.
bool has_water(const ParameterSection &root);
/// The molecules of the section. Throws InputError, also when there are other particles or not three dimensions.
std::vector<Particle> parse_water_parameters(const ParameterSection &particles);
/// Tells the system which distances to count.
void parse_radial_distribution_parameters(const ParameterSection &particles, ParticleSystem &system);
}  // namespace freefall

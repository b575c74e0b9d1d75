#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/particles/particle_system.h>

namespace freefall
{
/// The section Constraints: holonomic constraints of particles, written there or in a CSV file.
void declare_constraint_parameters(ParameterSection &root);

/// Gives the system its constraints (or penalty terms in their place) and, if the file asks for that, an initial state on
/// their manifold. An initial state off the manifold is otherwise an InputError that tells the residual and the constraint.
void parse_constraint_parameters(const ParameterSection &root, ParticleSystem &system);
}  // namespace freefall

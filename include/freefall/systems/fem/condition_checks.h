#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/fem/solid_settings.h>

namespace freefall
{
/// What can be said about supports, loads and obstacles once the mesh is there: boundaries exist, bodies do not begin inside a
/// round or moving obstacle. Throws InputError naming section and key.
void check_conditions(const ParameterSection &root, const SolidSettings &settings, const SolidMesh &mesh);
}  // namespace freefall

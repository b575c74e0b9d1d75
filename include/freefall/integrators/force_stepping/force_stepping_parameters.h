#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/force_stepping/force_stepping.h>

namespace freefall
{
/// The parameters of force-stepping: engine, grid, spacing, shift, seed.
void declare_force_stepping_parameters(ParameterSection &section);

/// Throws InputError.
ForceSteppingSettings parse_force_stepping_parameters(const ParameterSection &section);
}  // namespace freefall

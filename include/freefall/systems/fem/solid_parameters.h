#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/fem/solid_system.h>

#include <string>
#include <vector>

namespace freefall
{
/// Declares the sections Body, Contact, Loads and Point of a solid.
void declare_solid_parameters(ParameterSection &root);

/// Reads them, with every check that needs no mesh. Throws InputError.
SolidSettings parse_solid_parameters(const ParameterSection &root);

/// Names for `freefall list`.
std::vector<std::string> material_names();
std::vector<std::string> mesh_names();
}  // namespace freefall

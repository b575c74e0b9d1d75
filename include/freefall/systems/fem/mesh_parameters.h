#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/fem/mesh_settings.h>

#include <string>
#include <vector>

namespace freefall
{
/// Declares the keys of a body's section Mesh and its section Placement.
void declare_mesh_parameters(ParameterSection &mesh);

/// Reads them, with every check that needs no mesh: a value that the type of mesh would ignore is a mistake, and a file must be
/// there. Throws InputError.
MeshSettings parse_mesh_parameters(const ParameterSection &mesh);

/// Names of the types, for `freefall list`.
std::vector<std::string> mesh_type_names();
}  // namespace freefall

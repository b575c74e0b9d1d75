#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/fem/solid_system.h>

#include <memory>

namespace freefall
{
/// Declares the sections Body, Finite elements, Contact, Loads and Point of a solid.
void declare_solid_parameters(ParameterSection &root);

/// Reads them, with every check that needs no mesh. Throws InputError.
SolidSettings parse_solid_parameters(const ParameterSection &root);

/// The solid itself: reads meshes, and checks what is said about them. Throws InputError.
std::unique_ptr<SolidSystem> make_solid(const ParameterSection &root);
}  // namespace freefall

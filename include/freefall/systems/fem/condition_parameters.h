#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/fem/condition_settings.h>

namespace freefall
{
/// Keys of the section Damping of a body.
void declare_damping_parameters(ParameterSection &damping);
DampingSettings parse_damping_parameters(const ParameterSection &damping);

/// The list Support at the root, Traction and Pressure in Loads, Sphere and Cylinder in Contact.
void declare_condition_parameters(ParameterSection &root);
ConditionSettings parse_condition_parameters(const ParameterSection &root);

/// The key Motion of an obstacle; empty when it is at rest.
void declare_motion(ParameterSection &obstacle);
std::string parse_motion(const ParameterSection &obstacle);
}  // namespace freefall

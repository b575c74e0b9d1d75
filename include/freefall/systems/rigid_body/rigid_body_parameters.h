#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/system.h>

#include <memory>

namespace freefall
{
/// The section Rigid body: a body that turns about its centre, for Problem = rigid body.
void declare_rigid_body_parameters(ParameterSection &root);
/// Throws InputError.
std::unique_ptr<System> parse_rigid_body_parameters(const ParameterSection &root);
}  // namespace freefall

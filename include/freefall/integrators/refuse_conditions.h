#pragma once

#include <freefall/core/errors.h>
#include <freefall/systems/conditions.h>
#include <freefall/systems/system.h>

#include <string>

namespace freefall
{
/// For methods that know a potential and fixed dofs only. Throws InputError that names what the system has beyond that.
inline void refuse_conditions(const System &system, const std::string &method)
{
  const Conditions *conditions = system.conditions();
  if (!conditions) return;
  std::string found;
  if (conditions->moves_supports()) found += "moving supports, ";
  if (conditions->has_loads()) found += "loads that depend on time or follow the motion (moving obstacles among them), ";
  if (conditions->has_damping()) found += "damping, ";
  if (found.empty()) return;
  found.resize(found.size() - 2);
  throw InputError(method + " cannot treat what this system has: " + found +
                   ". It needs a potential that does not depend on time. Take these away, or choose explicit Newmark.");
}
}  // namespace freefall

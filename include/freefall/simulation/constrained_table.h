#pragma once

#include <freefall/simulation/tables.h>

namespace freefall
{
/// The rows of the integrators for systems with constraints.
std::vector<IntegratorRow> constrained_rows();
}  // namespace freefall

#pragma once

#include <freefall/simulation/tables.h>

namespace freefall
{
/// The rows of the implicit methods with sparse solves, for systems of any size.
std::vector<IntegratorRow> implicit_rows();
}  // namespace freefall

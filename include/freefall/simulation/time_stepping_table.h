#pragma once

#include <freefall/simulation/tables.h>

namespace freefall
{
/// The rows of the time-stepping methods that need nothing but a step (or tolerances).
std::vector<IntegratorRow> time_stepping_rows();
}  // namespace freefall

#pragma once

#include <vector>

namespace freefall
{
class System;

/// A number in the whole system for each dof of this rank, one after another on the rank that owns them, the ranks in order.
/// Of a system in one process the number of a dof is the dof. Collective.
std::vector<int> global_numbers(const System &system);
}  // namespace freefall

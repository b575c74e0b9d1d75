#pragma once

#include <freefall/systems/system.h>

#include <string>

namespace freefall
{
/// The name of the dof with the largest |entry| of the whole system, the same on all ranks: for messages. What is not a number
/// counts as infinite. Collective.
std::string name_of_largest(const System &system, const Eigen::VectorXd &values);
}  // namespace freefall

#pragma once

#include <string>
#include <vector>

namespace freefall::ranks
{
/// The texts of all ranks, in their order, on rank 0; nothing on the others. Of any length. Collective.
std::vector<std::string> gather(const std::string &text);
/// The reverse: to each rank the one of rank 0's texts that is its own. Collective.
std::string scatter(const std::vector<std::string> &texts);
}  // namespace freefall::ranks

#pragma once

#include <string>
#include <vector>

namespace freefall
{
/// One number with the name of its column, such as {"linear_momentum_x", 2700}.
struct NamedValue
{
  std::string name;
  double value = 0;
};

using NamedValues = std::vector<NamedValue>;
}  // namespace freefall

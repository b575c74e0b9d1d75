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

/// A table for the folder of a run, as NAME.csv.
struct NumberTable
{
  std::string name;
  std::vector<NamedValues> rows;  ///< all with the same names
};
}  // namespace freefall

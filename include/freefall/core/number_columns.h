#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace freefall
{
/// A table of numbers, column by column, all of one length.
struct NumberColumns
{
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;

  /// The numbers of a column, or nothing.
  const std::vector<double> *find(const std::string &name) const
  {
    const auto place = std::find(names.begin(), names.end(), name);
    return place == names.end() ? nullptr : &values[place - names.begin()];
  }
};
}  // namespace freefall

#include <freefall/core/nearest_name.h>

#include <algorithm>

namespace freefall
{
namespace
{
constexpr int edit_cost = 2;
constexpr int case_cost = 1;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int replacement_cost(char a, char b)
{
  if (a == b) return 0;
  return lower(a) == lower(b) ? case_cost : edit_cost;
}
}  // namespace

int name_distance(std::string_view typed, std::string_view valid)
{
  // Rows i-2, i-1 and i of the table of distances between the first i letters typed and the first j valid ones.
  std::vector<int> before_last(valid.size() + 1), last(valid.size() + 1), row(valid.size() + 1);
  for (std::size_t j = 0; j <= valid.size(); ++j) row[j] = edit_cost * static_cast<int>(j);
  for (std::size_t i = 1; i <= typed.size(); ++i)
  {
    before_last.swap(last);
    last.swap(row);
    row[0] = edit_cost * static_cast<int>(i);
    for (std::size_t j = 1; j <= valid.size(); ++j)
    {
      row[j] =
        std::min({last[j] + edit_cost, row[j - 1] + edit_cost, last[j - 1] + replacement_cost(typed[i - 1], valid[j - 1])});
      const bool swapped = i > 1 && j > 1 && typed[i - 1] == valid[j - 2] && typed[i - 2] == valid[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + edit_cost);
    }
  }
  return row[valid.size()];
}

int largest_plausible_distance(std::string_view typed) { return edit_cost * std::max(1, static_cast<int>(typed.size()) / 3); }

std::optional<std::string> nearest_name(std::string_view typed, const std::vector<std::string> &candidates)
{
  std::optional<std::string> nearest;
  int smallest = largest_plausible_distance(typed) + 1;
  for (const std::string &candidate : candidates)
  {
    const int distance = name_distance(typed, candidate);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string> &candidates)
{
  const auto nearest = nearest_name(typed, candidates);
  return nearest ? " Did you mean \"" + *nearest + "\"?" : "";
}
}  // namespace freefall

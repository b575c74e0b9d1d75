#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace freefall
{
/// How far a typed name is from a valid one: the optimal string alignment distance (insert, delete, replace, swap of
/// neighbours), with two points for each edit and one for a mere change between upper and lower case.
int name_distance(std::string_view typed, std::string_view valid);

/// The largest distance at which two names still look like one mistyped: an edit for every three letters typed, and one
/// edit for the shortest names.
int largest_plausible_distance(std::string_view typed);

/// The nearest candidate within the plausible distance; the first of equals.
std::optional<std::string> nearest_name(std::string_view typed, const std::vector<std::string> &candidates);

/// ` Did you mean "Density"?` with its leading space, or nothing: to be appended to a sentence.
std::string did_you_mean(std::string_view typed, const std::vector<std::string> &candidates);
}  // namespace freefall

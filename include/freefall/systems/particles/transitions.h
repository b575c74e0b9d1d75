#pragma once

#include <freefall/core/named_value.h>

#include <vector>

namespace freefall
{
/// Two states of a slow variable: below `lower` and above `upper`. In between it is on its way.
struct TransitionLevels
{
  double lower, upper;
};

/// How often values at increasing times went from one state to the other: n_transitions, and first_transition_time (when the
/// other state was reached for the first time) if there is one. To turn back on the way is no transition.
NamedValues count_transitions(const std::vector<double> &times, const std::vector<double> &values, const TransitionLevels &levels);
}  // namespace freefall

#include <freefall/systems/particles/transitions.h>

namespace freefall
{
NamedValues count_transitions(const std::vector<double> &times, const std::vector<double> &values, const TransitionLevels &levels)
{
  enum class Place
  {
    unknown,
    below,
    above
  };
  Place last = Place::unknown;
  double count = 0, first = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const Place now = values[i] < levels.lower ? Place::below : values[i] > levels.upper ? Place::above : Place::unknown;
    if (now == Place::unknown) continue;
    if (last != Place::unknown && now != last && ++count == 1) first = times[i];
    last = now;
  }
  NamedValues result{{"n_transitions", count}};
  if (count > 0) result.push_back({"first_transition_time", first});
  return result;
}
}  // namespace freefall

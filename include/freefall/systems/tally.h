#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/named_value.h>
#include <freefall/core/state.h>

#include <vector>

namespace freefall
{
/// Gathers statistics of the states of a run, such as a histogram of distances: made by a System, shown the state each time the
/// energy is looked at (Checks/Check interval), written to the folder when the run ends.
class Tally
{
public:
  virtual ~Tally() = default;

  virtual void sample(const State &state) = 0;
  virtual std::vector<NumberTable> tables() const = 0;
  /// Saves or loads all that was gathered.
  virtual void archive(Archive &archive) = 0;
};
}  // namespace freefall

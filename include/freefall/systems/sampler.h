#pragma once

#include <freefall/core/state.h>

namespace freefall
{
/// A system that looks at its motion between the rows of the history, to observe means over time.
///
/// What it keeps belongs to archive() of the system; it does not change the motion.
class Sampler
{
public:
  virtual ~Sampler() = default;

  /// At most this far apart, in s, it wants to see states (a value below the step means every step); infinity: none.
  virtual double sampling_interval() const = 0;
  /// A state of the run, in the order of time, the initial one first.
  virtual void sample(const State &state) = 0;
};
}  // namespace freefall

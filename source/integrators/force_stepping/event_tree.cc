#include <freefall/integrators/force_stepping/event_tree.h>

namespace freefall::force_stepping
{
void EventTree::reset(int n)
{
  levels_.clear();
  do
  {
    n = (n + group - 1) / group;
    levels_.emplace_back(n * group, std::numeric_limits<double>::infinity());
  } while (n > 1);
}

void EventTree::set(int entry, double time)
{
  levels_[0][entry] = time;
  for (std::size_t level = 1; level < levels_.size(); ++level)
  {
    entry /= group;
    const double smallest = smallest_of_group(&levels_[level - 1][entry * group]);
    if (levels_[level][entry] == smallest) return;
    levels_[level][entry] = smallest;
  }
}

int EventTree::winner() const
{
  const double time = earliest();
  int entry = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
  {
    entry *= group;
    while ((*level)[entry] != time) ++entry;
  }
  return entry;
}

void EventTree::archive(Archive &archive)
{
  // All levels: what of a higher one can be computed from the first costs a seventh of it.
  for (auto &level : levels_) archive("times", level);
}
}  // namespace freefall::force_stepping

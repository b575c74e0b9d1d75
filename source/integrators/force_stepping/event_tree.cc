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

int EventTree::winner() const { return descend(levels_.size(), 0, earliest()); }

int EventTree::descend(std::size_t level, int entry, double time) const
{
  while (level-- > 0)
  {
    entry *= group;
    while (levels_[level][entry] != time) ++entry;
  }
  return entry;
}

int EventTree::upcoming(int n) const
{
  const double *top = levels_.back().data();
  for (int entry = 0; entry < group; ++entry)
  {
    int n_before = 0;
    for (int other = 0; other < group; ++other) n_before += top[other] < top[entry];
    if (n_before == n && top[entry] < std::numeric_limits<double>::infinity())
      return descend(levels_.size() - 1, entry, top[entry]);
  }
  return -1;
}

std::size_t EventTree::memory_bytes() const
{
  std::size_t n = 0;
  for (const auto &level : levels_) n += level.capacity();
  return n * sizeof(double);
}

void EventTree::archive(Archive &archive)
{
  // All levels: what of a higher one can be computed from the first costs a seventh of it.
  for (auto &level : levels_) archive.array_of("times", level.data(), level.size());
}
}  // namespace freefall::force_stepping

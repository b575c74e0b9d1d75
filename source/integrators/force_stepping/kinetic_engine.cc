#include <freefall/integrators/force_stepping/kinetic_engine.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace freefall::force_stepping
{
KineticEngine::KineticEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : motions_(system, grid, start, state), order_(motions_.n_free()), slot_(motions_.n_free())
{
  std::vector<int> number(system.n_dofs());
  for (int dof = 0; dof < n(); ++dof) number[motions_.couplings().system_dof(dof)] = dof;
  for (int slot = 0; slot < n(); ++slot)
  {
    order_[slot] = number[start.simplex.order[slot]];
    slot_[order_[slot]] = slot;
  }
  queue_.reset(n() + 2);
  if (n() == 0) return;
  for (int dof = 0; dof < n(); ++dof) watch_successor(dof, state.time);
  watch_first(state.time);
  watch_last(state.time);
}

void KineticEngine::watch_successor(int dof, double now, bool just_swapped)
{
  if (dof == last())
  {
    queue_.set(dof, std::numeric_limits<double>::infinity());
    return;
  }
  const Parabola &ahead = motions_.parabola(dof), &behind = motions_.parabola(order_[slot_after(slot_[dof])]);
  double difference = ahead.position_at(now) - behind.position_at(now);
  double velocity = ahead.velocity_at(now) - behind.velocity_at(now);
  if (just_swapped)
  {
    difference = 0;
    velocity = std::max(velocity, 0.);
  }
  queue_.set(dof, now + first_exit(difference, velocity, ahead.half_acceleration - behind.half_acceleration));
}

void KineticEngine::watch_first(double now)
{
  const Parabola &parabola = motions_.parabola(first());
  queue_.set(n(), now + first_exit(1 - parabola.position_at(now), -parabola.velocity_at(now), -parabola.half_acceleration));
}

void KineticEngine::watch_last(double now)
{
  const Parabola &parabola = motions_.parabola(last());
  queue_.set(n() + 1, now + first_exit(parabola.position_at(now), parabola.velocity_at(now), parabola.half_acceleration));
}

void KineticEngine::swap(int ahead, double now)
{
  const int slot = slot_[ahead], next_slot = slot_after(slot);
  const int behind = order_[next_slot];
  const int pair = motions_.couplings().pair_of(ahead, behind);
  if (pair >= 0)
  {
    if (motions_.swap(pair, ahead, behind, now) >= 0)
      throw std::logic_error("force-stepping: neighbours in the global order are not neighbours in a term");
    ++n_force_changes_;
  }
  const bool was_first = slot == head_, is_last = next_slot == slot_before(head_);
  order_[slot] = behind;
  order_[next_slot] = ahead;
  slot_[behind] = slot;
  slot_[ahead] = next_slot;
  if (!was_first) watch_successor(order_[slot_before(slot)], now);
  watch_successor(behind, now, true);
  watch_successor(ahead, now);
  if (was_first) watch_first(now);
  if (is_last) watch_last(now);
}

void KineticEngine::leave_cell(bool upward, double now)
{
  const int dof = upward ? first() : last();
  const bool reflected = motions_.leave_cell(dof, upward, now);
  ++n_force_changes_;
  if (!reflected) head_ = upward ? slot_after(head_) : slot_before(head_);
  watch_successor(dof, now);
  if (n() > 1) watch_successor(order_[slot_before(slot_[dof])], now);
  watch_first(now);
  watch_last(now);
}

Event KineticEngine::pending_event()
{
  const int entry = queue_.winner();
  const auto system_dof = [&](int dof) { return motions_.couplings().system_dof(dof); };
  if (entry == n()) return {queue_.earliest(), system_dof(first()), -1, true};
  if (entry == n() + 1) return {queue_.earliest(), system_dof(last()), -1, false};
  return {queue_.earliest(), system_dof(entry), system_dof(order_[slot_after(slot_[entry])]), false};
}

Event KineticEngine::apply_next_event()
{
  const Event event = pending_event();
  const int entry = queue_.winner();
  if (entry < n())
    swap(entry, event.time);
  else
    leave_cell(entry == n(), event.time);
  return event;
}

std::int64_t KineticEngine::n_possible_crossings() const { return std::int64_t(n()) * (n() + 1) / 2; }

std::size_t KineticEngine::memory_bytes() const { return motions_.memory_bytes() + n() * (2 * sizeof(int) + sizeof(double)); }

void KineticEngine::archive(Archive &archive)
{
  motions_.archive(archive);
  archive("order", order_);
  archive("slot", slot_);
  archive("head", head_);
  queue_.archive(archive);
  archive("n_force_changes", n_force_changes_);
}
}  // namespace freefall::force_stepping

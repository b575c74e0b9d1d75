#include <freefall/integrators/force_stepping/local_engine.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace freefall::force_stepping
{
namespace
{
/// Below this difference of fractions the order in the terms says who is ahead. Far above rounding, far below a usual gap.
constexpr double close_difference = 1e-7;
constexpr double never = std::numeric_limits<double>::infinity();
}  // namespace

LocalEngine::LocalEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : motions_(system, grid, start, state), watches_(motions_.n_free()), changed_(motions_.n_free(), 0)
{
  const Couplings &couplings = motions_.couplings();
  n_possible_crossings_ = couplings.n_coupled_pairs() + couplings.n_free();
  const int most = couplings.largest_neighbourhood();
  coupled_.resize(most);
  for (auto *scratch : {&difference_, &velocity_, &half_acceleration_, &limit_, &crossing_}) scratch->resize(most);
  queue_.reset(motions_.n_free());
  for (int dof = 0; dof < motions_.n_free(); ++dof) scan(dof, state.time);
}

int LocalEngine::gather_coupled(int dof, double now)
{
  const Couplings &couplings = motions_.couplings();
  const Parabola &own = motions_.parabola(dof);
  const double position = own.position_at(now), velocity = own.velocity_at(now), half_acceleration = own.half_acceleration;
  const double *const watch_times = queue_.times();
  int n = 0;
  for (const auto &neighbour : couplings.neighbours(couplings.block_of(dof)))
    for (int other = couplings.block_begin(neighbour.block); other < couplings.block_end(neighbour.block); ++other, ++n)
    {
      const Parabola &parabola = motions_.parabola(other);
      coupled_[n] = other;
      difference_[n] = position - parabola.position_at(now);
      velocity_[n] = velocity - parabola.velocity_at(now);
      half_acceleration_[n] = half_acceleration - parabola.half_acceleration;
      limit_[n] = watch_times[other];
    }
  return n;
}

void LocalEngine::settle_close_pairs(int dof, double now, int n_coupled, int just_swapped, bool ahead_of_it)
{
  for (int n = 0; n < n_coupled; ++n)
  {
    const int other = coupled_[n];
    if (!(std::fabs(difference_[n]) < close_difference) || other == dof) continue;
    const bool swapped = other == just_swapped;
    const bool ahead = swapped ? ahead_of_it : motions_.orders().is_ahead(motions_.couplings().pair_of(dof, other), dof, other);
    const double sign = ahead ? 1 : -1;
    const double velocity = sign * velocity_[n];
    const double tau = first_exit(swapped ? 0 : sign * difference_[n], swapped ? std::max(velocity, 0.) : velocity,
                                  sign * half_acceleration_[n]);
    crossing_[n] = now + tau < limit_[n] ? now + tau : never;
  }
}

void LocalEngine::scan(int dof, double now, int just_swapped, bool ahead_of_it)
{
  const int n_coupled = gather_coupled(dof, now);
  const double *__restrict__ difference = difference_.data(), *__restrict__ velocity = velocity_.data();
  const double *__restrict__ half_acceleration = half_acceleration_.data(), *__restrict__ limit = limit_.data();
  double *__restrict__ crossing = crossing_.data();
  int n_close = 0;
  for (int n = 0; n < n_coupled; ++n)
  {
    const double sign = std::copysign(1., difference[n]);
    const double time = now + first_exit(sign * difference[n], sign * velocity[n], sign * half_acceleration[n]);
    crossing[n] = time < limit[n] ? time : never;
    n_close += sign * difference[n] < close_difference;
  }
  // The dof itself is among its coupled dofs, at difference zero.
  if (n_close > 1) settle_close_pairs(dof, now, n_coupled, just_swapped, ahead_of_it);

  const Parabola &own = motions_.parabola(dof);
  const double w = own.position_at(now), rate = own.velocity_at(now);
  const double upward = now + first_exit(1 - w, -rate, -own.half_acceleration);
  const double downward = now + first_exit(w, rate, own.half_acceleration);
  double earliest = std::min(upward, downward);
  int expected = upward < downward ? leave_upward : leave_downward;
  for (int n = 0; n < n_coupled; ++n)
    if (crossing[n] < earliest)
    {
      earliest = crossing[n];
      expected = coupled_[n];
    }
  watches_[dof] = {expected, n_events_};
  queue_.set(dof, earliest);
}

double LocalEngine::next_event_time()
{
  while (queue_.earliest() < never)
  {
    const int dof = queue_.winner();
    const Watch &watch = watches_[dof];
    if (watch.expected < 0 || changed_[watch.expected] <= watch.scanned) break;
    ++n_rescans_;
    scan(dof, queue_.earliest());
  }
  return queue_.earliest();
}

LocalEngine::Crossing LocalEngine::expected_crossing(int dof) const
{
  const int expected = watches_[dof].expected;
  if (expected < 0) return {dof, expected};
  const bool ahead = motions_.orders().is_ahead(motions_.couplings().pair_of(dof, expected), dof, expected);
  return ahead ? Crossing{dof, expected} : Crossing{expected, dof};
}

int LocalEngine::try_crossing(const Crossing &crossing, double now)
{
  const auto [dof, expected] = crossing;
  if (expected < 0)
  {
    const bool upward = expected == leave_upward;
    const int blocker = motions_.orders().beyond(dof, upward);
    if (blocker >= 0) return blocker;
    motions_.leave_cell(dof, upward, now);
    changed_[dof] = ++n_events_;
    scan(dof, now);
    return -1;
  }
  const int blocker = motions_.swap(motions_.couplings().pair_of(dof, expected), dof, expected, now);
  if (blocker >= 0) return blocker;
  changed_[dof] = changed_[expected] = ++n_events_;
  scan(dof, now, expected, false);
  scan(expected, now, dof, true);
  return -1;
}

LocalEngine::Crossing LocalEngine::unblock(const Crossing &crossing, int blocker, double now) const
{
  // Whether i moves away from j faster than upwards of it, by velocity and then acceleration.
  const auto faster = [&](int i, int j)
  {
    const Parabola &a = motions_.parabola(i), &b = motions_.parabola(j);
    const double difference = a.velocity_at(now) - b.velocity_at(now);
    return difference != 0 ? difference > 0 : a.half_acceleration > b.half_acceleration;
  };
  const auto [dof, expected] = crossing;
  if (expected == leave_upward) return faster(dof, blocker) ? Crossing{blocker, dof} : Crossing{blocker, leave_upward};
  if (expected == leave_downward) return faster(blocker, dof) ? Crossing{dof, blocker} : Crossing{blocker, leave_downward};
  // dof, blocker and expected meet; dof falls behind expected, so it falls behind the blocker, or that behind expected.
  return faster(blocker, dof) ? Crossing{dof, blocker} : Crossing{blocker, expected};
}

Event LocalEngine::event_of(const Crossing &crossing, double time) const
{
  const auto system_dof = [&](int dof) { return dof < 0 ? -1 : motions_.couplings().system_dof(dof); };
  return {time, system_dof(crossing.dof), system_dof(crossing.expected), crossing.expected == leave_upward};
}

Event LocalEngine::pending_event()
{
  const double time = next_event_time();
  return event_of(expected_crossing(queue_.winner()), time);
}

Event LocalEngine::apply_next_event()
{
  const double now = next_event_time();
  Crossing crossing = expected_crossing(queue_.winner());
  for (std::int64_t attempt = 0; attempt <= n_possible_crossings_; ++attempt)
  {
    const int blocker = try_crossing(crossing, now);
    if (blocker < 0) return event_of(crossing, now);
    crossing = unblock(crossing, blocker, now);
  }
  throw std::logic_error("force-stepping: dofs that meet at one instant block each other in a circle");
}

std::size_t LocalEngine::memory_bytes() const
{
  return motions_.memory_bytes() + watches_.capacity() * (sizeof(Watch) + sizeof(std::int64_t) + 10 * sizeof(double) / 8);
}
}  // namespace freefall::force_stepping

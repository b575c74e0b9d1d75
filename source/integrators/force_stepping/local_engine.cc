#include <freefall/core/simd.h>
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
/// Finite, so that products with zero are zero.
constexpr double far_future = 1e100;
}  // namespace

LocalEngine::LocalEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : motions_(system, grid, start, state), watches_(motions_.n_free()), changed_(motions_.n_free(), 0)
{
  const Couplings &couplings = motions_.couplings();
  n_possible_crossings_ = couplings.n_coupled_pairs() + couplings.n_free();
  const int most = couplings.largest_neighbourhood() + batch_size;
  scratch_.dof.resize(most);
  for (auto *values : {&scratch_.w, &scratch_.velocity, &scratch_.half_acceleration, &scratch_.t0, &scratch_.watch})
    values->resize(most);
  queue_.reset(motions_.n_free());
  for (int dof = 0; dof < motions_.n_free(); ++dof) scan(dof, state.time);
}

int LocalEngine::gather_coupled(int dof)
{
  const Couplings &couplings = motions_.couplings();
  const double *const watch_times = queue_.times();
  int n = 0;
  for (const auto &neighbour : couplings.neighbours(couplings.block_of(dof)))
    for (int other = couplings.block_begin(neighbour.block); other < couplings.block_end(neighbour.block); ++other, ++n)
    {
      const Parabola &parabola = motions_.parabola(other);
      scratch_.dof[n] = other;
      scratch_.w[n] = parabola.w;
      scratch_.velocity[n] = parabola.velocity;
      scratch_.half_acceleration[n] = parabola.half_acceleration;
      scratch_.t0[n] = parabola.t0;
      scratch_.watch[n] = watch_times[other];
    }
  // Fill the last batch with dofs that are never met.
  for (; n % batch_size != 0; ++n) scratch_.watch[n] = -never;
  return n;
}

void LocalEngine::scan(int dof, double now, const JustSwapped *swapped)
{
  const Parabola &own = motions_.parabola(dof);
  const double w = own.position_at(now), rate = own.velocity_at(now);
  const double upward = now + first_exit(1 - w, -rate, -own.half_acceleration);
  const double downward = now + first_exit(w, rate, own.half_acceleration);
  double earliest = std::min(upward, downward);
  int expected = upward < downward ? leave_upward : leave_downward;

  const int n_coupled = gather_coupled(dof);
  for (int n = 0; n < n_coupled; n += batch_size)
  {
    const Batch elapsed = Batch(now) - Batch::load_unaligned(&scratch_.t0[n]);
    const Batch v = Batch::load_unaligned(&scratch_.velocity[n]), a = Batch::load_unaligned(&scratch_.half_acceleration[n]);
    const Batch slope = xsimd::fma(elapsed, a, v);
    const Batch difference = Batch(w) - xsimd::fma(elapsed, slope, Batch::load_unaligned(&scratch_.w[n]));
    const Batch velocity = Batch(rate) - xsimd::fma(elapsed, a, slope);
    const Batch half_acceleration = Batch(own.half_acceleration) - a;
    // Only crossings before both watches count. With f >= 0 now: f < 0 at that horizon, or a dip below zero before it.
    const Batch horizon =
      xsimd::min(xsimd::min(Batch::load_unaligned(&scratch_.watch[n]), Batch(earliest)) - Batch(now), Batch(far_future));
    const Batch f = xsimd::abs(difference), sign = xsimd::copysign(Batch(1.), difference);
    const Batch b = sign * velocity, c = sign * half_acceleration;
    const auto crossed = xsimd::fma(horizon, xsimd::fma(horizon, c, b), f) < Batch(0.);
    const auto dips = (b < Batch(0.)) && (b * b > Batch(4.) * c * f) && (-b < Batch(2.) * c * horizon);
    const auto close = f < Batch(close_difference);
    if (!xsimd::any((crossed || dips || close) && (horizon >= Batch(0.)))) continue;
    velocity.store_unaligned(&scratch_.velocity[n]);
    difference.store_unaligned(&scratch_.w[n]);
    half_acceleration.store_unaligned(&scratch_.half_acceleration[n]);
    for (int lane = n; lane < n + batch_size; ++lane)
    {
      if (!(scratch_.watch[lane] >= now) || scratch_.dof[lane] == dof) continue;
      const double time = now + time_to_crossing(dof, lane, swapped);
      if (!(time < earliest && time < scratch_.watch[lane])) continue;
      earliest = time;
      expected = scratch_.dof[lane];
    }
  }
  watches_[dof] = {expected, n_events_};
  queue_.set(dof, earliest);
}

double LocalEngine::time_to_crossing(int dof, int lane, const JustSwapped *swapped) const
{
  const double difference = scratch_.w[lane], velocity = scratch_.velocity[lane];
  const double half_acceleration = scratch_.half_acceleration[lane];
  const int other = scratch_.dof[lane];
  if (swapped && other == swapped->other)
  {
    const double sign = swapped->ahead_of_it ? 1 : -1;
    return first_exit(0, std::max(sign * velocity, 0.), sign * half_acceleration);
  }
  bool ahead = difference > 0;
  if (std::fabs(difference) < close_difference)
    ahead = motions_.orders().is_ahead(motions_.couplings().pair_of(dof, other), dof, other);
  const double sign = ahead ? 1 : -1;
  return first_exit(sign * difference, sign * velocity, sign * half_acceleration);
}

double LocalEngine::next_event_time()
{
  while (queue_.earliest() < never)
  {
    next_ = queue_.winner();
    const Watch &watch = watches_[next_];
    if (watch.expected < 0 || changed_[watch.expected] <= watch.scanned) break;
    ++n_rescans_;
    scan(next_, queue_.earliest());
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
  const JustSwapped seen_from_dof{expected, false}, seen_from_expected{dof, true};
  scan(dof, now, &seen_from_dof);
  scan(expected, now, &seen_from_expected);
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
  return event_of(expected_crossing(next_), time);
}

Event LocalEngine::apply_next_event()
{
  const double now = queue_.earliest();
  Crossing crossing = expected_crossing(next_);
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

#include <freefall/core/simd.h>
#include <freefall/integrators/force_stepping/local_engine.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall::force_stepping
{
namespace
{
/// Below this difference of fractions the order in the terms says who is ahead. Far above rounding, far below a usual gap.
constexpr double close_difference = 1e-7;
constexpr double never = std::numeric_limits<double>::infinity();
/// Finite, so that products with zero are zero.
constexpr double far_future = 1e100;

/// Bit i says whether the condition holds in lane i.
unsigned int lane_bits(const Batch::batch_bool_type &condition)
{
#ifdef __AVX__
  return static_cast<unsigned int>(_mm256_movemask_pd(condition.data));
#else
  bool lanes[batch_size];
  condition.store_unaligned(lanes);
  unsigned int bits = 0;
  for (int lane = 0; lane < batch_size; ++lane) bits |= static_cast<unsigned int>(lanes[lane]) << lane;
  return bits;
#endif
}

/// first_exit() for lanes of c, b, a with c >= 0.
Batch first_exits(const Batch &c, const Batch &b, const Batch &a)
{
  const Batch zero(0.), discriminant = b * b - Batch(4.) * a * c;
  const Batch root = xsimd::abs(b) + xsimd::sqrt(xsimd::max(discriminant, zero));
  const auto approaching = b < zero;
  const Batch tau = xsimd::select(approaching, c + c, root) / xsimd::select(approaching, root, Batch(-2.) * a);
  return xsimd::select((approaching && discriminant > zero) || (!approaching && a < zero), tau, Batch(never));
}

Batch two(double first, double second)
{
  if constexpr (batch_size == 4)
    return {first, second, first, second};
  else
    return {first, second};
}
}  // namespace

LocalEngine::LocalEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : motions_(system, grid, start, state), watches_(motions_.n_free()), versions_(motions_.n_free(), 0)
{
  const Couplings &couplings = motions_.couplings();
  is_large_ = couplings.n_free() > 20000;  // some 7 MB: more than a core's own cache
  n_possible_crossings_ = couplings.n_coupled_pairs() + couplings.n_free();
  queue_.reset(motions_.n_free());
  for (int dof = 0; dof < motions_.n_free(); ++dof) motions_.set_watch(dof, never);
  for (int dof = 0; dof < motions_.n_free(); ++dof) scan(dof, state.time);
}

inline std::uint64_t LocalEngine::candidates(const Seeker &seeker, double horizon, Span<const Couplings::Neighbour> list) const
{
  const Couplings &couplings = motions_.couplings();
  const MotionRecords &records = motions_.records();
  const JustSwapped *swapped = seeker.swapped;
  const int own_block = couplings.block_of(seeker.dof), met_block = swapped ? couplings.block_of(swapped->other) : -1;
  const unsigned int all = (1u << records.n_lanes()) - 1, all_but_itself = all & ~(1u << motions_.lane_of(seeker.dof));
  const unsigned int all_but_met = swapped ? ~(1u << motions_.lane_of(swapped->other)) : 0;
  const Batch now(seeker.now), zero(0.);
  std::uint64_t found = 0;
  for (int n = 0; n < static_cast<int>(list.size()); ++n)
  {
    const int block = list[n].block;
    const unsigned int sought = (block == own_block ? all_but_itself : all) & (block == met_block ? all_but_met : ~0u);
    for (int first = 0; first < records.n_lanes(); first += batch_size)
    {
      const MotionRecords::Lanes other = records.load(block, first);
      const Batch elapsed = now - other.t0;
      const Batch slope = xsimd::fma(elapsed, other.half_acceleration, other.velocity);
      const Batch difference = Batch(seeker.w) - xsimd::fma(elapsed, slope, other.w);
      const Batch velocity = Batch(seeker.velocity) - xsimd::fma(elapsed, other.half_acceleration, slope);
      // The distance f + b tau + a tau^2, f >= 0, is not below the same with b and a cut at zero, which falls until the
      // horizon.
      const Batch sign = xsimd::bitwise_and(difference, Batch(-0.)), b = xsimd::bitwise_xor(velocity, sign);
      const Batch a = xsimd::bitwise_xor(Batch(seeker.half_acceleration) - other.half_acceleration, sign);
      const Batch time = xsimd::min(other.watch, Batch(horizon)) - now;
      const Batch least = xsimd::fma(time, xsimd::fma(time, xsimd::min(a, zero), xsimd::min(b, zero)), xsimd::abs(difference));
      const unsigned int lanes = lane_bits(least < Batch(close_difference)) & (sought >> first);
      found |= static_cast<std::uint64_t>(lanes) << (Couplings::most_dofs_per_block * n + first);
    }
  }
  return found;
}

inline void LocalEngine::meet(const Seeker &seeker, int other, int pair, Encounter &next) const
{
  const Parabola parabola = motions_.parabola(other);
  const double now = seeker.now, velocity = seeker.velocity - parabola.velocity_at(now);
  const double half_acceleration = seeker.half_acceleration - parabola.half_acceleration;
  bool is_ahead;
  double tau;
  if (seeker.swapped && other == seeker.swapped->other)
  {
    is_ahead = seeker.swapped->ahead_of_it;
    const double sign = is_ahead ? 1 : -1;
    tau = first_exit(0, std::max(sign * velocity, 0.), sign * half_acceleration);
  }
  else
  {
    const double difference = seeker.w - parabola.position_at(now);
    is_ahead = std::fabs(difference) < close_difference ? motions_.orders().is_ahead(pair, seeker.dof, other) : difference > 0;
    const double sign = is_ahead ? 1 : -1;
    tau = first_exit(sign * difference, sign * velocity, sign * half_acceleration);
  }
  const double time = now + tau;
  if (time < next.time && time < motions_.watch(other)) next = {time, other, pair, is_ahead};
}

void LocalEngine::scan(int dof, double now, const JustSwapped *swapped)
{
  const Parabola own = motions_.parabola(dof);
  const Seeker seeker{dof, now, own.position_at(now), own.velocity_at(now), own.half_acceleration, swapped};
  double exits[batch_size];
  first_exits(xsimd::max(two(1 - seeker.w, seeker.w), Batch(0.)), two(-seeker.velocity, seeker.velocity),
              two(-seeker.half_acceleration, seeker.half_acceleration))
    .store_unaligned(exits);
  Encounter next{now + std::min(exits[0], exits[1]), exits[0] < exits[1] ? leave_upward : leave_downward, -1, true};
  if (swapped) meet(seeker, swapped->other, swapped->pair, next);

  // First all coupled dofs that may cross before both watches, without branches that nobody can predict; then their times.
  const Couplings &couplings = motions_.couplings();
  const auto list = couplings.neighbours(couplings.block_of(dof));
  constexpr std::size_t most_lanes = Couplings::most_dofs_per_block, at_once = 64 / most_lanes;
  for (std::size_t begin = 0; begin < list.size(); begin += at_once)
  {
    const Span<const Couplings::Neighbour> part(list.begin() + begin, std::min(at_once, list.size() - begin));
    for (std::uint64_t found = candidates(seeker, std::min(next.time, far_future), part); found != 0; found &= found - 1)
    {
      const auto place = static_cast<std::size_t>(__builtin_ctzll(found));
      const Couplings::Neighbour &neighbour = part[place / most_lanes];
      meet(seeker, couplings.block_begin(neighbour.block) + static_cast<int>(place % most_lanes), neighbour.pair, next);
    }
  }
  watches_[dof] = {next.with, next.pair, next.is_ahead, next.with < 0 ? 0 : versions_[next.with] & version_bits};
  motions_.set_watch(dof, next.time);
  queue_.set(dof, next.time);
}

void LocalEngine::prefetch_coupled(int dof) const
{
  const Couplings &couplings = motions_.couplings();
  for (const auto &neighbour : couplings.neighbours(couplings.block_of(dof))) motions_.records().prefetch(neighbour.block);
}

void LocalEngine::prefetch_upcoming() const
{
  const Couplings &couplings = motions_.couplings();
  if (const int soon = queue_.upcoming(1); soon >= 0)
  {
    const int expected = watches_[soon].expected, pair = watches_[soon].pair;
    prefetch_coupled(soon);
    if (expected >= 0) prefetch_coupled(expected);
    motions_.orders().prefetch(expected >= 0 ? pair : couplings.own_pair(couplings.block_of(soon)));
  }
  if (const int later = queue_.upcoming(3); later >= 0)
  {
    const int expected = watches_[later].expected, pair = watches_[later].pair;
    couplings.prefetch_lists(later, pair);
    if (expected >= 0) couplings.prefetch_lists(expected, pair);
  }
}

double LocalEngine::next_event_time()
{
  while (queue_.earliest() < never)
  {
    next_ = queue_.winner();
    const Watch &watch = watches_[next_];
    if (watch.expected < 0 || (versions_[watch.expected] & version_bits) == watch.version) break;
    ++n_rescans_;
    scan(next_, queue_.earliest());
  }
  return queue_.earliest();
}

LocalEngine::Crossing LocalEngine::expected_crossing(int dof) const
{
  const Watch &watch = watches_[dof];
  if (watch.is_ahead) return {dof, watch.expected, watch.pair};
  return {watch.expected, dof, watch.pair};
}

int LocalEngine::try_crossing(const Crossing &crossing, double now)
{
  const auto [dof, expected, pair] = crossing;
  if (expected < 0)
  {
    const bool upward = expected == leave_upward;
    const int blocker = motions_.orders().beyond(dof, upward);
    if (blocker >= 0) return blocker;
    prefetch_coupled(dof);
    motions_.leave_cell(dof, upward, now);
    ++versions_[dof];
    ++n_events_;
    scan(dof, now);
    return -1;
  }
  prefetch_coupled(dof);
  prefetch_coupled(expected);
  const int blocker = motions_.swap(pair, dof, expected, now);
  if (blocker >= 0) return blocker;
  ++versions_[dof];
  ++versions_[expected];
  ++n_events_;
  const JustSwapped seen_from_dof{expected, pair, false}, seen_from_expected{dof, pair, true};
  scan(dof, now, &seen_from_dof);
  scan(expected, now, &seen_from_expected);
  return -1;
}

LocalEngine::Crossing LocalEngine::unblock(const Crossing &crossing, int blocker, double now, bool second_choice) const
{
  // Whether i gets ahead of j, where they meet, by velocity and then acceleration.
  const auto faster = [&](int i, int j)
  {
    const Parabola a = motions_.parabola(i), b = motions_.parabola(j);
    const double difference = a.velocity_at(now) - b.velocity_at(now);
    return difference != 0 ? difference > 0 : a.half_acceleration > b.half_acceleration;
  };
  const int dof = crossing.dof, expected = crossing.expected;
  const auto swap = [&](int ahead, int behind) { return Crossing{ahead, behind, motions_.couplings().pair_of(ahead, behind)}; };
  if (expected == leave_upward) return faster(dof, blocker) ? swap(blocker, dof) : Crossing{blocker, leave_upward, -1};
  if (expected == leave_downward) return faster(blocker, dof) ? swap(dof, blocker) : Crossing{blocker, leave_downward, -1};
  // dof, blocker and expected meet; dof falls behind expected, so it falls behind the blocker, or that behind expected.
  const bool dof_first = faster(blocker, dof) && !(second_choice && faster(expected, blocker));
  return dof_first ? swap(dof, blocker) : swap(blocker, expected);
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
  if (is_large_) prefetch_upcoming();
  Crossing crossing = expected_crossing(next_);
  for (std::int64_t attempt = 0; attempt <= n_possible_crossings_; ++attempt)
  {
    const int blocker = try_crossing(crossing, now);
    if (blocker < 0) return event_of(crossing, now);
    // An irregular sequence of choices, so that no circle is repeated for ever.
    crossing = unblock(crossing, blocker, now, (attempt / (1 + attempt % 7)) % 2 == 1);
  }
  throw CrossingsBlocked("dofs that meet at one instant block each other in a circle");
}

std::size_t LocalEngine::memory_bytes() const
{
  return motions_.memory_bytes() + queue_.memory_bytes() + watches_.capacity() * sizeof(Watch) +
         versions_.capacity() * sizeof(std::uint32_t);
}

void LocalEngine::archive(Archive &archive)
{
  motions_.archive(archive);
  queue_.archive(archive);
  std::vector<int> expected(watches_.size()), pair(watches_.size()), is_ahead(watches_.size());
  std::vector<std::int64_t> expected_version(watches_.size()), version(watches_.size());
  for (std::size_t i = 0; i < watches_.size(); ++i)
  {
    expected[i] = watches_[i].expected;
    pair[i] = watches_[i].pair;
    is_ahead[i] = watches_[i].is_ahead;
    expected_version[i] = watches_[i].version;
    version[i] = versions_[i];
  }
  archive("expected", expected);
  archive("pair", pair);
  archive("is_ahead", is_ahead);
  archive("expected_version", expected_version);
  archive("version", version);
  for (std::size_t i = 0; i < watches_.size(); ++i)
  {
    watches_[i] = {expected[i], pair[i], is_ahead[i] != 0, static_cast<std::uint32_t>(expected_version[i])};
    versions_[i] = static_cast<std::uint32_t>(version[i]);
  }
  archive("n_events", n_events_);
  archive("n_rescans", n_rescans_);
  archive("next", next_);
}
}  // namespace freefall::force_stepping

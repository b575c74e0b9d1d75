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
static_assert(batch_size <= 16);
/// Finite, so that products with zero are zero.
constexpr double far_future = 1e100;

/// Bit i says whether the condition holds in lane i.
unsigned int lane_bits(const Batch::batch_bool_type &condition)
{
#ifdef __AVX__
  if constexpr (batch_size == 4) return static_cast<unsigned int>(_mm256_movemask_pd(condition.data));
#endif
  bool lanes[batch_size];
  condition.store_unaligned(lanes);
  unsigned int bits = 0;
  for (int lane = 0; lane < batch_size; ++lane) bits |= static_cast<unsigned int>(lanes[lane]) << lane;
  return bits;
}

/// The first n bits; n may be more than there are lanes.
constexpr unsigned int bits_below(int n) { return n >= 16 ? 0xffffu : (1u << n) - 1; }
}  // namespace

LocalEngine::LocalEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : motions_(system, grid, start, state), watches_(motions_.n_free()), versions_(motions_.n_free(), 0)
{
  const Couplings &couplings = motions_.couplings();
  is_large_ = couplings.n_free() > 20000;  // some 7 MB: more than a core's own cache
  n_possible_crossings_ = couplings.n_coupled_pairs() + couplings.n_free();
  queue_.reset(motions_.n_free());
  const int batches_per_block = (motions_.records().n_lanes() + batch_size - 1) / batch_size;
  std::size_t most_neighbours = 0;
  for (int block = 0; block < couplings.n_blocks(); ++block)
    most_neighbours = std::max(most_neighbours, couplings.neighbours(block).size());
  candidates_.resize(batches_per_block * most_neighbours + 1);  // scan() writes one beyond the last
  for (int dof = 0; dof < motions_.n_free(); ++dof) motions_.set_watch(dof, never);
  for (int dof = 0; dof < motions_.n_free(); ++dof) scan(dof, state.time);
}

void LocalEngine::scan(int dof, double now, const JustSwapped *swapped)
{
  const Parabola own = motions_.parabola(dof);
  const double w = own.position_at(now), rate = own.velocity_at(now);
  const double upward = now + first_exit(1 - w, -rate, -own.half_acceleration);
  const double downward = now + first_exit(w, rate, own.half_acceleration);
  Encounter next{std::min(upward, downward), upward < downward ? leave_upward : leave_downward, -1};

  // First all coupled dofs that may cross before both watches, without branches that nobody can predict; then their times.
  const Couplings &couplings = motions_.couplings();
  const MotionRecords &records = motions_.records();
  const double first_horizon = next.time;
  const int own_block = couplings.block_of(dof), own_lane = dof - couplings.block_begin(own_block);
  int n_candidates = 0;
  for (const auto &neighbour : couplings.neighbours(own_block))
    for (int first = 0; first < records.n_lanes(); first += batch_size)
    {
      const MotionRecords::Lanes other = records.load(neighbour.block, first);
      const Batch elapsed = Batch(now) - other.t0;
      const Batch slope = xsimd::fma(elapsed, other.half_acceleration, other.velocity);
      const Batch difference = Batch(w) - xsimd::fma(elapsed, slope, other.w);
      const Batch velocity = Batch(rate) - xsimd::fma(elapsed, other.half_acceleration, slope);
      const Batch half_acceleration = Batch(own.half_acceleration) - other.half_acceleration;
      // Only crossings before both watches count. With f >= 0 now: f < 0 at that horizon, or a dip below zero before it.
      const Batch horizon = xsimd::min(xsimd::min(other.watch, Batch(first_horizon)) - Batch(now), Batch(far_future));
      const Batch f = xsimd::abs(difference), sign = xsimd::copysign(Batch(1.), difference);
      const Batch b = sign * velocity, a = sign * half_acceleration;
      const auto crossed = xsimd::fma(horizon, xsimd::fma(horizon, a, b), f) < Batch(0.);
      const auto dips = (b < Batch(0.)) && (b * b > Batch(4.) * a * f) && (-b < Batch(2.) * a * horizon);
      const auto close = f < Batch(close_difference);
      const unsigned int itself = neighbour.block == own_block ? 1u << own_lane : 0u;
      const unsigned int lanes =
        lane_bits(crossed || dips || close) & bits_below(records.n_lanes() - first) & ~(itself >> first);

      Candidates &candidates = candidates_[n_candidates];
      candidates.lanes = lanes;
      candidates.block = neighbour.block;
      candidates.first = first;
      candidates.pair = neighbour.pair;
      difference.store_aligned(candidates.difference);
      velocity.store_aligned(candidates.velocity);
      half_acceleration.store_aligned(candidates.half_acceleration);
      n_candidates += lanes != 0;
    }
  for (int i = 0; i < n_candidates; ++i)
  {
    const Candidates &candidates = candidates_[i];
    for (unsigned int lanes = candidates.lanes; lanes != 0; lanes &= lanes - 1)
    {
      const int lane = __builtin_ctz(lanes), lane_of_block = candidates.first + lane;
      const int other = couplings.block_begin(candidates.block) + lane_of_block;
      const double time = now + time_to_crossing(dof, other, candidates.pair, candidates.difference[lane],
                                                 candidates.velocity[lane], candidates.half_acceleration[lane], swapped);
      if (time < next.time && time < records.watch(candidates.block, lane_of_block)) next = {time, other, candidates.pair};
    }
  }
  watches_[dof] = {next.with, next.pair, next.with < 0 ? 0 : versions_[next.with]};
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
    const auto [expected, pair, version] = watches_[soon];
    prefetch_coupled(soon);
    if (expected >= 0) prefetch_coupled(expected);
    motions_.orders().prefetch(expected >= 0 ? pair : couplings.own_pair(couplings.block_of(soon)));
  }
  if (const int later = queue_.upcoming(3); later >= 0)
  {
    const auto [expected, pair, version] = watches_[later];
    couplings.prefetch_lists(later, pair);
    if (expected >= 0) couplings.prefetch_lists(expected, pair);
  }
}

double LocalEngine::time_to_crossing(
  int dof, int other, int pair, double difference, double velocity, double half_acceleration, const JustSwapped *swapped) const
{
  if (swapped && other == swapped->other)
  {
    const double sign = swapped->ahead_of_it ? 1 : -1;
    return first_exit(0, std::max(sign * velocity, 0.), sign * half_acceleration);
  }
  const bool is_close = std::fabs(difference) < close_difference;
  const double sign = (is_close ? motions_.orders().is_ahead(pair, dof, other) : difference > 0) ? 1 : -1;
  return first_exit(sign * difference, sign * velocity, sign * half_acceleration);
}

double LocalEngine::next_event_time()
{
  while (queue_.earliest() < never)
  {
    next_ = queue_.winner();
    const Watch &watch = watches_[next_];
    if (watch.expected < 0 || versions_[watch.expected] == watch.version) break;
    ++n_rescans_;
    scan(next_, queue_.earliest());
  }
  return queue_.earliest();
}

LocalEngine::Crossing LocalEngine::expected_crossing(int dof) const
{
  const auto [expected, pair, version] = watches_[dof];
  if (expected < 0 || motions_.orders().is_ahead(pair, dof, expected)) return {dof, expected, pair};
  return {expected, dof, pair};
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
  const JustSwapped seen_from_dof{expected, false}, seen_from_expected{dof, true};
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
  std::vector<int> expected(watches_.size()), pair(watches_.size());
  std::vector<std::int64_t> expected_version(watches_.size()), version(watches_.size());
  for (std::size_t i = 0; i < watches_.size(); ++i)
  {
    expected[i] = watches_[i].expected;
    pair[i] = watches_[i].pair;
    expected_version[i] = watches_[i].version;
    version[i] = versions_[i];
  }
  archive("expected", expected);
  archive("pair", pair);
  archive("expected_version", expected_version);
  archive("version", version);
  for (std::size_t i = 0; i < watches_.size(); ++i)
  {
    watches_[i] = {expected[i], pair[i], static_cast<std::uint32_t>(expected_version[i])};
    versions_[i] = static_cast<std::uint32_t>(version[i]);
  }
  archive("n_events", n_events_);
  archive("n_rescans", n_rescans_);
  archive("next", next_);
}
}  // namespace freefall::force_stepping

#pragma once

#include <freefall/integrators/force_stepping/dof_motions.h>
#include <freefall/integrators/force_stepping/engine.h>
#include <freefall/integrators/force_stepping/event_tree.h>

#include <cstdint>
#include <vector>

namespace freefall::force_stepping
{
/// Only the crossings that change a force: dofs that share a term, and dofs that leave their cells (METHODS.md 2).
///
/// Each dof has one watch: a time not after its next event, and what happens then. Invariant: the crossing of a coupled pair
/// is not before the earlier of their two watches. So
/// * when a dof's parabola changes, its coupled dofs are scanned, and crossings not before the other dof's own watch are
///   dropped: that dof will be scanned then anyway;
/// * nothing is done about the watches of other dofs that expected this one: they are out of date, still a lower bound, and
///   scanned again only if they come up.
/// A scan evaluates all coupled parabolas at one instant in SIMD batches; a few products show which of them cross before both
/// watches, and only for those the quadratic is solved.
class LocalEngine : public Engine
{
public:
  LocalEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state);

  double next_event_time() override;
  Event apply_next_event() override;
  Event pending_event() override;
  void evaluate(double time, State &state) const override { motions_.evaluate(time, state); }
  void gradient(Eigen::VectorXd &gradient) const override { motions_.gradient(gradient); }
  double time_scale() const override { return motions_.time_scale(); }
  std::int64_t n_possible_crossings() const override { return n_possible_crossings_; }
  bool visits_all_crossings() const override { return false; }
  std::int64_t n_force_changes() const override { return n_events_; }
  std::size_t memory_bytes() const override;
  void archive(Archive &archive) override;
  /// Scans of out-of-date watches, for benchmarks.
  std::int64_t n_rescans() const { return n_rescans_; }

private:
  /// What a dof waits for: leaving its cell (a negative number) or crossing with another dof.
  static constexpr int leave_upward = -1;
  static constexpr int leave_downward = -2;
  struct Watch
  {
    int expected = leave_upward;
    int pair = -1;               ///< of the two dofs that cross
    std::uint32_t is_ahead : 1;  ///< of the expected dof, or alone
    std::uint32_t version : 31;  ///< of the expected dof when it was scanned
  };
  static constexpr std::uint32_t version_bits = 0x7fffffff;
  struct Encounter
  {
    double time;
    int with;  ///< another dof, leave_upward or leave_downward
    int pair;
    bool is_ahead;  ///< of the other dof, or alone
  };
  /// A crossing to be made now.
  struct Crossing
  {
    int dof;       ///< ahead, or the one that leaves
    int expected;  ///< behind, or leave_upward or leave_downward
    int pair;
  };

  /// The dof with which one has just changed places: they meet now and part.
  struct JustSwapped
  {
    int other, pair;
    bool ahead_of_it;
  };

  /// A dof that looks for what it may meet: its motion at an instant.
  struct Seeker
  {
    int dof;
    double now, w, velocity, half_acceleration;
    const JustSwapped *swapped;
  };

  /// Of at most 64 / most_dofs_per_block blocks, all dofs that may cross before the horizon and their own watch, and a few that
  /// do not: bit most_dofs_per_block * n + lane. Neither the dof itself nor the one it has just met.
  std::uint64_t candidates(const Seeker &seeker, double horizon, Span<const Couplings::Neighbour> list) const;
  /// Makes the crossing with a coupled dof the next, if it is before that and before the other's watch. If they are so close
  /// that rounding hides who is ahead, the order in their terms decides.
  void meet(const Seeker &seeker, int other, int pair, Encounter &next) const;
  /// Finds the first thing that dof may meet from `now` on.
  void scan(int dof, double now, const JustSwapped *swapped = nullptr);
  /// Asks for the memory that scan() will read, while the terms are evaluated. On large meshes every event is somewhere else.
  void prefetch_coupled(int dof) const;
  /// The same for the lists and then the records and terms of events that will come up soon.
  void prefetch_upcoming() const;
  Crossing expected_crossing(int dof) const;
  /// Who must go first when another dof stands in the way of a crossing. Where two answers are right, `second_choice` says
  /// which to take: where many dofs meet, their orders in different terms may form a circle that one of them does not leave.
  Crossing unblock(const Crossing &crossing, int blocker, double now, bool second_choice) const;
  /// -1, or the dof in the way.
  int try_crossing(const Crossing &crossing, double now);
  Event event_of(const Crossing &crossing, double time) const;

  DofMotions motions_;
  EventTree queue_;
  LargeVector<Watch> watches_;
  LargeVector<std::uint32_t> versions_;  ///< counts the changes of each dof's parabola
  std::int64_t n_events_ = 0;
  std::int64_t n_rescans_ = 0;
  std::int64_t n_possible_crossings_ = 0;
  bool is_large_ = false;  ///< whether what an event reads is likely not in the cache
  int next_ = -1;          ///< the dof whose watch is the earliest
};
}  // namespace freefall::force_stepping

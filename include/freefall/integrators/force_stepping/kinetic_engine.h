#pragma once

#include <freefall/integrators/force_stepping/dof_motions.h>
#include <freefall/integrators/force_stepping/engine.h>
#include <freefall/integrators/force_stepping/event_tree.h>

#include <vector>

namespace freefall::force_stepping
{
/// Every crossing of the grid, from the global order of the fractions (METHODS.md 2): O(log d) a crossing.
///
/// The order p_1 ... p_d is a circular array, so that a dof that goes from one end to the other only moves the head. Watched
/// are the crossings of neighbours in the order, the exit of the first at w = 1 and of the last at w = 0. Only dofs that
/// share a term have their forces changed when they swap; for the others nothing but the order changes.
class KineticEngine : public Engine
{
public:
  KineticEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state);

  double next_event_time() override { return queue_.earliest(); }
  Event apply_next_event() override;
  Event pending_event() override;
  void evaluate(double time, State &state) const override { motions_.evaluate(time, state); }
  void gradient(Eigen::VectorXd &gradient) const override { motions_.gradient(gradient); }
  double time_scale() const override { return motions_.time_scale(); }
  std::int64_t n_possible_crossings() const override;
  bool visits_all_crossings() const override { return true; }
  std::int64_t n_force_changes() const override { return n_force_changes_; }
  std::size_t memory_bytes() const override;
  void archive(Archive &archive) override;

private:
  int n() const { return motions_.n_free(); }
  int slot_after(int slot) const { return slot + 1 == n() ? 0 : slot + 1; }
  int slot_before(int slot) const { return slot == 0 ? n() - 1 : slot - 1; }
  int first() const { return order_[head_]; }
  int last() const { return order_[slot_before(head_)]; }

  /// Watches the crossing of a dof with the next in the order; `just_swapped` says that they meet now and part.
  void watch_successor(int dof, double now, bool just_swapped = false);
  void watch_first(double now);
  void watch_last(double now);
  void swap(int ahead, double now);
  void leave_cell(bool upward, double now);

  DofMotions motions_;
  std::vector<int> order_;  ///< circular, beginning at head_
  std::vector<int> slot_;   ///< of each dof in order_
  int head_ = 0;
  EventTree queue_;  ///< by dof: crossing with its successor; then exit of the first, exit of the last
  std::int64_t n_force_changes_ = 0;
};
}  // namespace freefall::force_stepping

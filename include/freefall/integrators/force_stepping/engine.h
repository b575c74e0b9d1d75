#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/state.h>

#include <Eigen/Core>
#include <cstdint>
#include <stdexcept>

namespace freefall::force_stepping
{
/// One crossing of a boundary of the grid, in the system's dofs.
struct Event
{
  double time = 0;      ///< s
  int dof = -1;         ///< of a swap the one that was ahead, otherwise the one that leaves its cell
  int other = -1;       ///< of a swap the one that was behind, otherwise -1
  bool upward = false;  ///< of a dof that leaves its cell: at w = 1
};

/// Crossings that meet at one instant stand in each other's way: the data lie on the grid. Nothing has changed.
class CrossingsBlocked : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Follows the exact motion in the interpolated potential from crossing to crossing. All engines follow the same trajectory.
///
/// Contract
/// 1. Event times never decrease; events at one instant are applied one after another in a fixed order.
/// 2. evaluate() is exact at any time between the last event and the next, and disturbs nothing.
/// 3. When a vertex lies outside the domain of the potential, apply_next_event() throws DomainError, when events at one
///    instant cannot be put in order CrossingsBlocked; the motion up to that event can still be evaluated.
class Engine
{
public:
  virtual ~Engine() = default;

  /// Time of the next event, infinity if there is none.
  virtual double next_event_time() = 0;
  /// Applies it, next_event_time() having been called. With several at one instant the one applied may differ from the first
  /// found, never its time.
  virtual Event apply_next_event() = 0;
  /// The event that is about to be applied, for messages.
  virtual Event pending_event() = 0;

  /// q and v of the free dofs, and the time, into `state`.
  virtual void evaluate(double time, State &state) const = 0;
  /// dV_h/dq in the present simplex into `gradient` (resized; zero in fixed dofs).
  virtual void gradient(Eigen::VectorXd &gradient) const = 0;

  /// A time in which the fastest dof goes through about a cell, s.
  virtual double time_scale() const = 0;
  /// How many crossings can meet at one instant: pairs that this engine watches, and dofs.
  virtual std::int64_t n_possible_crossings() const = 0;
  /// Whether every crossing of the grid is visited, not only those that change a force.
  virtual bool visits_all_crossings() const = 0;
  /// Crossings that changed a force, as far as events are counted.
  virtual std::int64_t n_force_changes() const = 0;
  virtual std::size_t memory_bytes() const = 0;

  /// Saves or loads all that changes with events; loaded by an engine made from the same system, grid and start.
  virtual void archive(Archive &archive) = 0;
};
}  // namespace freefall::force_stepping

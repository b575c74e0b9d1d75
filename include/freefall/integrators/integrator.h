#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/named_value.h>
#include <freefall/systems/system.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace freefall
{
class HeatBath;

/// What an integrator counted since initialize().
struct IntegratorStatistics
{
  std::int64_t n_steps = 0;                  ///< steps, or events of an event-driven integrator
  std::int64_t n_force_evaluations = 0;      ///< evaluations of the whole gradient
  std::int64_t n_potential_evaluations = 0;  ///< evaluations of the whole potential
  double last_time_step = 0;                 ///< s
  double smallest_time_step = std::numeric_limits<double>::infinity();
  double largest_time_step = 0;
};

/// This integrator cannot be saved.
class NotRestartable : public std::logic_error
{
public:
  using std::logic_error::logic_error;
};

/// Saves or loads all counts.
void archive_statistics(Archive &archive, const std::string &name, IntegratorStatistics &statistics);

/// Moves a state of a system forward in time.
///
/// Contract
/// 1. initialize() is called once, before the first advance(); the system outlives the integrator.
/// 2. advance(state, t) moves `state` to the first instant of the integrator's own that is not before t: a fixed-step
///    integrator ends on a step, an event-driven one exactly at t without disturbing its events. q and v belong to state.time.
/// 3. Splitting one advance() into several changes nothing: the trajectory is bit for bit the same.
/// 4. On failure StepFailed is thrown and `state` is the last good state, with its time.
/// 5. The state is only changed by the integrator between calls.
/// 6. archive() holds all that the next advance() depends on besides the state, statistics included: what it saves, loaded by
///    an integrator with the same settings that was initialised with the same system and initial state, goes on bit for bit.
class Integrator
{
public:
  virtual ~Integrator() = default;

  /// Whether the method keeps g(q) = 0 for a system with constraints. The others refuse such a system.
  virtual bool handles_constraints() const { return false; }

  /// Before initialize(): makes each step end with an exchange of heat (see LangevinMethod). Throws InputError where the method
  /// is not one of steps; `bath` outlives the integrator otherwise.
  virtual void couple(HeatBath &bath);

  virtual void initialize(const System &system, const State &state) = 0;
  virtual void advance(State &state, double time) = 0;

  /// Whether it moves a system that is distributed over several ranks.
  virtual bool runs_distributed() const { return false; }

  /// The energy that the method keeps, where that is not the energy of the system (force-stepping keeps T + V_h).
  virtual std::optional<double> conserved_energy(const State &) const { return std::nullopt; }

  /// Columns of history.csv that only the integrator knows, such as an angle integrated along the trajectory.
  virtual NamedValues observe(const State &) const { return {}; }

  const IntegratorStatistics &statistics() const { return statistics_; }
  /// Further numbers for summary.json, such as the count of simplex crossings.
  virtual NamedValues summary() const { return {}; }
  /// Tables for the folder of the run, such as the histogram of time steps; written when it ends.
  virtual std::vector<NumberTable> tables() const { return {}; }
  /// What a user should know before the run starts, such as the critical step and what limits it.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Whether it chooses the lengths of its steps, so that a least length (Checks/Minimum time step) means something.
  virtual bool chooses_time_step() const { return false; }

  /// Saves or loads; `state` is the state at that moment, loaded before. Throws NotRestartable, ArchiveError.
  void archive(Archive &archive, const State &state);

protected:
  /// Everything but statistics_ that the integrator carries from one advance() to the next. The default, for an integrator
  /// that does not say what it carries, throws NotRestartable; one that carries nothing says so by an empty function.
  virtual void archive_memory(Archive &archive, const State &state);

  IntegratorStatistics statistics_;
};
}  // namespace freefall

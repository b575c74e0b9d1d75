#pragma once

#include <freefall/integrators/force_stepping/engine.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>
#include <freefall/integrators/force_stepping/step_histogram.h>
#include <freefall/integrators/force_stepping/step_map.h>
#include <freefall/integrators/integrator.h>

#include <functional>
#include <memory>
#include <vector>

namespace freefall
{
enum class ForceSteppingEngine
{
  sherman_morrison,  ///< as printed in GSO: every crossing, O(d^2) each, any mass
  kinetic,           ///< every crossing, O(log d) each
  local              ///< only crossings that change a force, O(log d) each
};

enum class GridShift
{
  none,   ///< vertices at multiples of the spacing
  random  ///< by dof, uniform in a cell
};

struct ForceSteppingSettings
{
  ForceSteppingEngine engine = ForceSteppingEngine::local;
  force_stepping::GridKind grid = force_stepping::GridKind::kuhn;
  /// h in the unit of q: one number, one per component (dof modulo their number), or one per dof.
  std::vector<double> spacing;
  GridShift shift = GridShift::random;
  std::uint64_t seed = 1;  ///< of the random shift
  bool norms = false;      ///< whether the norms of q, v and the acceleration are observed
};

/// Force-stepping (GSO): the exact motion in V_h, the continuous piecewise linear interpolant of V on a simplicial grid.
///
/// Conserves:  1/2 v^T M v + V_h(q) to rounding, the symplectic form; time-reversible; momenta up to O(h)
/// Time level: q and v both belong to state.time, exactly the time asked for
/// Requires:   V without explicit time; a diagonal mass unless the engine is sherman_morrison. A spacing small enough that
///             the vertices around the motion lie in the domain of V.
/// Throws:     StepFailed, leaving the state at the last event: a vertex outside the domain of V, or events that pile up
///             at one instant (data on the grid). InputError from initialize() for settings that cannot work.
class ForceStepping : public Integrator
{
public:
  explicit ForceStepping(ForceSteppingSettings settings);

  void initialize(const System &system, const State &state) override;
  void advance(State &state, double time) override;
  /// 1/2 v^T M v + V_h(q); nothing where a vertex lies outside the domain of V (the state that StepFailed leaves).
  std::optional<double> conserved_energy(const State &state) const override;
  /// With `norms`: the largest over time of position_norm + velocity_norm + acceleration_norm is GSO (72), in the norm of the
  /// mass, |q|^2 = q^T M q, which is the same in reduced coordinates. The acceleration is that of the motion in V_h.
  NamedValues observe(const State &state) const override;
  NamedValues summary() const override;
  /// `time_steps`: the histogram of steps, from the smallest to the largest bin that holds one; and the tables of StepMap.
  std::vector<NumberTable> tables() const override;
  std::vector<std::string> notes() const override;

  const force_stepping::SimplicialGrid &grid() const { return *grid_; }
  const force_stepping::Engine &engine() const { return *engine_; }
  const force_stepping::StepHistogram &histogram() const { return histogram_; }
  /// Called after each event, for tests and studies.
  std::function<void(const force_stepping::Event &)> observer;

protected:
  void archive_memory(Archive &archive, const State &state) override;

private:
  std::unique_ptr<force_stepping::Engine> make_engine(const State &state) const;
  void count(const force_stepping::Event &event);
  /// Throws StepFailed if the last events, more than could ever meet at one instant, brought the motion nowhere.
  void check_progress(const force_stepping::Event &event);
  [[noreturn]] void fail_unsettled(const std::string &cause, const force_stepping::Event &event) const;
  [[noreturn]] void fail_outside_domain(const State &state, const std::string &cause) const;
  std::string describe(const force_stepping::Event &event) const;

  ForceSteppingSettings settings_;
  const System *system_ = nullptr;
  std::unique_ptr<force_stepping::SimplicialGrid> grid_;
  std::unique_ptr<force_stepping::Engine> engine_;
  force_stepping::StepHistogram histogram_;
  force_stepping::StepMap step_map_;
  State at_event_;  ///< scratch of count()
  double start_time_ = 0;
  double last_event_time_ = 0;
  std::int64_t events_until_check_ = 0;
  double time_of_last_check_ = 0;
};
}  // namespace freefall

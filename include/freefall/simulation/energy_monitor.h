#pragma once

#include <freefall/core/state.h>
#include <freefall/integrators/integrator.h>
#include <freefall/systems/system.h>

namespace freefall
{
/// Watches the energy that an integrator should keep: its own conserved energy if it has one, else the closed account
/// kinetic + potential + contact - external work + damping loss.
///
/// The error is relative to the energy at the start; where that is next to nothing (a body at rest) to the largest kinetic
/// energy seen; with Conditions, to the work of supports, of loads or lost by damping where one of them is larger.
class EnergyMonitor
{
public:
  EnergyMonitor(const System &system, const Integrator &integrator) : system_(system), integrator_(integrator) {}

  /// Looks at a state; the first one is the reference. Returns the relative error of this state.
  double look(const State &state);

  void archive(Archive &archive);

  /// Of the state looked at last.
  double energy() const { return energy_; }
  /// The largest relative error so far.
  double largest_error() const { return largest_error_; }
  /// The largest values so far of what the system wants to be watched (System::watched).
  const NamedValues &largest_watched() const { return largest_watched_; }

private:
  const System &system_;
  const Integrator &integrator_;
  bool has_reference_ = false;
  double reference_ = 0, energy_ = 0, largest_kinetic_ = 0, largest_work_ = 0, largest_error_ = 0;
  NamedValues largest_watched_;
};
}  // namespace freefall

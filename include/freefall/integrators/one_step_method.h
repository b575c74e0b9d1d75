#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/named_value.h>
#include <freefall/systems/system.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// One step of a time-stepping method, (q, v)(t) -> (q, v)(t + dt), without any notion of a run.
///
/// FixedStepIntegrator makes an integrator of it, Composition a method of higher order.
///
/// Contract
/// 1. start() is called before the first step() and again whenever the next step() does not begin where the last one ended.
///    It keeps the system (which outlives the method) and computes what the method carries from step to step (a gradient).
/// 2. step(now, dt, next) fills next.q and next.v, which have the right size and arbitrary contents, and never touches `now`
///    or next.time, which is now.time + dt. A method that knows Conditions also fills next.work; the others refuse them
///    in start() and leave next.work alone. dt may be negative (without Conditions). It allocates nothing once start() is done, if the system does not.
/// 3. When a step is impossible, step() throws StepFailed or lets DomainError pass; start() is called before the next step().
class OneStepMethod
{
public:
  virtual ~OneStepMethod() = default;

  /// For messages and summary.json: "implicit midpoint".
  virtual std::string name() const = 0;
  virtual int order() const = 0;
  /// Whether a step by dt followed by one by -dt is the identity: what compositions of even order need.
  virtual bool is_symmetric() const = 0;

  /// Whether it moves a distributed system (System::is_distributed()).
  virtual bool runs_distributed() const { return false; }
  /// Whether the method keeps g(q) = 0 for a system with constraints.
  virtual bool handles_constraints() const { return false; }

  virtual void start(const System &system, const State &state) = 0;
  virtual void step(const State &now, double dt, State &next) = 0;
  /// In place of start(): the next step() begins at the q where the last one ended, but with other velocities. The default is
  /// start(), right for every method; those whose carried numbers depend on q alone override it with nothing.
  virtual void change_velocities(const System &system, const State &state) { start(system, state); }

  /// The energy that the method keeps, where that is not the energy of the system.
  virtual std::optional<double> conserved_energy(const State &) const { return std::nullopt; }
  /// Into how many equal parts it has cut a step, at most so far.
  virtual int largest_number_of_parts() const { return 1; }
  /// Saves or loads what the method carries from step to step and start() does not compute from the state: the predictor of a
  /// multistep method, a preconditioner that is kept, counts that summary() shows. Called after start() when loading. The default
  /// is right for a method that is memoryless beyond start(); tests/simulation/restart.cc checks every method in the table.
  virtual void archive(Archive &) {}
  /// Columns of history.csv that only the method knows.
  virtual NamedValues observe(const State &) const { return {}; }
  /// Further numbers for summary.json.
  virtual NamedValues summary() const { return {}; }
  /// What a user should know before the run starts.
  virtual std::vector<std::string> notes() const { return {}; }

  std::int64_t n_force_evaluations() const { return n_force_evaluations_; }
  std::int64_t n_potential_evaluations() const { return n_potential_evaluations_; }

protected:
  std::int64_t n_force_evaluations_ = 0;
  std::int64_t n_potential_evaluations_ = 0;
};
}  // namespace freefall

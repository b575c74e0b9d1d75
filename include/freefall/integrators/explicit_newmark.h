#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/integrator.h>

#include <memory>
#include <optional>

namespace freefall
{
/// Explicit Newmark (beta = 0, gamma = 1/2; see VelocityVerlet) that minds its critical step.
///
/// Conserves:  symplectic form, momenta; energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to state.time
/// Requires:   dt below the critical step of the system, which initialize() checks: a given step above it is an InputError,
///             unless allowed. With `auto` the step is a safety factor times the critical one
/// Throws:     StepFailed, leaving the state as it was
///
/// The critical step changes as elements deform. Every `check_interval` steps it is computed anew: an automatic step above
/// it is shortened (and counted: a change of step breaks the symplectic form once), a given one is only counted.
class ExplicitNewmark : public Integrator
{
public:
  struct Settings
  {
    std::optional<double> time_step;  ///< s; nothing for auto
    double safety_factor = 0.9;       ///< of an automatic step, relative to the critical one
    bool allow_unstable = false;      ///< run with a given step above the critical one
    int check_interval = 1000;        ///< steps between two looks at the critical step
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  explicit ExplicitNewmark(const Settings &settings) : settings_(settings) {}

  void couple(HeatBath &bath) override { bath_ = &bath; }
  void initialize(const System &system, const State &state) override;
  void advance(State &state, double time) override;
  bool runs_distributed() const override { return true; }
  std::optional<double> conserved_energy(const State &state) const override { return stepper_->conserved_energy(state); }
  NamedValues observe(const State &state) const override { return stepper_->observe(state); }
  NamedValues summary() const override;
  std::vector<std::string> notes() const override { return notes_; }
  bool chooses_time_step() const override { return !settings_.time_step; }

  double time_step() const { return stepper_->time_step(); }
  /// At the start of the run.
  const CriticalStep &critical_step() const { return critical_step_; }

protected:
  void archive_memory(Archive &archive, const State &state) override;

private:
  void start(const State &state, double time_step);
  void check_stability(const State &state);
  void count();

  Settings settings_;
  const System *system_ = nullptr;
  HeatBath *bath_ = nullptr;
  CriticalStep critical_step_;
  std::unique_ptr<FixedStepIntegrator> stepper_;
  double stepper_start_ = 0;      ///< time at which stepper_ began
  IntegratorStatistics earlier_;  ///< of steppers before this one
  int n_step_changes_ = 0;
  int n_checks_above_critical_ = 0;
  std::vector<std::string> notes_;
};
}  // namespace freefall

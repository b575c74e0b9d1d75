#pragma once

#include <freefall/integrators/integrator.h>
#include <freefall/integrators/one_step_method.h>

#include <memory>

namespace freefall
{
/// Repeats one method with one step: state n belongs to the time t0 + n dt, computed by multiplication.
///
/// Conserves:  what the method conserves
/// Time level: on return q and v both belong to state.time, the first t0 + n dt that is not before the time asked for, up to
///             the rounding of that time
/// Requires:   dt > 0 and finite, and no constraints unless the method handles them, else InputError
/// Throws:     StepFailed with the number, time and length of the step, leaving the state as it was; also when a step
///             gives a number that is not finite
class FixedStepIntegrator final : public Integrator
{
public:
  FixedStepIntegrator(std::unique_ptr<OneStepMethod> method, double time_step);

  bool handles_constraints() const override { return method_->handles_constraints(); }
  bool runs_distributed() const override { return method_->runs_distributed(); }
  void couple(HeatBath &bath) override;
  void initialize(const System &system, const State &state) override;
  void advance(State &state, double time) override;

  std::optional<double> conserved_energy(const State &state) const override { return method_->conserved_energy(state); }
  NamedValues observe(const State &state) const override { return method_->observe(state); }
  NamedValues summary() const override { return method_->summary(); }
  std::vector<std::string> notes() const override { return method_->notes(); }
  bool chooses_time_step() const override { return method_->largest_number_of_parts() > 1; }

  const OneStepMethod &method() const { return *method_; }
  double time_step() const { return time_step_; }

protected:
  void archive_memory(Archive &archive, const State &state) override;

private:
  void count();
  /// Of all ranks.
  bool is_finite(const State &state) const;
  [[noreturn]] void fail_not_finite(const State &state);
  [[noreturn]] void fail(const State &state, const std::string &cause);

  std::unique_ptr<OneStepMethod> method_;
  const double time_step_;
  const System *system_ = nullptr;
  double initial_time_ = 0;
  bool must_restart_ = false;  ///< the last step failed: what the method carries is not that of the state
  /// Evaluations in the life of the run before this object, which begins to count anew when it is loaded.
  std::int64_t n_earlier_force_evaluations_ = 0, n_earlier_potential_evaluations_ = 0;
  State next_;
};
}  // namespace freefall

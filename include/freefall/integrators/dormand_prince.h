#pragma once

#include <freefall/integrators/acceleration.h>
#include <freefall/integrators/integrator.h>

#include <array>

namespace freefall
{
/// Dormand and Prince's embedded Runge-Kutta pair 5(4) with adaptive steps, the usual general-purpose method.
///
/// The error estimate of each step, measured entry by entry against absolute + relative * |entry|, stays below 1.
///
/// Conserves:  linear momentum; nothing else: energy and angular momentum drift with the tolerance
/// Time level: on return q and v belong to the end of the first of its own steps that is not before the time asked for
/// Requires:   positive tolerances, else InputError
/// Throws:     StepFailed when the step that would be accurate enough is below rounding; the state is the last good one
class DormandPrince final : public Integrator
{
public:
  struct Tolerances
  {
    double relative = 1e-9;
    double absolute = 1e-12;  ///< in units of q and v
  };
  /// The first step is chosen from the data when it is 0.
  explicit DormandPrince(const Tolerances &tolerances, double first_step = 0);

  void initialize(const System &system, const State &state) override;
  void advance(State &state, double time) override;
  NamedValues summary() const override { return {{"n_rejected_steps", static_cast<double>(n_rejected_)}}; }
  bool chooses_time_step() const override { return true; }

protected:
  void archive_memory(Archive &archive, const State &state) override;

private:
  double choose_first_step(const State &state) const;
  /// A trial from `state` by step_ into next_; the error relative to the tolerance.
  double try_step(const State &state);
  void advance_to(State &state, double time);

  Tolerances tolerances_;
  double first_step_;
  double step_ = 0;
  double scale_of_time_ = 0;  ///< the first step tried: what rounding of the time is measured against near time 0
  std::int64_t n_rejected_ = 0;
  std::int64_t n_earlier_evaluations_ = 0;  ///< in the life of the run before this object
  Acceleration acceleration_;
  State next_;
  Eigen::VectorXd stage_;
  std::array<Eigen::VectorXd, 7> slope_q_, slope_v_;  ///< v and a at the stages; the last is the first of the next step
};
}  // namespace freefall

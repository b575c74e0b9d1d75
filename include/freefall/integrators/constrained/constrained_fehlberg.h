#pragma once

#include <freefall/integrators/constrained/constrained_ode.h>
#include <freefall/integrators/integrator.h>

#include <array>

namespace freefall
{
/// Fehlberg's embedded Runge-Kutta pair 4(5) with adaptive steps on an ODE formulation of a constrained system (S section 6).
/// The solution of order 5 is carried on.
///
/// Conserves:  linear momentum; see ConstrainedOde for the constraints
/// Time level: on return q and v belong to the end of the first of its own steps that is not before the time asked for
/// Requires:   positive tolerances, else InputError; constraints
/// Throws:     StepFailed when the step that would be accurate enough is below rounding; the state is the last good one
class ConstrainedFehlberg final : public Integrator
{
public:
  struct Settings
  {
    ConstrainedOde::Formulation formulation = ConstrainedOde::Formulation::hamilton_dirac;
    double relative = 1e-8;
    double absolute = 1e-10;
    CountedProjections::Tolerances projections;
  };
  explicit ConstrainedFehlberg(const Settings &settings);

  bool handles_constraints() const override { return true; }
  void initialize(const System &system, const State &state) override;
  void advance(State &state, double time) override;
  NamedValues summary() const override;
  bool chooses_time_step() const override { return true; }

protected:
  void archive_memory(Archive &archive, const State &state) override;

private:
  double try_step(const State &state);

  Settings settings_;
  ConstrainedOde ode_;
  CountedProjections projections_;
  const System *system_ = nullptr;
  double step_ = 0, first_step_ = 0;
  std::int64_t n_rejected_ = 0;
  State next_;
  std::array<Eigen::VectorXd, 6> slope_q_, slope_v_;
};
}  // namespace freefall

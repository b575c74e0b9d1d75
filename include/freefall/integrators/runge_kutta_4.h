#pragma once

#include <freefall/integrators/acceleration.h>
#include <freefall/integrators/one_step_method.h>

#include <array>

namespace freefall
{
/// The classical Runge-Kutta method of fourth order on (q, v)' = (v, a(q)).
///
/// Conserves:  linear momentum; energy and angular momentum drift at O(dt^4)
/// Time level: on return q and v both belong to t + dt
/// Requires:   dt below about 2.8 / omega_max
/// Throws:     DomainError, leaving the state as it was
class RungeKutta4 final : public OneStepMethod
{
public:
  std::string name() const override { return "Runge-Kutta 4"; }
  int order() const override { return 4; }
  bool is_symmetric() const override { return false; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  Acceleration acceleration_;
  Eigen::VectorXd stage_;
  std::array<Eigen::VectorXd, 4> a_;
};
}  // namespace freefall

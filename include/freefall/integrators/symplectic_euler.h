#pragma once

#include <freefall/integrators/acceleration.h>
#include <freefall/integrators/one_step_method.h>

namespace freefall
{
/// Symplectic Euler in both forms, each the adjoint of the other.
///
///   kick_drift:  v_n+1 = v_n + dt a(q_n),    q_n+1 = q_n + dt v_n+1
///   drift_kick:  q_n+1 = q_n + dt v_n,       v_n+1 = v_n + dt a(q_n+1)
///
/// Conserves:  symplectic form, momenta; energy up to a bounded oscillation O(dt)
/// Time level: on return q and v both belong to t + dt
/// Requires:   dt below the critical step 2 / omega_max
/// Throws:     DomainError, leaving the state as it was
class SymplecticEuler final : public OneStepMethod
{
public:
  enum class Form
  {
    kick_drift,
    drift_kick
  };
  explicit SymplecticEuler(Form form) : form_(form) {}

  std::string name() const override { return form_ == Form::kick_drift ? "symplectic Euler" : "adjoint symplectic Euler"; }
  int order() const override { return 1; }
  bool is_symmetric() const override { return false; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &, const State &) override {}

private:
  Form form_;
  Acceleration acceleration_;
  Eigen::VectorXd a_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/constrained/constrained_method.h>

namespace freefall
{
/// Symplectic partitioned methods on the constraint manifold (R section 7), for H = p^T M^-1 p / 2 + V(q).
///
///   v' = v_n - M^-1 (a dt grad V(q_n) + G_n^T Lambda / dt),   q_n+1 = q_n + dt v',   g(q_n+1) = 0
///   v_n+1 = v' - M^-1 ((1 - a) dt grad V(q_n+1) + G_n+1^T mu),   G_n+1 v_n+1 = 0
///
///   rattle:      a = 1/2, R (37)               order 2, symmetric
///   euler:       a = 1, R (24)                 order 1
///   adjoint:     a = 0, the adjoint of (24)    order 1
///   composed:    adjoint after euler by half the step each, R (25): another method than rattle; order 2, symmetric
///
/// Conserves:  symplectic form on the manifold, g = 0 and G v = 0 to rounding, momenta of symmetries; energy up to a bounded
///             oscillation
/// Time level: on return q and v both belong to t + dt; the multipliers to t + dt/2 (order 2 for rattle)
/// Requires:   constraints that are independent; an initial state on the manifold
/// Throws:     StepFailed naming the constraint that is not met, DomainError; the state is left as it was
class Rattle final : public ConstrainedMethod
{
public:
  enum class Form
  {
    rattle,
    euler,
    adjoint,
    composed
  };
  explicit Rattle(Form form = Form::rattle, ConstraintSolver::Method way = ConstraintSolver::Method::automatic)
    : ConstrainedMethod(way), form_(form)
  {
  }

  std::string name() const override;
  int order() const override { return is_symmetric() ? 2 : 1; }
  bool is_symmetric() const override { return form_ == Form::rattle || form_ == Form::composed; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &, const State &) override {}

private:
  /// `fraction`: a. gradient_ is that at q before and after, where it is used.
  void partial_step(const Eigen::VectorXd &q, const Eigen::VectorXd &v, double dt, double fraction, State &next);

  Form form_;
  Eigen::VectorXd start_gradients_, constraint_gradients_, impulse_, velocity_impulse_;  ///< G at q_n and q_n+1
  State between_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/one_step_method.h>
#include <freefall/systems/rigid_body/rigid_body.h>

namespace freefall
{
/// Variational integrators on SO(3) by the Hamilton-Pontryagin principle with Cayley's map (TO 4.12; Bou-Rabee and Marsden 2009),
/// for any inertia J.
///
/// With cay(w) = (I - hat(w)/2)^-1 (I + hat(w)/2), the transposed inverse of its left-trivialised derivative
/// D(w) y = y + w x y / 2 + (w.y) w / 4 applied to the momentum of the body, and the torque T(R) in its axes:
///
///   first order:   D(dt O') J O' = D(-dt O) J O + dt T(R),     R' = R cay(dt O')                          (4.12)
///   second order:  D(dt W) J W = m + dt/2 T(R),   R' = R cay(dt W),   m' = D(-dt W) J W + dt/2 T(R')
///
/// where (R, O) and (R', O') are the states before and after, and m = J O in the second.
///
/// Conserves:  R^T R = I and, of a free body, its momentum in space to rounding; the symplectic form; energy up to a bounded
///             oscillation
/// Time level: on return R and Omega both belong to t + dt; in the first-order form Omega is that of the last step
/// Requires:   a RigidBody, else InputError; three nonlinear equations are solved in each step to rounding
/// Throws:     StepFailed when they are not (a step of more than about half a turn); the state is left as it was
class CayleyHamiltonPontryagin final : public OneStepMethod
{
public:
  enum class Form
  {
    first_order,
    second_order
  };
  explicit CayleyHamiltonPontryagin(Form form) : form_(form) {}

  std::string name() const override { return "Cayley Hamilton-Pontryagin"; }
  int order() const override { return form_ == Form::first_order ? 1 : 2; }
  bool is_symmetric() const override { return form_ == Form::second_order; }
  bool handles_constraints() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  NamedValues summary() const override { return {{"n_newton_iterations", static_cast<double>(n_iterations_)}}; }
  void archive(Archive &archive) override { archive("n_newton_iterations", n_iterations_); }

private:
  /// W of D(dt W) J W = momentum, from the guess in W.
  void solve(const Eigen::Vector3d &momentum, double dt, Eigen::Vector3d &W);

  Form form_;
  const RigidBody *body_ = nullptr;
  Eigen::VectorXd gradient_;
  std::int64_t n_iterations_ = 0;
};
}  // namespace freefall

#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/driven_forces.h>
#include <freefall/integrators/newton_method.h>

namespace freefall
{
/// The Newmark family with any beta and gamma (TO 2.1).
///
///   q_n+1 = q_n + dt v_n + dt^2 ((1/2 - beta) a_n + beta a_n+1),   v_n+1 = v_n + dt ((1 - gamma) a_n + gamma a_n+1),
///   a = -M^-1 grad V(q)
///
/// Conserves:  linear momentum; with gamma = 1/2 a symplectic form and an angular momentum, those of x = q - beta dt^2 a with v
///             (see PushforwardNewmark), so that q and v keep theirs up to O(dt^2). gamma > 1/2 damps, gamma < 1/2 feeds
/// Time level: on return q and v both belong to t + dt
/// Requires:   beta >= gamma/2 >= 1/4 for stability at any step, where V is convex
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
///
/// Order 2 with gamma = 1/2, else 1. With beta = 0 it is explicit and solves nothing.
///
/// With Conditions: supported dofs are at Q(t + dt) when the step is solved, loads belong to t + dt as the forces of V do, half a
/// step of damping comes first and last. The stiffness of loads that follow the motion is not in the operator: mild ones only
/// slow Newton's iteration down, stiff ones (moving obstacles) may stop it.
class ImplicitNewmark final : public NewtonMethod
{
public:
  struct Settings
  {
    double beta = 0.25;
    double gamma = 0.5;
    NewtonSolver::Settings newton;
    /// With a fixed number of Newton iterations: a of the equation for q that was solved last, and not -M^-1 grad V(q). Not with
    /// Conditions.
    bool keeps_linearised_acceleration = false;
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  /// Throws InputError for a negative beta or a gamma outside 0 to 1.
  explicit ImplicitNewmark(const Settings &settings);

  std::string name() const override { return "Newmark"; }
  int order() const override { return settings_.gamma == 0.5 ? 2 : 1; }
  bool is_symmetric() const override { return settings_.gamma == 0.5; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override;

private:
  void step_with_conditions(const State &now, double dt, State &next);

  Settings settings_;
  const Conditions *conditions_ = nullptr;
  DrivenForces driven_;  ///< of a system with conditions
  Eigen::VectorXd start_, velocity_;
  Eigen::VectorXd a_now_, a_next_, target_;
};
}  // namespace freefall

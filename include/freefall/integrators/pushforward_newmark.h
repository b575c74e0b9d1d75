#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/newton_method.h>

namespace freefall
{
/// Newmark with gamma = 1/2 pushed forward to the coordinates in which it keeps the canonical symplectic form (TO 2.3).
///
///   x_n+1 = x_n + dt v_n + dt^2/2 a_n,   v_n+1 = v_n + dt/2 (a_n + a_n+1),   a_n = -M^-1 grad V(x_n + beta dt^2 a_n)
///
/// Conserves:  symplectic form, linear and angular momentum; energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to t + dt; q is the x above. Newmark started from x + beta dt^2 a runs through
///             x_n + beta dt^2 a_n: the two are one method, and with equal initial data their results differ by O(dt^2)
/// Requires:   beta >= 1/4 for stability at any step, where V is convex
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
class PushforwardNewmark final : public NewtonMethod
{
public:
  struct Settings
  {
    double beta = 0.25;
    NewtonSolver::Settings newton;
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  /// Throws InputError for a negative beta.
  explicit PushforwardNewmark(const Settings &settings);

  std::string name() const override { return "pushforward Newmark"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override
  {
    NewtonMethod::archive(archive);
    archive.list("acceleration", a_);
    archive("step_of_acceleration", step_of_a_);
  }

private:
  /// a at x for a step of dt into a_; the old a_ is the guess.
  void evaluate(const State &state, const Eigen::VectorXd &x, double dt);

  Settings settings_;
  Eigen::VectorXd a_, y_;
  double step_of_a_ = 0;  ///< |dt| that a_ belongs to; 0 when it is a guess only
};
}  // namespace freefall

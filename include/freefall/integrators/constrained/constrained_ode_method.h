#pragma once

#include <freefall/integrators/constrained/constrained_ode.h>
#include <freefall/integrators/one_step_method.h>

#include <vector>

namespace freefall
{
/// A Runge-Kutta method on one of the ODE formulations of a constrained system (S), with counted projections if wished.
///
/// runge_kutta_4: the classical method. gauss: collocation with 1 (implicit midpoint) to 4 stages, solved to rounding by
/// functional iteration.
///
/// Conserves:  linear momentum. Off the manifold: what the formulation and the method leave, see ConstrainedOde. Gauss
///             collocation keeps quadratic first integrals, so that with hamilton_dirac it keeps distances of the form
///             half_square and G v = 0 to rounding
/// Time level: on return q and v both belong to t + dt
/// Requires:   constraints that are independent; a step short enough for functional iteration (gauss)
/// Throws:     StepFailed, DomainError; the state is left as it was
class ConstrainedOdeMethod final : public OneStepMethod
{
public:
  using Formulation = ConstrainedOde::Formulation;
  /// `n_stages` of Gauss collocation, or 0 for Runge-Kutta 4.
  ConstrainedOdeMethod(Formulation formulation, int n_stages, const CountedProjections::Tolerances &projections = {});

  std::string name() const override;
  int order() const override { return n_stages_ == 0 ? 4 : 2 * n_stages_; }
  bool is_symmetric() const override { return n_stages_ > 0 && !projects_; }
  bool handles_constraints() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  NamedValues summary() const override;
  void archive(Archive &archive) override;

  const CountedProjections &projections() const { return projections_; }

private:
  void step_explicitly(const State &now, double dt, State &next);
  void step_implicitly(const State &now, double dt, State &next);

  ConstrainedOde ode_;
  int n_stages_;
  bool projects_;
  CountedProjections projections_;
  const System *system_ = nullptr;
  Eigen::MatrixXd matrix_;   ///< of Gauss collocation
  Eigen::VectorXd weights_;
  Eigen::VectorXd stage_q_, stage_v_;
  std::vector<Eigen::VectorXd> slope_q_, slope_v_, old_q_, old_v_;
};
}  // namespace freefall

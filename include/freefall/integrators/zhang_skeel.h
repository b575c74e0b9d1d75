#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/one_step_method.h>
#include <freefall/systems/shifted_solver.h>

#include <memory>
#include <string>
#include <vector>

namespace freefall
{
/// Zhang and Skeel's linearly implicit methods (TO 1.3, 2.7, 2.8): one linear solve a step and no iteration.
///
///   x_n+1 = x_n + dt v_n + dt^2/2 f_n,   v_n+1 = v_n + dt/2 (f_n + f_n+1),
///   (M + beta dt^2 Hess V(x)) a = -grad V(x),
///   f = a - beta^2 dt^4 / 2 M^-1 (a.V'''(x).a)   full (1.3);      f = a   simplified (2.7)
///
/// Stiff split (2.8): the simplified form with the Hessian of the stiff terms alone.
///
/// Rectangle: the discrete Lagrangian (1.2) with the potential at x_n alone (TO 4.14), of order 1 and not symmetric:
///
///   v_n+1 = v_n + dt f_n,   x_n+1 = x_n + dt v_n+1
///
/// On the nine entries of a rotation with the penalty of orthogonality these are the integrators of TO 4.5 (see RigidBody).
///
/// Conserves:  full: symplectic form, linear and angular momentum; simplified: linear momentum, and the symplectic form and
///             angular momentum up to O(dt^4). Energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to t + dt
/// Coordinates: the state holds the x of the papers, which the symplectic form belongs to; or, if asked for, the system's own
///             q = x + beta dt^2 a (TO 2.2), from x = q + beta dt^2 M^-1 grad V(q) at the start. The difference is O(dt^2), but
///             large for what is stiff: where a constraint g is penalised, omega^2 g(x) is off by beta (omega dt)^2 g''(v, v)
/// Requires:   beta >= 1/4 for stability at any step, where V is convex; a solve that is tight (the tolerance)
/// Throws:     IndefiniteOperator where M + beta dt^2 Hess V is not positive definite, DomainError; the state is left as it was
class ZhangSkeel final : public OneStepMethod
{
public:
  enum class Form
  {
    full,
    simplified,
    stiff_split
  };
  enum class Quadrature
  {
    trapezoidal,
    rectangle
  };
  enum class Coordinates
  {
    x,
    q
  };
  struct Settings
  {
    double beta = 0.25;
    Form form = Form::full;
    Quadrature quadrature = Quadrature::trapezoidal;
    Coordinates coordinates = Coordinates::x;
    /// Of the stiff split: energy accounts (internal, contact, external) or kinds of terms ("bond").
    std::vector<std::string> stiff_terms;
    double tolerance = 1e-12;  ///< of the linear solve, relative
    ShiftedSolver::Settings solver;
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  /// Throws InputError for a negative beta.
  explicit ZhangSkeel(const Settings &settings);
  ~ZhangSkeel() override;

  std::string name() const override;
  int order() const override { return is_symmetric() ? 2 : 1; }
  bool is_symmetric() const override { return settings_.quadrature == Quadrature::trapezoidal; }
  bool runs_distributed() const override { return true; }
  /// Throws InputError when a name of stiff terms fits none.
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &, const State &) override {}
  void archive(Archive &archive) override;
  NamedValues summary() const override { return solver_ ? solver_->summary() : NamedValues{}; }

private:
  bool shows_q() const { return settings_.coordinates == Coordinates::q; }
  /// f at x for a step of dt into force_, a into acceleration_.
  void evaluate(const Eigen::VectorXd &x, double dt);
  ShiftedMatrix::Selection stiff_selection() const;

  Settings settings_;
  const System *system_ = nullptr;
  std::unique_ptr<ShiftedSolver> solver_;
  Eigen::VectorXd x_, gradient_, acceleration_, contraction_, force_;
  double force_step_ = 0;  ///< |dt| that force_ belongs to; 0 when there is none
};
}  // namespace freefall

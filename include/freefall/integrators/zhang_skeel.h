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
/// Conserves:  full: symplectic form, linear and angular momentum; simplified: linear momentum, and the symplectic form and
///             angular momentum up to O(dt^4). Energy up to a bounded oscillation O(dt^2)
/// Time level: on return q and v both belong to t + dt; q is the x of the papers, which the symplectic form belongs to
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
  struct Settings
  {
    double beta = 0.25;
    Form form = Form::full;
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
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  bool runs_distributed() const override { return true; }
  /// Throws InputError when a name of stiff terms fits none.
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override
  {
    solver_->archive(archive);
    archive.list("force", force_);
    archive("step_of_force", force_step_);
  }
  NamedValues summary() const override { return solver_ ? solver_->summary() : NamedValues{}; }

private:
  /// f at x for a step of dt into force_.
  void evaluate(const Eigen::VectorXd &x, double dt);
  ShiftedMatrix::Selection stiff_selection() const;

  Settings settings_;
  const System *system_ = nullptr;
  std::unique_ptr<ShiftedSolver> solver_;
  Eigen::VectorXd gradient_, acceleration_, contraction_, force_;
  double force_step_ = 0;  ///< |dt| that force_ belongs to; 0 when there is none
};
}  // namespace freefall

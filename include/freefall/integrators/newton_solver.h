#pragma once

#include <freefall/core/named_value.h>
#include <freefall/core/parameters.h>
#include <freefall/systems/shifted_solver.h>
#include <freefall/systems/system.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace freefall
{
/// Newton's iteration with line search for the equation of one implicit step, r(x) = 0, whose derivative is (nearly)
/// m M + c Hess V.
///
/// A trial outside the domain of the potential (an inverted element) shortens the line search. Where the operator is not positive
/// definite, more mass is added to it until it is (counted): that changes the way to the solution, not the solution. Linear
/// systems are solved as accurately as the iteration needs.
///
/// Guarantees: on return the residual, in the norm of M^-1 (diagonal), is at most `tolerance` times the scale of the equation, or
/// the last change was rounding. Otherwise StepFailed says how far it came and where the residual is largest. With a fixed
/// number of iterations nothing of this is promised; linear systems are then solved to 1e-12.
class NewtonSolver
{
public:
  struct Settings
  {
    double tolerance = 1e-10;  ///< relative
    int max_iterations = 40;
    /// So many full steps and no more, whatever the residual: not a solution but a linearly implicit method.
    std::optional<int> fixed_iterations;
    ShiftedSolver::Settings solver;
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  struct Equation
  {
    /// r(x) into the second argument. May throw DomainError. The last call before solve() returns is at the solution.
    std::function<void(const Eigen::VectorXd &, Eigen::VectorXd &)> residual;
    /// Where the Hessian is taken, into the second argument; nothing: at x.
    std::function<void(const Eigen::VectorXd &, Eigen::VectorXd &)> tangent_point;
    /// What the solution minimises, if anything: lets the line search go on where V is not convex.
    std::function<double(const Eigen::VectorXd &)> merit;
    double mass_factor = 1;
    double shift = 0;  ///< c
    /// What the residual at the x of the last call of residual() is compared with, in the norm of M^-1.
    std::function<double()> scale;
  };

  explicit NewtonSolver(const Settings &settings) : settings_(settings) {}

  /// The system outlives the object.
  void attach(const System &system);
  const System &system() const { return *system_; }

  /// From the guess in x, which must be in the domain of the potential.
  void solve(const Equation &equation, Eigen::VectorXd &x);

  /// sqrt(r M^-1 r), M as its diagonal.
  double norm(const Eigen::VectorXd &r) const;
  ShiftedSolver &solver() { return *solver_; }
  NamedValues summary() const;
  /// Saves or loads the counts and what the linear solver carries; after attach().
  void archive(Archive &archive);

private:
  /// Solves for the change at x; more mass while the operator is not positive definite.
  void find_direction(const Equation &equation, const Eigen::VectorXd &x, double tolerance);
  /// A fixed number of full steps.
  void iterate(const Equation &equation, int n_iterations, Eigen::VectorXd &x);
  /// Moves x along the direction. Returns the norm of the residual there.
  double search(const Equation &equation, double norm_before, Eigen::VectorXd &x);
  [[noreturn]] void fail(double first_residual, double last_residual, const std::string &cause) const;

  Settings settings_;
  const System *system_ = nullptr;
  std::unique_ptr<ShiftedSolver> solver_;
  Eigen::VectorXd inverse_mass_, residual_, direction_, point_, trial_;
  std::int64_t n_solves_ = 0, n_iterations_ = 0, n_indefinite_ = 0, n_shortened_ = 0;
};
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/integrators/newton_solver.h>
#include <freefall/systems/name_of_largest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace freefall
{
void NewtonSolver::declare_parameters(ParameterSection &section)
{
  section.declare("Tolerance", "1e-10", Pattern::number("", Bounds::open(0, 1)),
                  "Of Newton's iteration: the residual of a step relative to the motion and the forces in it.");
  section.declare("Maximum iterations", "40", Pattern::integer(1), "Of Newton's iteration in one step.");
  ShiftedSolver::declare_parameters(section);
}

NewtonSolver::Settings NewtonSolver::parse_parameters(const ParameterSection &section)
{
  Settings settings;
  settings.tolerance = section.number("Tolerance");
  settings.max_iterations = section.integer("Maximum iterations");
  settings.solver = ShiftedSolver::parse_parameters(section);
  return settings;
}

void NewtonSolver::attach(const System &system)
{
  if (system_ == &system && solver_) return;
  system_ = &system;
  solver_ = std::make_unique<ShiftedSolver>(system, settings_.solver);
  inverse_mass_ = system.diagonal_mass().cwiseInverse();
}

double NewtonSolver::norm(const Eigen::VectorXd &r) const { return std::sqrt(system_->dot(inverse_mass_.cwiseProduct(r), r)); }

void NewtonSolver::solve(const Equation &equation, Eigen::VectorXd &x)
{
  constexpr double loosest_linear_tolerance = 1e-2;
  ++n_solves_;
  if (settings_.fixed_iterations) return iterate(equation, *settings_.fixed_iterations, x);
  equation.residual(x, residual_);
  double now = norm(residual_), linear_tolerance = loosest_linear_tolerance;
  double goal = settings_.tolerance * equation.scale();
  const double first = now / equation.scale();
  for (int iteration = 0; !(now <= goal); ++iteration)
  {
    if (!std::isfinite(now)) fail(first, now, "the residual is not finite");
    if (iteration == settings_.max_iterations)
      fail(first, now / equation.scale(), fmt::format("it did not converge in {} iterations", iteration));
    ++n_iterations_;
    // The linear error need not be below what would end the iteration.
    find_direction(equation, x, std::max(linear_tolerance, std::min(loosest_linear_tolerance, 0.1 * goal / now)));
    const double before = now;
    now = search(equation, before, x);
    goal = settings_.tolerance * equation.scale();
    // Eisenstat and Walker (1996): as accurate as the quadratic convergence to be expected.
    linear_tolerance = std::min(loosest_linear_tolerance, 0.9 * (now / before) * (now / before));
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * system_->largest(x);
    if (system_->largest(direction_) <= rounding) return;
  }
}

void NewtonSolver::iterate(const Equation &equation, int n_iterations, Eigen::VectorXd &x)
{
  constexpr double linear_tolerance = 1e-12;
  equation.residual(x, residual_);
  for (int iteration = 0; iteration < n_iterations; ++iteration)
  {
    ++n_iterations_;
    find_direction(equation, x, linear_tolerance);
    x += direction_;
    equation.residual(x, residual_);
  }
}

void NewtonSolver::find_direction(const Equation &equation, const Eigen::VectorXd &x, double tolerance)
{
  const Eigen::VectorXd *point = &x;
  if (equation.tangent_point)
  {
    equation.tangent_point(x, point_);
    point = &point_;
  }
  residual_ = -residual_;
  constexpr int max_attempts = 8;
  double more_mass = 0;
  for (int attempt = 0;; ++attempt)
    try
    {
      solver_->assemble(*point, (1 + more_mass) * equation.mass_factor, equation.shift);
      solver_->solve(residual_, tolerance, direction_);
      break;
    }
    catch (const IndefiniteOperator &)
    {
      if (attempt == max_attempts) throw;
      ++n_indefinite_;
      more_mass = attempt == 0 ? 1 : 4 * more_mass;
    }
  for (const int dof : system_->fixed_dofs()) direction_[dof] = 0;
}

double NewtonSolver::search(const Equation &equation, double norm_before, Eigen::VectorXd &x)
{
  // residual_ holds -r(x): the slope along the direction of what the step minimises is negative.
  const double slope = -system_->dot(residual_, direction_);
  std::string cause = "no step along the direction of Newton's iteration makes the residual smaller";
  constexpr int max_halvings = 30;
  double length = 1;
  std::optional<double> merit_before;
  for (int halving = 0; halving <= max_halvings; ++halving, length /= 2)
  {
    trial_ = x + length * direction_;
    if (halving > 0) ++n_shortened_;
    try
    {
      equation.residual(trial_, residual_);
    }
    catch (const DomainError &error)
    {
      cause = error.what();
      continue;
    }
    const double norm_after = norm(residual_);
    // Either the residual decreases, or the slope: where V is convex the function that the step minimises then does.
    bool is_better =
      norm_after < (1 - 1e-4 * length) * norm_before || std::abs(system_->dot(residual_, direction_)) < 0.9 * std::abs(slope);
    if (!is_better && equation.merit)
    {
      if (!merit_before) merit_before = equation.merit(x);
      is_better = equation.merit(trial_) < *merit_before + 1e-4 * length * slope;
    }
    // Next to the solution neither can: there the whole change is rounding.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * system_->largest(x);
    if (is_better || system_->largest(direction_) <= rounding)
    {
      x.swap(trial_);
      return norm_after;
    }
  }
  throw StepFailed(fmt::format("Newton's iteration is stuck at the relative residual {:.3g} (wanted {:.3g}): {}",
                               norm_before / equation.scale(), settings_.tolerance, cause));
}

void NewtonSolver::fail(double first_residual, double last_residual, const std::string &cause) const
{
  const std::string worst = name_of_largest(*system_, residual_.cwiseAbs2().cwiseProduct(inverse_mass_));
  throw StepFailed(fmt::format("Newton's iteration: {}; relative residual {:.3g} at first, {:.3g} at last, wanted {:.3g}, largest "
                               "at {}. A shorter step (or Adaptive = true) helps",
                               cause, first_residual, last_residual, settings_.tolerance, worst));
}

void NewtonSolver::archive(Archive &archive)
{
  const Archive::Part part(archive, "newton");
  archive("n_solves", n_solves_);
  archive("n_iterations", n_iterations_);
  archive("n_indefinite", n_indefinite_);
  archive("n_shortened", n_shortened_);
  if (solver_) solver_->archive(archive);
}

NamedValues NewtonSolver::summary() const
{
  NamedValues values{{"n_newton_iterations", static_cast<double>(n_iterations_)},
                     {"newton_iterations_per_solve", n_solves_ ? static_cast<double>(n_iterations_) / n_solves_ : 0.},
                     {"n_shortened_newton_steps", static_cast<double>(n_shortened_)},
                     {"n_indefinite_operators", static_cast<double>(n_indefinite_)}};
  if (solver_)
    for (const auto &value : solver_->summary()) values.push_back(value);
  return values;
}
}  // namespace freefall

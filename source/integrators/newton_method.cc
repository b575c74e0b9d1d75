#include <freefall/core/errors.h>
#include <freefall/integrators/newton_method.h>

#include <cmath>

namespace freefall
{
void NewtonMethod::attach(const System &system) { newton_.attach(system); }

void NewtonMethod::evaluate_gradient(const Eigen::VectorXd &q)
{
  system().gradient(q, gradient_);
  if (loads_)
  {
    load_forces_.setZero(q.size());
    loads_(q, load_forces_);
    gradient_ -= load_forces_;
    zero_fixed(gradient_);
  }
  ++n_force_evaluations_;
}

double NewtonMethod::motion_of(const State &state, double dt) const
{
  return std::abs(dt) * std::sqrt(system().dot(system().diagonal_mass().cwiseProduct(state.v), state.v));
}

void NewtonMethod::zero_fixed(Eigen::VectorXd &values) const
{
  for (const int dof : system().fixed_dofs()) values[dof] = 0;
}

void NewtonMethod::solve_for_position(const Eigen::VectorXd &target,
                                      double c,
                                      double motion,
                                      const Eigen::VectorXd &fallback,
                                      Eigen::VectorXd &x)
{
  for (const int dof : system().fixed_dofs()) x[dof] = fallback[dof];
  try
  {
    evaluate_gradient(x);
  }
  catch (const DomainError &)
  {
    x = fallback;
    evaluate_gradient(x);
  }
  NewtonSolver::Equation equation;
  equation.shift = c;
  equation.scale = [&] { return motion + c * newton_.norm(gradient_); };
  equation.residual = [&](const Eigen::VectorXd &trial, Eigen::VectorXd &residual)
  {
    evaluate_gradient(trial);
    if (system().mass_is_diagonal())
      residual = system().diagonal_mass().cwiseProduct(trial - target) + c * gradient_;
    else
      residual = system().apply_mass(trial - target) + c * gradient_;
    zero_fixed(residual);
  };
  // Loads need not have a potential.
  if (!loads_) equation.merit = [&](const Eigen::VectorXd &trial)
  {
    ++n_potential_evaluations_;
    return 0.5 * system().dot(trial - target, system().apply_mass(trial - target)) + c * system().potential_energy(trial);
  };
  newton_.solve(equation, x);
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/energy_momentum.h>
#include <freefall/integrators/refuse_conditions.h>
#include <freefall/potentials/discrete_gradient.h>

#include <algorithm>

namespace freefall
{
void EnergyMomentum::start(const System &system, const State &)
{
  refuse_conditions(system, name());
  attach(system);
  int n = 0;
  for (const auto &family : system.terms()) n = std::max(n, family->dofs_per_term());
  x0_.resize(n);
  x1_.resize(n);
  local_.resize(n);
}

void EnergyMomentum::evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1)
{
  gradient_.setZero(q0.size());
  system().together(
    [&]
    {
      for (const auto &family : system().terms())
        for (int term = 0; term < family->n_terms(); ++term)
        {
          const auto dofs = family->dofs(term);
          for (std::size_t a = 0; a < dofs.size(); ++a)
          {
            x0_[a] = q0[dofs[a]];
            x1_[a] = q1[dofs[a]];
          }
          discrete_gradient(*family, term, x0_.data(), x1_.data(), local_.data());
          for (std::size_t a = 0; a < dofs.size(); ++a) gradient_[dofs[a]] += local_[a];
        }
    });
  system().add_other_ranks(gradient_);
  zero_fixed(gradient_);
  ++n_force_evaluations_;
}

void EnergyMomentum::step(const State &now, double dt, State &next)
{
  const double c = dt * dt / 2;
  target_ = now.q + dt * now.v;
  for (const int dof : system().fixed_dofs()) target_[dof] = now.q[dof];
  next.q = target_;
  try
  {
    evaluate(now.q, next.q);
  }
  catch (const DomainError &)
  {
    next.q = now.q;
  }
  NewtonSolver::Equation equation;
  equation.shift = dt * dt / 4;
  equation.residual = [&](const Eigen::VectorXd &trial, Eigen::VectorXd &residual)
  {
    evaluate(now.q, trial);
    residual = system().apply_mass(trial - target_) + c * gradient_;
    zero_fixed(residual);
  };
  equation.tangent_point = [&](const Eigen::VectorXd &trial, Eigen::VectorXd &point) { point = 0.5 * (now.q + trial); };
  const double motion = motion_of(now, dt);
  equation.scale = [&] { return motion + c * newton_.norm(gradient_); };
  newton_.solve(equation, next.q);
  next.v = now.v - dt * system().solve_mass(gradient_);
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/hamiltonian.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>
#include <vector>

namespace freefall
{
ConstraintResiduals constraint_residuals(const System &system, const State &state)
{
  ConstraintResiduals residuals;
  const ConstraintSet *constraints = system.constraints();
  if (!constraints) return residuals;
  Eigen::VectorXd g, entries, rate;
  constraints->value(state.q, g);
  constraints->jacobian(state.q, entries);
  constraints->apply(entries, state.v, rate);
  residuals.position = g.cwiseAbs().maxCoeff();
  residuals.velocity = rate.cwiseAbs().maxCoeff();
  residuals.position_name = constraints->largest(g).name();
  residuals.velocity_name = constraints->largest(rate).name();
  return residuals;
}

namespace
{
/// (G H_pp G^T) lambda = g''[H_p, H_p] + G (H_pq H_p - H_pp H_q), R section 7.
Eigen::VectorXd multipliers_of(const Hamiltonian &hamiltonian, const ConstraintSet &constraints, const State &state)
{
  Eigen::VectorXd p, entries, lambda, rate;
  Hamiltonian::Derivatives here;
  hamiltonian.momentum(state.q, state.v, p);
  hamiltonian.derivatives(state.q, p, here);
  constraints.jacobian(state.q, entries);
  std::vector<Eigen::Triplet<double>> triplets;
  for (int c = 0; c < constraints.size(); ++c)
    for (std::size_t a = 0; a < constraints[c].dofs().size(); ++a)
      triplets.emplace_back(c, constraints[c].dofs()[a], entries[constraints.offset(c) + a]);
  Eigen::SparseMatrix<double> jacobian(constraints.size(), state.q.size());
  jacobian.setFromTriplets(triplets.begin(), triplets.end());
  constraints.second_derivative(state.q, here.p, here.p, lambda);
  lambda += jacobian * (here.qp.transpose() * here.p - here.pp * here.q);
  const Eigen::SparseMatrix<double> transposed = jacobian.transpose(), matrix = jacobian * here.pp * transposed;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(matrix);
  return factors.solve(lambda);
}
}  // namespace

Eigen::VectorXd constraint_multipliers(const System &system, const State &state)
{
  const ConstraintSet &constraints = *system.constraints();
  if (const Hamiltonian *hamiltonian = non_separable_hamiltonian(system)) return multipliers_of(*hamiltonian, constraints, state);
  MultiplierMatrix matrix;
  matrix.attach(system);
  Eigen::VectorXd entries, gradient, rate, lambda;
  constraints.jacobian(state.q, entries);
  matrix.factorise(entries, entries);
  system.gradient(state.q, gradient);
  gradient.array() *= matrix.inverse_mass().array();
  constraints.apply(entries, gradient, rate);
  constraints.second_derivative(state.q, state.v, state.v, lambda);
  lambda -= rate;
  matrix.solve(lambda);
  return lambda;
}

void project_positions(const System &system, MultiplierMatrix &matrix, Eigen::VectorXd &q)
{
  const ConstraintSet &constraints = *system.constraints();
  Eigen::VectorXd start_entries, entries, g, step(q.size());
  constraints.jacobian(q, start_entries);
  double previous = 0;
  for (int iteration = 1; iteration <= 50; ++iteration)
  {
    constraints.value(q, g);
    constraints.jacobian(q, entries);
    matrix.factorise(entries, start_entries);
    matrix.solve(g);
    step.setZero();
    constraints.add_transpose(start_entries, g, -1, step);
    q += matrix.inverse_mass().cwiseProduct(step);
    const double change = matrix.inverse_mass().cwiseProduct(step).cwiseAbs().maxCoeff(), scale = q.cwiseAbs().maxCoeff();
    if (!(change < 1e300)) break;
    // Quadratic convergence ends at rounding, where the changes stop decreasing.
    if (change <= 1e-16 * scale || (iteration > 1 && change <= 1e-13 * scale && change >= 0.5 * previous)) return;
    previous = change;
  }
  constraints.value(q, g);
  constraints.jacobian(q, entries);
  const auto dependent = q.allFinite() ? dependent_constraints(system, entries) : std::vector<std::string>{};
  throw StepFailed(fmt::format("no positions were found that meet all constraints: {} stays at {:.3g}{}{}. They may contradict "
                               "each other.",
                               constraints.largest(g).name(), g.cwiseAbs().maxCoeff(), dependent.empty() ? "" : "; there ",
                               fmt::join(dependent, "; ")));
}

void project_velocities(const System &system, MultiplierMatrix &matrix, const Eigen::VectorXd &q, Eigen::VectorXd &v)
{
  const ConstraintSet &constraints = *system.constraints();
  Eigen::VectorXd entries, lambda, step = Eigen::VectorXd::Zero(q.size());
  constraints.jacobian(q, entries);
  matrix.factorise(entries, entries);
  constraints.apply(entries, v, lambda);
  matrix.solve(lambda);
  constraints.add_transpose(entries, lambda, -1, step);
  v += matrix.inverse_mass().cwiseProduct(step);
}

void check_independence(const System &system, const Eigen::VectorXd &q)
{
  Eigen::VectorXd entries;
  system.constraints()->jacobian(q, entries);
  const auto dependent = dependent_constraints(system, entries);
  if (dependent.empty()) return;
  throw InputError(fmt::format("the constraints are not independent at the initial positions: {}. Remove what is redundant; "
                               "dependent constraints have no unique forces.",
                               fmt::join(dependent, "; ")));
}
}  // namespace freefall

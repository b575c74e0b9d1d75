#include <freefall/systems/multigrid.h>
#include <freefall/systems/system.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace freefall
{
double System::potential_energy(const Eigen::VectorXd &q) const
{
  double sum = 0;
  for (const auto &family : terms_) sum += family->energy(q);
  return sum;
}

double System::potential_energy(const Eigen::VectorXd &q, EnergyAccount account) const
{
  double sum = 0;
  for (const auto &family : terms_)
    if (family->account() == account) sum += family->energy(q);
  return sum;
}

void System::gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  gradient.setZero(q.size());
  for (const auto &family : terms_) family->add_gradient(q, gradient);
  for (const int dof : fixed_dofs_) gradient[dof] = 0;
}

void System::third_derivative(const Eigen::VectorXd &q, const Eigen::VectorXd &direction, Eigen::VectorXd &contraction) const
{
  contraction.setZero(q.size());
  for (const auto &family : terms_)
    if (!family->is_linear()) family->add_third_derivative(q, direction, contraction);
  for (const int dof : fixed_dofs_) contraction[dof] = 0;
}

std::unique_ptr<Multigrid> System::make_multigrid() const { return nullptr; }

Eigen::VectorXd System::apply_mass(const Eigen::VectorXd &v) const { return diagonal_mass_.cwiseProduct(v); }

Eigen::VectorXd System::solve_mass(const Eigen::VectorXd &f) const { return f.cwiseQuotient(diagonal_mass_); }

EnergyBalance System::energy_balance(const State &state) const
{
  EnergyBalance balance;
  balance.kinetic = 0.5 * state.v.dot(apply_mass(state.v));
  balance.internal = potential_energy(state.q, EnergyAccount::internal);
  balance.contact = potential_energy(state.q, EnergyAccount::contact);
  balance.external_work =
    potential_energy(initial_state_.q, EnergyAccount::external) - potential_energy(state.q, EnergyAccount::external);
  return balance;
}

NamedValues System::observe(const State &) const { return {}; }

Snapshot System::snapshot(const State &state, SnapshotGeometry) const
{
  Snapshot empty;
  empty.time = state.time;
  return empty;
}

CriticalStep System::critical_step(const Eigen::VectorXd &q) const
{
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n_dofs(), n_dofs());
  for (const auto &family : terms_)
  {
    const int n = family->dofs_per_term();
    std::vector<double> x(n), hessian(n * n);
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (int a = 0; a < n; ++a) x[a] = q[dofs[a]];
      family->hessian(term, x.data(), hessian.data());
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) stiffness(dofs[a], dofs[b]) += hessian[a * n + b];
    }
  }
  for (const int dof : fixed_dofs_)
  {
    stiffness.row(dof).setZero();
    stiffness.col(dof).setZero();
  }
  const Eigen::VectorXd scale = diagonal_mass_.cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(scale.asDiagonal() * stiffness * scale.asDiagonal());
  const double omega_squared = modes.eigenvalues().tail(1)[0];
  if (!(omega_squared > 0)) return {std::numeric_limits<double>::infinity(), "nothing: no stiff direction"};
  Eigen::Index dof = 0;
  modes.eigenvectors().col(n_dofs() - 1).cwiseAbs().maxCoeff(&dof);
  return {2 / std::sqrt(omega_squared), dof_name(static_cast<int>(dof))};
}

std::string System::dof_name(int dof) const { return fmt::format("dof {}", dof); }
}  // namespace freefall

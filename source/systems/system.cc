#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/systems/conditions.h>
#include <freefall/systems/multigrid.h>
#include <freefall/systems/tally.h>
#include <freefall/systems/system.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
/// Sums the energies of the families that `is_counted` picks, over all ranks if there are several.
template <typename Condition>
double sum_energies(const std::vector<std::unique_ptr<LocalTerms>> &terms,
                    const Eigen::VectorXd &q,
                    bool is_distributed,
                    const Condition &is_counted)
{
  double sum = 0;
  const auto work = [&]
  {
    for (const auto &family : terms)
      if (is_counted(*family)) sum += family->energy(q);
  };
  if (!is_distributed)
  {
    work();
    return sum;
  }
  ranks::together(work);
  return ranks::sum(sum);
}
}  // namespace

double System::potential_energy(const Eigen::VectorXd &q) const
{
  return sum_energies(terms_, q, is_distributed(), [](const LocalTerms &) { return true; });
}

double System::potential_energy(const Eigen::VectorXd &q, EnergyAccount account) const
{
  return sum_energies(terms_, q, is_distributed(), [&](const LocalTerms &family) { return family.account() == account; });
}

namespace
{
/// In scalars, and kept from becoming a call of memset, which takes longer than a handful of stores.
[[gnu::optimize("no-tree-loop-distribute-patterns", "no-tree-vectorize")]] inline void set_zero_few(double *values,
                                                                                                    Eigen::Index n)
{
  for (Eigen::Index i = 0; i < n; ++i) values[i] = 0;
}
}  // namespace

void System::gradient_with_reactions(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  gradient.resize(q.size());
  if (q.size() <= 8)
    set_zero_few(gradient.data(), q.size());
  else
    gradient.setZero();
  const auto add_terms = [&]
  {
    for (const auto &family : terms_) family->add_gradient(q, gradient);
  };
  if (!is_distributed())
    add_terms();
  else
  {
    ranks::together(
      [&]
      {
        add_terms();
        // A rank would notice only its own infinities, and leave the others waiting.
        for (int dof = 0; dof < n_dofs(); ++dof)
          if (!std::isfinite(gradient[dof])) throw DomainError(fmt::format("the force on {} is not finite", dof_name(dof)));
      });
    shared_dofs_->add(gradient);
  }
}

void System::gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  gradient_with_reactions(q, gradient);
  for (const int dof : fixed_dofs_) gradient[dof] = 0;
}

double System::dot(const Eigen::VectorXd &a, const Eigen::VectorXd &b) const
{
  return shared_dofs_ ? shared_dofs_->dot(a, b) : a.dot(b);
}

double System::largest(const Eigen::VectorXd &values) const
{
  const double here = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
  return shared_dofs_ ? ranks::maximum(here) : here;
}

void System::add_other_ranks(Eigen::VectorXd &values) const
{
  if (shared_dofs_) shared_dofs_->add(values);
}

void System::third_derivative(const Eigen::VectorXd &q, const Eigen::VectorXd &direction, Eigen::VectorXd &contraction) const
{
  contraction.setZero(q.size());
  together(
    [&]
    {
      for (const auto &family : terms_)
        if (!family->is_linear()) family->add_third_derivative(q, direction, contraction);
    });
  add_other_ranks(contraction);
  for (const int dof : fixed_dofs_) contraction[dof] = 0;
}

std::unique_ptr<Multigrid> System::make_multigrid() const { return nullptr; }

Eigen::VectorXd System::apply_mass(const Eigen::VectorXd &v) const { return diagonal_mass_.cwiseProduct(v); }

Eigen::VectorXd System::solve_mass(const Eigen::VectorXd &f) const { return f.cwiseQuotient(diagonal_mass_); }

EnergyBalance System::energy_balance(const State &state) const
{
  EnergyBalance balance;
  const Eigen::VectorXd momentum = apply_mass(state.v);
  balance.kinetic = 0.5 * dot(state.v, momentum);
  balance.internal = potential_energy(state.q, EnergyAccount::internal);
  balance.contact = potential_energy(state.q, EnergyAccount::contact);
  balance.external_work =
    potential_energy(initial_state_.q, EnergyAccount::external) - potential_energy(state.q, EnergyAccount::external);
  if (const Conditions *acting = conditions())
  {
    // The force of a moving obstacle is a load: what it stores as contact energy is work that it did.
    const double stored = acting->obstacle_energy(state.time, state.q);
    balance.contact += stored;
    balance.external_work += state.work.supports + state.work.loads + stored -
                             acting->obstacle_energy(initial_state_.time, initial_state_.q);
    balance.damping_loss = state.work.damping;
  }
  return balance;
}

NamedValues System::observe(const State &) const { return {}; }

NamedValues System::trajectory(const State &) const { return {}; }

NamedValues System::measure(const NumberColumns &) const { return {}; }

std::unique_ptr<Tally> System::make_tally() const { return nullptr; }

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

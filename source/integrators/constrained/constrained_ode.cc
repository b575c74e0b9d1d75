#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_ode.h>
#include <freefall/systems/hamiltonian.h>

#include <fmt/format.h>
#include <vector>

namespace freefall
{
void ConstrainedOde::attach(const System &system)
{
  system_ = &system;
  constraints_ = system.constraints();
  refuse_non_separable(system, "An ODE formulation");
  matrix_.attach(system);
}

void ConstrainedOde::archive(Archive &archive)
{
  archive("n_evaluations", n_evaluations_);
  matrix_.archive(archive);
}

const Eigen::VectorXd &ConstrainedOde::raised(const Eigen::VectorXd &x, Eigen::VectorXd &result) const
{
  result.setZero(system_->n_dofs());
  constraints_->add_transpose(entries_, x, 1, result);
  result.array() *= matrix_.inverse_mass().array();
  return result;
}

void ConstrainedOde::add_hessian_of_potential(const Eigen::VectorXd &q,
                                              const Eigen::VectorXd &x,
                                              double factor,
                                              Eigen::VectorXd &result) const
{
  std::vector<double> local, hessian;
  for (const auto &family : system_->terms())
  {
    const int n = family->dofs_per_term();
    local.resize(n);
    hessian.resize(n * n);
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (int a = 0; a < n; ++a) local[a] = q[dofs[a]];
      family->hessian(term, local.data(), hessian.data());
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) result[dofs[a]] += factor * hessian[a * n + b] * x[dofs[b]];
    }
  }
}

void ConstrainedOde::operator()(const Eigen::VectorXd &q,
                                const Eigen::VectorXd &v,
                                Eigen::VectorXd &q_rate,
                                Eigen::VectorXd &v_rate)
{
  ++n_evaluations_;
  const Eigen::VectorXd &w = matrix_.inverse_mass();
  system_->gradient(q, gradient_);
  constraints_->jacobian(q, entries_);
  matrix_.factorise(entries_, entries_);
  acceleration_ = w.cwiseProduct(gradient_);
  constraints_->second_derivative(q, v, v, rho_);
  constraints_->apply(entries_, acceleration_, product_);
  rho_ -= product_;

  q_rate = v;
  v_rate = -gradient_;
  if (formulation_ == Formulation::naive)
  {
    matrix_.solve(rho_);
    constraints_->add_transpose(entries_, rho_, -1, v_rate);
  }
  else
  {
    constraints_->apply(entries_, v, psi_);
    mu_ = psi_;
    matrix_.solve(mu_);
    if (formulation_ == Formulation::hamilton_dirac)
      evaluate_dirac(q, v, q_rate, v_rate);
    else
      evaluate_extended(q, v, q_rate, v_rate);
  }
  v_rate.array() *= w.array();
}

void ConstrainedOde::evaluate_dirac(const Eigen::VectorXd &q,
                                    const Eigen::VectorXd &v,
                                    Eigen::VectorXd &q_rate,
                                    Eigen::VectorXd &force)
{
  q_rate -= raised(mu_, w_);
  h_.setZero(q.size());
  constraints_->add_hessian_product(q, mu_, v, 1, h_);
  constraints_->second_derivative(q, v, w_, a_);
  z_ = matrix_.inverse_mass().cwiseProduct(h_);
  constraints_->apply(entries_, z_, product_);
  a_ -= product_ + rho_;
  matrix_.solve(a_);
  constraints_->add_transpose(entries_, a_, 1, force);
  force += h_;
}

void ConstrainedOde::evaluate_extended(const Eigen::VectorXd &q,
                                       const Eigen::VectorXd &v,
                                       Eigen::VectorXd &q_rate,
                                       Eigen::VectorXd &force)
{
  const Eigen::VectorXd &w = matrix_.inverse_mass();
  constraints_->value(q, a_);
  matrix_.solve(a_);
  b_ = rho_;
  matrix_.solve(b_);
  // dH/dp = v + 2 M^-1 sum a g'' v - 2 M^-1 G^T mu.
  h_.setZero(q.size());
  constraints_->add_hessian_product(q, a_, v, 2, h_);
  constraints_->add_transpose(entries_, mu_, -2, h_);
  q_rate += w.cwiseProduct(h_);
  // force -= derivative by q of rho^T Q^-1 g: through rho, g and Q.
  constraints_->add_third_derivative(q, a_, v, -1, force);
  constraints_->add_hessian_product(q, a_, acceleration_, 1, force);
  add_hessian_of_potential(q, raised(a_, w_), 1, force);
  constraints_->add_transpose(entries_, b_, -1, force);
  constraints_->add_hessian_product(q, b_, w_, 1, force);
  constraints_->add_hessian_product(q, a_, raised(b_, z_), 1, force);
  // force += derivative by q of psi^T Q^-1 psi: through psi and Q.
  constraints_->add_hessian_product(q, mu_, v, 2, force);
  constraints_->add_hessian_product(q, mu_, raised(mu_, w_), -2, force);
}

void CountedProjections::archive(Archive &archive)
{
  archive("n_position_projections", n_positions_);
  archive("n_momentum_projections", n_momenta_);
  archive("n_constraint_evaluations", n_evaluations_);
}

void CountedProjections::apply(const ConstraintSet &constraints, MultiplierMatrix &matrix, Eigen::VectorXd &q, Eigen::VectorXd &v)
{
  if (tolerances_.position)
  {
    constraints.value(q, values_);
    ++n_evaluations_;
    if (values_.cwiseAbs().maxCoeff() > *tolerances_.position)
    {
      ++n_positions_;
      constraints.jacobian(q, entries_);
      matrix.factorise(entries_, entries_);
      for (int iteration = 0; values_.cwiseAbs().maxCoeff() > *tolerances_.position; ++iteration)
      {
        if (iteration == 50 || !values_.allFinite())
          throw StepFailed(fmt::format("the projection of the positions did not converge: {} stays at {:.3g}",
                                       constraints.largest(values_).name(), values_.cwiseAbs().maxCoeff()));
        matrix.solve(values_);
        step_.setZero(q.size());
        constraints.add_transpose(entries_, values_, -1, step_);
        q += matrix.inverse_mass().cwiseProduct(step_);
        constraints.value(q, values_);
        ++n_evaluations_;
      }
    }
  }
  if (!tolerances_.momentum) return;
  constraints.jacobian(q, entries_);
  ++n_evaluations_;
  constraints.apply(entries_, v, values_);
  if (!(values_.cwiseAbs().maxCoeff() > *tolerances_.momentum)) return;
  ++n_momenta_;
  matrix.factorise(entries_, entries_);
  matrix.solve(values_);
  step_.setZero(q.size());
  constraints.add_transpose(entries_, values_, -1, step_);
  v += matrix.inverse_mass().cwiseProduct(step_);
}
}  // namespace freefall

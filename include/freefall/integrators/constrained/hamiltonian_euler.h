#pragma once

#include <freefall/integrators/constrained/constrained_method.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/systems/hamiltonian.h>

#include <Eigen/SparseLU>

namespace freefall
{
/// The first-order symplectic method R (24) on the constraint manifold for any H(q, p), its adjoint, and R (25), which is the
/// adjoint after (24) by half the step each.
///
///   (24):     q' = q + dt H_p(q, p~),  p~ = p - dt H_q(q, p~) - G(q)^T Lambda,  g(q') = 0;
///             p' = p~ - G(q')^T mu,  G(q') H_p(q', p') = 0
///   adjoint:  q' = q + dt H_p(q', p~),  p~ = p - G(q)^T mu,  g(q') = 0;
///             p' = p~ - dt H_q(q', p~) - G(q')^T Lambda,  G(q') H_p(q', p') = 0
///
/// Conserves:  symplectic form on the manifold, g = 0 and G v = 0 to rounding; energy up to a bounded oscillation
/// Time level: on return q and v = H_p both belong to t + dt
/// Requires:   a system with a Hamiltonian (non_separable_hamiltonian); constraints that are independent; an initial state on the
///             manifold
/// Throws:     StepFailed naming the constraint that is not met, or dependent ones; DomainError; the state is left as it was
///
/// Sparse Newton iterations with n_dofs + n_constraints rows and exact matrices: linear cost for chains.
class HamiltonianEuler final : public ConstrainedMethod
{
public:
  /// Any form but Rattle::Form::rattle.
  explicit HamiltonianEuler(Rattle::Form form) : form_(form) {}

  std::string name() const override { return Rattle(form_).name() + " for any Hamiltonian"; }
  int order() const override { return is_symmetric() ? 2 : 1; }
  bool is_symmetric() const override { return form_ == Rattle::Form::composed; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

protected:
  bool handles_any_hamiltonian() const override { return true; }

private:
  /// These move q_ and p_.
  void forward(double dt);
  void backward(double dt);
  /// p_ becomes p_ - G^T mu with G H_p = 0 at q_; adds mu to multipliers_.
  void solve_momenta();
  void evaluate(const Eigen::VectorXd &q, const Eigen::VectorXd &p);
  /// G(q) with the entries.
  Eigen::SparseMatrix<double> jacobian(const Eigen::VectorXd &q, Eigen::VectorXd &entries);
  /// Solves [a, b; c, 0] x = residual_ into change_.
  void solve(const Eigen::SparseMatrix<double> &a, const Eigen::SparseMatrix<double> &b, const Eigen::SparseMatrix<double> &c);

  Rattle::Form form_;
  const Hamiltonian *hamiltonian_ = nullptr;
  Hamiltonian::Derivatives here_;
  double largest_move_ = 0;  ///< of a step, by its first velocities
  Eigen::VectorXd q_, p_, entries_, values_, residual_, change_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factors_;
};
}  // namespace freefall

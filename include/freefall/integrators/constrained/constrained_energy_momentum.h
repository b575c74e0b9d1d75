#pragma once

#include <freefall/integrators/constrained/constrained_method.h>

#include <Eigen/SparseLU>
#include <memory>
#include <vector>

namespace freefall
{
/// The energy-momentum scheme for constraints, G99 (21), (33)-(34).
///
///   q_n+1 = q_n + dt/2 (v_n + v_n+1),   M v_n+1 = M v_n - dt (DV(q_n, q_n+1) + Dg(q_n, q_n+1)^T lambda),   g(q_n+1) = 0
///
/// with the discrete derivatives of terms and constraints.
///
/// Conserves:  energy and g = 0 to rounding; linear and angular momentum where every term and constraint that is invariant
///             has an equivariant discrete derivative (pairs, bonds, angles, distances); not G v = 0, which oscillates about 0,
///             and not the symplectic form
/// Time level: on return q and v both belong to t + dt, the multipliers to t + dt/2
/// Requires:   constraints that are independent; an initial state with g = 0
/// Throws:     StepFailed when Newton's iteration does not converge or the constraints become dependent; DomainError; the
///             state is left as it was
///
/// One sparse factorisation of n_dofs + n_constraints rows a step (more when Newton's iteration slows down): linear cost for
/// chains. Its matrix has the exact second derivatives of terms and constraints at the midpoint.
class ConstrainedEnergyMomentum final : public ConstrainedMethod
{
public:
  std::string name() const override { return "constrained energy-momentum"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  void factorise(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1, double dt);
  /// The discrete gradient of the potential into gradient_, zero in fixed dofs.
  void evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1);

  std::vector<bool> is_fixed_;
  bool is_analysed_ = false;
  std::vector<Eigen::Triplet<double>> triplets_;
  Eigen::SparseMatrix<double> jacobian_;
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> factors_;
  Eigen::VectorXd impulse_, entries_, discrete_entries_, middle_, residual_, change_, values_;
  std::vector<double> x0_, x1_, local_;
};
}  // namespace freefall

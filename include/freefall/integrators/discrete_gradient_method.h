#pragma once

#include <freefall/integrators/newton_progress.h>
#include <freefall/integrators/one_step_method.h>

#include <Eigen/LU>
#include <vector>

namespace freefall
{
/// Energy-momentum method of LaBudde and Greenspan (GSO 6.1), for any potential by discrete gradients (Gonzalez 1996).
///
///   q_n+1 = q_n + dt/2 (v_n + v_n+1),   M v_n+1 = M v_n - dt DV(q_n, q_n+1),   DV = sum of the terms' discrete gradients
///
/// For a central force, DV = (U(r_n+1) - U(r_n)) / (r_n+1^2 - r_n^2) (q_n + q_n+1): the scheme as LaBudde and Greenspan gave
/// it.
///
/// Conserves:  energy; linear and angular momentum where every term that is invariant has its own discrete gradient
///             (TermsWithDiscreteGradient: pairs, bonds, angles); not the symplectic form
/// Time level: on return q and v both belong to t + dt
/// Requires:   a small system: each step factorises a dense matrix of n_dofs rows
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
class DiscreteGradientMethod final : public OneStepMethod
{
public:
  std::string name() const override { return "LaBudde-Greenspan"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override { counts_.archive(archive); }
  NamedValues summary() const override { return counts_.summary(); }

private:
  void factorise(const Eigen::VectorXd &middle, double dt);
  /// DV(q0, q1) into gradient_, zero in fixed dofs.
  void evaluate(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1);

  const System *system_ = nullptr;
  NewtonCounts counts_;
  Eigen::MatrixXd mass_, hessian_, jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  Eigen::VectorXd gradient_, middle_, change_;
  std::vector<double> x0_, x1_, local_;
};
}  // namespace freefall

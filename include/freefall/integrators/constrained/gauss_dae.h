#pragma once

#include <freefall/integrators/constrained/constrained_method.h>

namespace freefall
{
/// Gauss-Legendre collocation with 1 to 3 stages directly on the differential-algebraic equations (R 12).
///
///   index 3 (R 2):  q' = v,   M v' = -grad V - G^T lambda_1,   g(Q_i) = 0 at the stages
///   index 2 (R 6):  q' = v + M^-1 G^T lambda_2,   M v' = -grad V - G^T lambda_1 - sum lambda_2 g'' v,   g(Q_i) = 0, G(Q_i) V_i = 0
///
/// projected (R section 4):  the result is moved by q += M^-1 G^T mu_2, M v -= G^T mu_1 + sum mu_2 g'' v, with G at the new
/// state, to g = 0 and G v = 0.
/// reversible (R Corollary 5.2):  R Psi(-dt/2) R Psi(dt/2), R the change of sign of v.
///
/// Conserves:  symplectic form, but not the manifold; projected: the manifold, but not the form
/// Time level: on return q and v both belong to t + dt
/// Requires:   a small system: each iteration factorises a dense matrix of 2 stages (n_dofs + n_constraints) rows
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
///
/// Order in q (R Corollary 3.2): s + 1 for odd s, s for even s (and for index 3 two less in v), not 2 s.
class GaussDae final : public ConstrainedMethod
{
public:
  struct Settings
  {
    int n_stages = 1;
    int index = 2;
    bool is_projected = false;
    bool is_reversible = false;
  };
  explicit GaussDae(const Settings &settings);

  std::string name() const override;
  int order() const override { return settings_.n_stages % 2 ? settings_.n_stages + 1 : settings_.n_stages; }
  bool is_symmetric() const override { return !settings_.is_projected; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;

private:
  /// One stage: the rates and all their derivatives at (q, v, lambda_1, lambda_2).
  struct Stage
  {
    Eigen::VectorXd q, v, lambda1, lambda2, q_rate, v_rate, g, psi;
    Eigen::MatrixXd jacobian, curved;  ///< G, and rows g_c'' v
    Eigen::MatrixXd q_by_q, v_by_q, v_by_v;
  };
  void evaluate(Stage &stage, bool has_hamiltonian);
  /// Solves stage = base + dt sum a stage.rates, with the constraints at all stages.
  void solve(const Eigen::VectorXd &q, const Eigen::VectorXd &v, const Eigen::MatrixXd &a, double dt, int index, bool has_hamiltonian);
  void plain_step(const Eigen::VectorXd &q, const Eigen::VectorXd &v, double dt, State &next);

  Settings settings_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd weights_;
  std::vector<Stage> stages_;
  Eigen::MatrixXd hessian_;
  Eigen::VectorXd entries_;
  State between_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/acceleration.h>
#include <freefall/integrators/newton_progress.h>
#include <freefall/integrators/one_step_method.h>

#include <Eigen/LU>

namespace freefall
{
/// Gauss collocation with s = 1 to 4 stages on (q, v)' = (v, a(q)); one stage is the implicit midpoint rule.
///
///   Q_i = q_n + c_i dt v_n + dt^2 sum_j (A A)_ij a(Q_j),   q_n+1 = q_n + dt v_n + dt^2 sum_j (b A)_j a(Q_j),
///   v_n+1 = v_n + dt sum_j b_j a(Q_j)
///
/// Conserves:  symplectic form, linear and angular momentum, quadratic invariants; energy up to a bounded oscillation O(dt^2s)
/// Time level: on return q and v both belong to t + dt
/// Requires:   a small system: each step factorises a dense matrix of s n_dofs rows
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
///
/// Order 2s. The stages are solved to rounding by Newton's iteration with one Hessian, renewed when it converges slowly.
class GaussCollocation final : public OneStepMethod
{
public:
  explicit GaussCollocation(int n_stages);

  std::string name() const override;
  int order() const override { return 2 * n_stages_; }
  bool is_symmetric() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override { counts_.archive(archive); }
  NamedValues summary() const override { return counts_.summary(); }

  const Eigen::VectorXd &nodes() const { return nodes_; }
  const Eigen::MatrixXd &matrix() const { return matrix_; }
  const Eigen::VectorXd &weights() const { return weights_; }

private:
  void factorise(const Eigen::VectorXd &q, double dt);
  /// The accelerations at the stages q_n + c_i dt v_n + increments, into accelerations_.
  void evaluate_stages(const State &now, double dt);

  int n_stages_;
  Eigen::VectorXd nodes_, weights_;
  Eigen::MatrixXd matrix_, matrix_squared_;
  Eigen::RowVectorXd position_weights_;

  const System *system_ = nullptr;
  NewtonCounts counts_;
  Acceleration acceleration_;
  Eigen::MatrixXd mass_, hessian_, jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  Eigen::MatrixXd increments_, accelerations_;  ///< one column a stage
  Eigen::VectorXd stage_, stage_acceleration_, residual_;
};
}  // namespace freefall

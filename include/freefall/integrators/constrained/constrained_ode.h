#pragma once

#include <freefall/systems/multiplier_matrix.h>

#include <cstdint>
#include <optional>

namespace freefall
{
/// A constrained system as an ordinary differential equation (q, v)' = f(q, v) whose exact solutions stay on the manifold.
/// With psi = G v, Q = G M^-1 G^T, rho = g''[v, v] - G M^-1 grad V, mu = Q^-1 psi:
///
///   naive (S 27, 28):  q' = v,   M v' = -grad V - G^T Q^-1 rho
///   hamilton_dirac (S 31):  q' = v - M^-1 G^T mu,   M v' = -grad V + G^T Q^-1 (S mu - rho) + sum mu_c g_c'' v;
///     g and psi are first integrals. S mu = g''[v, M^-1 G^T mu] - G M^-1 sum mu_c g_c'' v
///   extended (S 32, 33):  the canonical equations of H + rho^T Q^-1 g - psi^T Q^-1 psi, with exact third derivatives of g and
///     second ones of V; the manifold is invariant, g and psi are no integrals off it
///
/// One evaluation is linear in the number of constraints where Q is banded.
class ConstrainedOde
{
public:
  enum class Formulation
  {
    naive,
    hamilton_dirac,
    extended
  };
  explicit ConstrainedOde(Formulation formulation) : formulation_(formulation) {}

  /// InputError for a system with a Hamiltonian that is not separable.
  void attach(const System &system);
  void operator()(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &q_rate, Eigen::VectorXd &v_rate);

  Formulation formulation() const { return formulation_; }
  std::int64_t n_evaluations() const { return n_evaluations_; }
  MultiplierMatrix &matrix() { return matrix_; }
  const MultiplierMatrix &matrix() const { return matrix_; }
  /// Saves or loads the counts.
  void archive(Archive &archive);

private:
  void evaluate_dirac(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &q_rate, Eigen::VectorXd &force);
  void evaluate_extended(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &q_rate, Eigen::VectorXd &force);
  /// M^-1 G^T x.
  const Eigen::VectorXd &raised(const Eigen::VectorXd &x, Eigen::VectorXd &result) const;
  /// result += factor Hess V(q) x.
  void add_hessian_of_potential(const Eigen::VectorXd &q, const Eigen::VectorXd &x, double factor, Eigen::VectorXd &result) const;

  Formulation formulation_;
  const System *system_ = nullptr;
  const ConstraintSet *constraints_ = nullptr;
  MultiplierMatrix matrix_;
  std::int64_t n_evaluations_ = 0;
  Eigen::VectorXd gradient_, acceleration_, entries_, rho_, psi_, mu_, a_, b_, h_, w_, z_, product_;
};

/// Projections S (66) and (67) of a state that an integrator has left off the manifold, in the metric of the masses: each only
/// when its residual passes its tolerance, positions first, and counted.
class CountedProjections
{
public:
  struct Tolerances
  {
    std::optional<double> position;  ///< largest |g|; nothing: never
    std::optional<double> momentum;  ///< largest |G v|
  };
  explicit CountedProjections(const Tolerances &tolerances) : tolerances_(tolerances) {}

  /// Throws StepFailed when (67), with its frozen matrix, does not converge.
  void apply(const ConstraintSet &constraints, MultiplierMatrix &matrix, Eigen::VectorXd &q, Eigen::VectorXd &v);

  std::int64_t n_positions() const { return n_positions_; }
  std::int64_t n_momenta() const { return n_momenta_; }
  /// How often the constraints were looked at.
  std::int64_t n_evaluations() const { return n_evaluations_; }
  /// Saves or loads the counts.
  void archive(Archive &archive);

private:
  Tolerances tolerances_;
  std::int64_t n_positions_ = 0, n_momenta_ = 0, n_evaluations_ = 0;
  Eigen::VectorXd entries_, values_, step_;
};
}  // namespace freefall

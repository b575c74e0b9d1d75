#pragma once

#include <freefall/core/span.h>
#include <freefall/systems/shared_dofs.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <array>
#include <memory>

namespace freefall
{
/// A consistent mass of displacements, the same matrix between nodes for each of the three components.
///
/// In one process it is factorised. On several ranks each has the matrix of its own elements, M is their sum, and the solve is by
/// conjugate gradients with the diagonal of M, after which the condition number does not depend on the mesh (Wathen 1987: 5 for
/// linear tetrahedra, 27 for trilinear hexahedra).
///
/// Guarantees: solve() is exact to rounding; a dof that is held has no acceleration, and M then acts on the free dofs alone. On
/// several ranks apply() and solve() are collective, and copies of a dof get the same bits everywhere.
class ConsistentMass
{
public:
  /// The matrix between nodes, kg, symmetric and positive definite. With `shared`, only this rank's part of the sum.
  explicit ConsistentMass(Eigen::SparseMatrix<double> matrix, const SharedDofs *shared = nullptr);

  /// Solves without these dofs (3 * node + component).
  void hold(Span<const int> dofs);

  const Eigen::SparseMatrix<double> &matrix() const { return matrix_; }
  /// M v of all dofs.
  Eigen::VectorXd apply(const Eigen::VectorXd &v) const;
  /// a with (M a)_free = f_free and a_held = 0. Throws StepFailed when conjugate gradients do not come to an end.
  Eigen::VectorXd solve(const Eigen::VectorXd &f) const;

private:
  using Factors = Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>;

  std::shared_ptr<const Factors> factorise(const std::vector<bool> &is_held) const;
  void clear_held(Eigen::VectorXd &values) const;
  Eigen::VectorXd solve_on_ranks(const Eigen::VectorXd &f) const;

  Eigen::SparseMatrix<double> matrix_;
  const SharedDofs *shared_;
  Eigen::VectorXd inverse_diagonal_;                       ///< of M, of all dofs; on several ranks only
  std::array<std::vector<bool>, 3> is_held_;               ///< nodes, of each component
  std::array<std::shared_ptr<const Factors>, 3> factors_;  ///< of each component; shared where the held nodes are the same
};
}  // namespace freefall

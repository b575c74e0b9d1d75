#pragma once

#include <freefall/core/span.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <array>
#include <memory>

namespace freefall
{
/// A consistent mass of displacements, the same matrix between nodes for each of the three components, and its factorisation.
///
/// Guarantees: solve() is exact to rounding; a dof that is held has no acceleration, and M then acts on the free dofs alone.
class ConsistentMass
{
public:
  /// The matrix between nodes, kg, symmetric and positive definite.
  explicit ConsistentMass(Eigen::SparseMatrix<double> matrix);

  /// Factorises without these dofs (3 * node + component).
  void hold(Span<const int> dofs);

  const Eigen::SparseMatrix<double> &matrix() const { return matrix_; }
  /// M v of all dofs.
  Eigen::VectorXd apply(const Eigen::VectorXd &v) const;
  /// a with (M a)_free = f_free and a_held = 0.
  Eigen::VectorXd solve(const Eigen::VectorXd &f) const;

private:
  using Factors = Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>;

  std::shared_ptr<const Factors> factorise(const std::vector<bool> &is_held) const;

  Eigen::SparseMatrix<double> matrix_;
  std::array<std::vector<bool>, 3> is_held_;               ///< nodes, of each component
  std::array<std::shared_ptr<const Factors>, 3> factors_;  ///< of each component; shared where the held nodes are the same
};
}  // namespace freefall

#pragma once

#include <freefall/systems/block_matrix.h>

#include <Eigen/Core>
#include <cstddef>

namespace freefall
{
/// A multigrid preconditioner z = P r for the conjugate gradients of ShiftedSolver: symmetric and positive definite.
///
/// The matrix libraries behind it are seen by the system that makes it only.
class Multigrid
{
public:
  virtual ~Multigrid() = default;
  /// Builds the levels for a matrix at the configuration q, whose rigid motions are what is not stiff.
  virtual void build(const BlockMatrix &matrix, const Eigen::VectorXd &q) = 0;
  virtual void apply(const Eigen::VectorXd &r, Eigen::VectorXd &z) const = 0;
  virtual int n_levels() const = 0;
};
}  // namespace freefall

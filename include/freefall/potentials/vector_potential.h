#pragma once

#include <freefall/core/expression.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// A(x) = B x x / 2 + a(x): a uniform magnetic field B and a field given by formulas. The force on a charge c at speed v is
/// c v x rot A.
///
/// Throws: DomainError where a formula or a derivative has no finite value
class VectorPotential
{
public:
  /// `formulas`: one for each of the dimensions, of the coordinates x, y, z; or none. In the plane only B_z counts.
  /// Throws InputError for a wrong number of formulas, one dimension, or a field in the plane.
  VectorPotential(int dimension, const Eigen::Vector3d &field, const std::vector<std::string> &formulas);

  int dimension() const { return dimension_; }
  /// A and DA(i, j) = dA_i/dx_j at x.
  void evaluate(const double *x, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::MatrixXd> derivative) const;

private:
  int dimension_;
  Eigen::Matrix3d linear_;  ///< of B x x / 2
  std::vector<Expression> formulas_;
};
}  // namespace freefall

#pragma once

#include <vector>

namespace freefall
{
/// The reference geometry of elements of one shape, as a mesh provides it: flat arrays, last index fastest.
///
/// The gradient of shape function a at quadrature point q of element e is
///
///   dN_a/dX_j = sum_k unit_gradients[q][a][k] inverse_jacobians[e][q][k][j],
///
/// which holds nine numbers a point instead of three a point and node.
struct ElementGeometry
{
  int n_nodes = 0;
  int n_points = 0;
  std::vector<double> unit_gradients;     ///< [point][node][3], dN_a/dxi_k on the unit cell
  std::vector<double> inverse_jacobians;  ///< [element][point][3][3], dxi_k/dX_j, 1/m
  std::vector<double> weights;            ///< [element][point], quadrature weight times Jacobian, m3

  int n_elements() const { return n_points ? static_cast<int>(weights.size()) / n_points : 0; }

  /// From the gradients dN_a/dX_j at every point, [element][point][node][3], 1/m. The gradients of the first element serve as
  /// unit gradients. Throws InputError when an element's gradients are not a linear image of the first one's, as those of one
  /// isoparametric family are, to 1e-10 of their size.
  static ElementGeometry from_shape_gradients(int n_nodes,
                                              int n_points,
                                              const std::vector<double> &gradients,
                                              std::vector<double> weights);
};
}  // namespace freefall

#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/potentials/element_geometry.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <stdexcept>
#include <utility>

namespace freefall
{
ElementGeometry ElementGeometry::from_shape_gradients(int n_nodes,
                                                      int n_points,
                                                      const std::vector<double> &gradients,
                                                      std::vector<double> weights)
{
  ElementGeometry geometry;
  geometry.n_nodes = n_nodes;
  geometry.n_points = n_points;
  geometry.weights = std::move(weights);
  const std::size_t per_element = std::size_t(3) * n_nodes * n_points, n_elements = geometry.n_elements();
  if (gradients.size() != per_element * n_elements)
    throw std::logic_error("shape gradients and quadrature weights are for different numbers of elements");
  if (n_elements == 0) return geometry;
  geometry.unit_gradients.assign(gradients.begin(), gradients.begin() + per_element);
  geometry.inverse_jacobians.reserve(9 * geometry.weights.size());

  using Gradients = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
  for (std::size_t e = 0; e < n_elements; ++e)
    for (int q = 0; q < n_points; ++q)
    {
      const Gradients unit(geometry.unit_gradients.data() + 3 * n_nodes * q, 3, n_nodes);
      const Gradients given(gradients.data() + e * per_element + 3 * n_nodes * q, 3, n_nodes);
      // Least squares for given = M unit; column-major M is the row-major array [k][j] of dxi_k/dX_j.
      const Eigen::Matrix3d M = given * unit.transpose() * (unit * unit.transpose()).inverse();
      if (!((given - M * unit).norm() <= 1e-10 * given.norm()))
        throw InputError(
          fmt::format("mesh: the shape functions of element {} are of another kind than those of element 0, or "
                      "one of the two has no volume. Repair the mesh.",
                      e));
      geometry.inverse_jacobians.insert(geometry.inverse_jacobians.end(), M.data(), M.data() + 9);
    }
  return geometry;
}
}  // namespace freefall

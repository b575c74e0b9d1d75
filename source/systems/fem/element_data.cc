#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/systems/fem/element_data.h>

#include "body_mesh.h"
#include "precompiled.h"

#include <Eigen/LU>
#include <map>
#include <memory>
#include <stdexcept>

namespace freefall
{
namespace
{
/// Values and gradients at `points` of a deal.II element whose node a lies at nodes.col(a) of the reference cell.
template <int dim>
ReferenceElement evaluate(const dealii::FiniteElement<dim> &element,
                          const Eigen::MatrixXd &nodes,
                          const dealii::Quadrature<dim> &quadrature)
{
  const auto &support_points = element.get_unit_support_points();
  std::vector<unsigned int> function_of_node;
  for (int a = 0; a < nodes.cols(); ++a)
    for (unsigned int i = 0; i < support_points.size(); ++i)
    {
      double distance = 0;
      for (int d = 0; d < dim; ++d) distance += std::abs(support_points[i][d] - nodes(d, a));
      if (distance < 1e-10) function_of_node.push_back(i);
    }
  if (function_of_node.size() != support_points.size()) throw std::logic_error("deal.II's nodes are not those of ElementType");

  ReferenceElement reference;
  reference.n_points = static_cast<int>(quadrature.size());
  for (unsigned int q = 0; q < quadrature.size(); ++q)
  {
    reference.weights.push_back(quadrature.weight(q));
    for (const unsigned int i : function_of_node)
    {
      reference.values.push_back(element.shape_value(i, quadrature.point(q)));
      const auto gradient = element.shape_grad(i, quadrature.point(q));
      for (int d = 0; d < dim; ++d) reference.gradients.push_back(gradient[d]);
    }
  }
  return reference;
}

template <int dim>
ReferenceElement evaluate(ElementType type, const Eigen::MatrixXd &nodes, const dealii::Quadrature<dim> &quadrature)
{
  const unsigned int degree = shape_of(type).is_quadratic ? 2 : 1;
  if (shape_of(type).is_tetrahedron) return evaluate(dealii::FE_SimplexP<dim>(degree), nodes, quadrature);
  return evaluate(dealii::FE_Q<dim>(degree), nodes, quadrature);
}

/// Shape functions at the nodes themselves.
ReferenceElement reference_nodes(ElementType type)
{
  std::vector<dealii::Point<3>> points;
  for (const auto &node : shape_of(type).reference_nodes.colwise()) points.emplace_back(node[0], node[1], node[2]);
  return evaluate<3>(type, shape_of(type).reference_nodes, dealii::Quadrature<3>(points));
}

/// dX/dxi at a point of the reference cell, from the places of the nodes.
Eigen::Matrix3d jacobian(const ReferenceElement &reference, int point, const Eigen::Matrix3Xd &x)
{
  const Eigen::Map<const Eigen::Matrix3Xd> gradients(reference.gradients.data() + 3 * point * x.cols(), 3, x.cols());
  return x * gradients.transpose();
}

Eigen::Matrix3Xd places(const SolidMesh &mesh, int cell)
{
  Eigen::Matrix3Xd x(3, mesh.nodes_per_cell());
  for (int a = 0; a < mesh.nodes_per_cell(); ++a) x.col(a) = mesh.nodes.col(mesh.cell_nodes(cell)[a]);
  return x;
}
}  // namespace

ReferenceElement reference_element(ElementType type, QuadratureRule rule)
{
  const auto &shape = shape_of(type);
  if (!shape.is_tetrahedron) return evaluate<3>(type, shape.reference_nodes, dealii::QGauss<3>(shape.is_quadratic ? 3 : 2));
  if (rule == QuadratureRule::force)
    return evaluate<3>(type, shape.reference_nodes, dealii::QGaussSimplex<3>(shape.is_quadratic ? 2 : 1));
  return evaluate<3>(type, shape.reference_nodes, dealii::QWitherdenVincentSimplex<3>(3));
}

ReferenceElement reference_face(ElementType type)
{
  const auto &shape = shape_of(type);
  Eigen::MatrixXd nodes(2, shape.n_face_nodes);
  if (shape.is_tetrahedron)
    nodes.leftCols(3) << 0, 1, 0, /**/ 0, 0, 1;
  else
    nodes.leftCols(4) << 0, 1, 1, 0, /**/ 0, 0, 1, 1;
  const int n = shape.n_face_corners;
  for (int i = n; i < std::min(2 * n, shape.n_face_nodes); ++i)
    nodes.col(i) = (nodes.col(i - n) + nodes.col((i - n + 1) % n)) / 2;
  if (shape.n_face_nodes == 9) nodes.col(8).setConstant(0.5);
  if (shape.is_tetrahedron) return evaluate<2>(type, nodes, dealii::QWitherdenVincentSimplex<2>(shape.is_quadratic ? 3 : 2));
  return evaluate<2>(type, nodes, dealii::QGauss<2>(shape.is_quadratic ? 3 : 2));
}

ElementData element_data(const SolidMesh &mesh, QuadratureRule rule)
{
  const ReferenceElement reference = reference_element(mesh.element, rule);
  const int n_nodes = mesh.nodes_per_cell();
  ElementData data;
  data.n_points = reference.n_points;
  data.shape_values = reference.values;
  data.shape_gradients.resize(static_cast<std::size_t>(mesh.n_cells()) * reference.n_points * n_nodes * 3);
  data.weights.reserve(static_cast<std::size_t>(mesh.n_cells()) * reference.n_points);
  double *out = data.shape_gradients.data();
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
  {
    const Eigen::Matrix3Xd x = places(mesh, cell);
    for (int q = 0; q < reference.n_points; ++q, out += 3 * n_nodes)
    {
      const Eigen::Matrix3d J = jacobian(reference, q, x);
      const double det = J.determinant();
      if (!(det > 0)) throw InputError(fmt::format("element {} is inverted within: its Jacobian is {:.4g} m3.", cell, det));
      data.weights.push_back(reference.weights[q] * det);
      Eigen::Map<Eigen::Matrix3Xd>(out, 3, n_nodes) =
        J.inverse().transpose() * Eigen::Map<const Eigen::Matrix3Xd>(reference.gradients.data() + 3 * q * n_nodes, 3, n_nodes);
    }
  }
  return data;
}

ElementGeometry element_geometry(const SolidMesh &mesh, const std::vector<int> &cells)
{
  const ReferenceElement reference = reference_element(mesh.element, QuadratureRule::force);
  ElementGeometry geometry;
  geometry.n_nodes = mesh.nodes_per_cell();
  geometry.n_points = reference.n_points;
  geometry.unit_gradients = reference.gradients;
  geometry.inverse_jacobians.reserve(9 * cells.size() * reference.n_points);
  geometry.weights.reserve(cells.size() * reference.n_points);
  for (const int cell : cells)
  {
    const Eigen::Matrix3Xd x = places(mesh, cell);
    for (int q = 0; q < reference.n_points; ++q)
    {
      const Eigen::Matrix3d J = jacobian(reference, q, x);
      const double det = J.determinant();
      if (!(det > 0)) throw InputError(fmt::format("element {} is inverted within: its Jacobian is {:.4g} m3.", cell, det));
      geometry.weights.push_back(reference.weights[q] * det);
      const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> inverse = J.inverse();
      geometry.inverse_jacobians.insert(geometry.inverse_jacobians.end(), inverse.data(), inverse.data() + 9);
    }
  }
  return geometry;
}

std::vector<double> lumped_volumes(const SolidMesh &mesh)
{
  const ReferenceElement reference = reference_element(mesh.element, QuadratureRule::mass);
  const int n_nodes = mesh.nodes_per_cell();
  const bool is_quadratic = shape_of(mesh.element).is_quadratic;
  std::vector<double> volumes;
  volumes.reserve(static_cast<std::size_t>(mesh.n_cells()) * n_nodes);
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
  {
    const Eigen::Matrix3Xd x = places(mesh, cell);
    Eigen::VectorXd lumped = Eigen::VectorXd::Zero(n_nodes);
    double volume = 0;
    for (int q = 0; q < reference.n_points; ++q)
    {
      const double weight = reference.weights[q] * jacobian(reference, q, x).determinant();
      const Eigen::Map<const Eigen::ArrayXd> N(reference.values.data() + q * n_nodes, n_nodes);
      volume += weight;
      lumped.array() += weight * (is_quadratic ? (N * N).eval() : N.eval());
    }
    lumped *= volume / lumped.sum();
    volumes.insert(volumes.end(), lumped.begin(), lumped.end());
  }
  return volumes;
}

Eigen::VectorXd lumped_mass(const SolidMesh &mesh, const std::vector<double> &densities)
{
  const auto volumes = lumped_volumes(mesh);
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(mesh.n_nodes());
  for (std::size_t i = 0; i < volumes.size(); ++i)
    mass[mesh.connectivity[i]] += densities[i / static_cast<std::size_t>(mesh.nodes_per_cell())] * volumes[i];
  return mass;
}

namespace
{
Eigen::MatrixXd element_mass(const SolidMesh &mesh, int cell, const ReferenceElement &reference)
{
  const int n_nodes = mesh.nodes_per_cell();
  const Eigen::Matrix3Xd x = places(mesh, cell);
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n_nodes, n_nodes);
  for (int q = 0; q < reference.n_points; ++q)
  {
    const Eigen::Map<const Eigen::VectorXd> N(reference.values.data() + q * n_nodes, n_nodes);
    mass.noalias() += reference.weights[q] * jacobian(reference, q, x).determinant() * N * N.transpose();
  }
  return mass;
}
}  // namespace

double element_volume(const SolidMesh &mesh, int cell) { return element_mass(mesh, cell).sum(); }

Eigen::MatrixXd element_mass(const SolidMesh &mesh, int cell)
{
  // Asked for one element after another: the tables of deal.II are made once.
  static const std::map<ElementType, ReferenceElement> references = []
  {
    std::map<ElementType, ReferenceElement> all;
    for (const ElementType type : element_types()) all[type] = reference_element(type, QuadratureRule::mass);
    return all;
  }();
  return element_mass(mesh, cell, references.at(mesh.element));
}

Eigen::SparseMatrix<double> consistent_mass(const SolidMesh &mesh, const std::vector<double> &densities)
{
  const ReferenceElement reference = reference_element(mesh.element, QuadratureRule::mass);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(mesh.n_cells()) * mesh.nodes_per_cell() * mesh.nodes_per_cell());
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
  {
    const Eigen::MatrixXd mass = densities[cell] * element_mass(mesh, cell, reference);
    const auto nodes = mesh.cell_nodes(cell);
    for (int a = 0; a < mass.rows(); ++a)
      for (int b = 0; b < mass.cols(); ++b) entries.emplace_back(nodes[a], nodes[b], mass(a, b));
  }
  Eigen::SparseMatrix<double> matrix(mesh.n_nodes(), mesh.n_nodes());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void check_jacobians(const BodyMesh &mesh)
{
  const ReferenceElement reference = reference_nodes(mesh.element);
  const int n_nodes = shape_of(mesh.element).n_nodes;
  int n_bad = 0, first_bad = 0;
  double first_determinant = 0;
  Eigen::Matrix3Xd x(3, n_nodes);
  for (int c = 0; c < mesh.n_cells(); ++c)
  {
    for (int a = 0; a < n_nodes; ++a) x.col(a) = mesh.points[mesh.cell(c)[a]];
    double smallest = std::numeric_limits<double>::infinity();
    for (int a = 0; a < (mesh.element == ElementType::tet4 ? 1 : n_nodes); ++a)
      smallest = std::min(smallest, jacobian(reference, a, x).determinant());
    // Rounding of a flat element is not a volume: the determinant is compared with the size of the element.
    const double size = (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).maxCoeff();
    if (smallest > 1e-12 * size * size * size) continue;
    if (n_bad++ == 0) first_bad = c, first_determinant = smallest;
  }
  if (n_bad == 0) return;
  throw InputError(
    fmt::format("{}: {} of {} elements are inverted or flat; the first is {}, whose Jacobian is {:.4g} m3. "
                "Elements must have positive volume, their nodes in the order of the format: repair the mesh in the "
                "program that made it.",
                mesh.origin, n_bad, mesh.n_cells(), mesh.element_name(first_bad), first_determinant));
}
}  // namespace freefall

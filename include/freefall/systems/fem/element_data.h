#pragma once

#include <freefall/potentials/element_geometry.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace freefall
{
/// What the quadrature must integrate: the rule for forces is the usual cheapest one without spurious modes (1, 4, 8 and 27
/// points for tet4, tet10, hex8 and hex27); the one for masses is exact for products of shape functions on undistorted elements
/// (14, 14, 8 and 27 points).
enum class QuadratureRule
{
  force,
  mass
};

/// Shape functions of deal.II's finite elements (FE_SimplexP, FE_Q) on the reference cell, nodes in the order of ElementType.
struct ReferenceElement
{
  int n_points = 0;               ///< of the quadrature
  std::vector<double> values;     ///< N_a: [point][node]
  std::vector<double> gradients;  ///< dN_a/dxi: [point][node][3]
  std::vector<double> weights;    ///< [point]; their sum is the volume of the reference cell
};

ReferenceElement reference_element(ElementType type, QuadratureRule rule);

/// The same on a face, nodes in the order of ElementShape::face_nodes: [point][node] and [point][node][2]. With
/// t_1 = sum_a x_a dN_a/dxi and t_2 = sum_a x_a dN_a/deta, weight (t_1 x t_2) is the outward vector of the area of a point.
/// Exact for the square of a shape function on flat faces.
ReferenceElement reference_face(ElementType type);

/// Geometry of all elements at the points of a quadrature, isoparametric: x = sum_a x_a N_a(xi).
struct ElementData
{
  int n_points = 0;
  std::vector<double> shape_values;     ///< N_a: [point][node], the same for all elements
  std::vector<double> shape_gradients;  ///< dN_a/dX, 1/m: [element][point][node][3]
  std::vector<double> weights;          ///< reference volume of a point, m3: [element][point]
};

ElementData element_data(const SolidMesh &mesh, QuadratureRule rule = QuadratureRule::force);

/// The same of some elements in the form that HyperelasticElements take, ten numbers a point, with the rule for forces.
ElementGeometry element_geometry(const SolidMesh &mesh, const std::vector<int> &cells);

/// The part of an element's volume that is lumped to each of its nodes, m3: [element][node]. All are positive, and those of an
/// element sum to its volume. Linear elements: the row sum of int N_a N_b, int N_a. Quadratic ones, for which row sums are
/// negative or zero at corners of tetrahedra: the diagonal int N_a^2, scaled (Hinton, Rock and Zienkiewicz 1976).
std::vector<double> lumped_volumes(const SolidMesh &mesh);

/// Lumped mass of each node, kg, from the density of each element, kg/m3.
Eigen::VectorXd lumped_mass(const SolidMesh &mesh, const std::vector<double> &densities);

/// m3.
double element_volume(const SolidMesh &mesh, int cell);

/// int N_a N_b of one element, m3.
Eigen::MatrixXd element_mass(const SolidMesh &mesh, int cell);

/// The consistent mass int rho N_a N_b between nodes, kg, from the density of each element: one matrix for all components.
Eigen::SparseMatrix<double> consistent_mass(const SolidMesh &mesh, const std::vector<double> &densities);
}  // namespace freefall

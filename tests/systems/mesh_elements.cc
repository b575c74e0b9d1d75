#include <freefall/systems/fem/mesh_settings.h>

#include <boost/test/unit_test.hpp>

#include "mesh_integrals.h"

using namespace freefall;
using namespace freefall::testing;

namespace
{
/// A ball: its elements are curved where they are quadratic, and distorted everywhere.
SolidMesh ball(ElementType element)
{
  MeshSettings settings;
  settings.kind = MeshSettings::Kind::ball;
  settings.element = element;
  settings.radius = 1;
  settings.core_subdivisions = 2;
  settings.layers = 1;
  return make_solid_mesh({settings});
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_elements)

BOOST_AUTO_TEST_CASE(shape_functions_sum_to_one_and_are_one_at_their_nodes)
{
  for (const ElementType type : element_types())
    for (const auto rule : {QuadratureRule::force, QuadratureRule::mass})
    {
      const ReferenceElement reference = reference_element(type, rule);
      const auto &shape = shape_of(type);
      for (int q = 0; q < reference.n_points; ++q)
      {
        double sum = 0;
        for (int a = 0; a < shape.n_nodes; ++a) sum += reference.values[q * shape.n_nodes + a];
        BOOST_TEST(sum == 1, boost::test_tools::tolerance(1e-13));
      }
    }
}

BOOST_AUTO_TEST_CASE(linear_fields_have_exact_gradients_on_curved_elements)
{
  // The ingredients of the patch test: sum_a grad N_a = 0 and sum_a x_a (x) grad N_a = 1 at every point.
  for (const ElementType type : element_types())
  {
    const SolidMesh mesh = ball(type);
    const ElementData data = element_data(mesh);
    const int n = mesh.nodes_per_cell();
    double worst = 0;
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
      for (int q = 0; q < data.n_points; ++q)
      {
        const Eigen::Map<const Eigen::Matrix3Xd> gradients(
          data.shape_gradients.data() + 3 * n * (static_cast<std::size_t>(cell) * data.n_points + q), 3, n);
        Eigen::Matrix3d identity = Eigen::Matrix3d::Zero();
        for (int a = 0; a < n; ++a) identity += mesh.nodes.col(mesh.cell_nodes(cell)[a]) * gradients.col(a).transpose();
        worst = std::max({worst, gradients.rowwise().sum().norm(), (identity - Eigen::Matrix3d::Identity()).norm()});
      }
    // Rounding: gradients of about 10, 27 terms.
    BOOST_TEST(worst < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(nodal_forces_of_a_constant_stress_vanish_inside)
{
  // The patch test itself: for a constant stress P, sum over elements of int P grad N_a is zero at inner nodes whenever the
  // quadrature integrates grad N_a exactly, as it does on elements with straight edges.
  for (const ElementType type : element_types())
  {
    SolidMesh mesh;
    MeshSettings settings;
    settings.element = type;
    settings.box.subdivisions = {3, 3, 3};
    settings.box.cut = HexahedronCut::five;
    mesh = make_solid_mesh({settings});
    // A linear map keeps the elements affine but not orthogonal.
    const Eigen::Matrix3d shear = (Eigen::Matrix3d() << 1, 0.3, 0, 0.1, 1, 0.2, 0, 0, 2).finished();
    mesh.nodes = shear * mesh.nodes;
    const ElementData data = element_data(mesh);
    Eigen::Matrix3Xd force = Eigen::Matrix3Xd::Zero(3, mesh.n_nodes());
    const int n = mesh.nodes_per_cell();
    for (std::size_t i = 0; i < data.weights.size(); ++i)
      for (int a = 0; a < n; ++a)
      {
        const int node = mesh.cell_nodes(static_cast<int>(i) / data.n_points)[a];
        force.col(node) += data.weights[i] * Eigen::Map<const Eigen::Vector3d>(data.shape_gradients.data() + 3 * (i * n + a));
      }
    std::vector<bool> is_inner(mesh.n_nodes(), true);
    for (const int node : mesh.boundary_nodes({})) is_inner[node] = false;
    double inner = 0, outer = 0;
    for (int node = 0; node < mesh.n_nodes(); ++node) (is_inner[node] ? inner : outer) += force.col(node).norm();
    BOOST_TEST(inner < 1e-13 * mesh.n_nodes());
    BOOST_TEST(outer > 1);
  }
}

BOOST_AUTO_TEST_CASE(lumped_volumes_are_positive_and_sum_to_the_volume)
{
  for (const ElementType type : element_types())
  {
    const SolidMesh mesh = ball(type);
    const auto volumes = lumped_volumes(mesh);
    BOOST_TEST(*std::min_element(volumes.begin(), volumes.end()) > 0);
    const Eigen::VectorXd mass = lumped_mass(mesh, std::vector<double>(mesh.n_cells(), 3.0));
    BOOST_TEST(mass.sum() == 3 * volume(mesh), boost::test_tools::tolerance(1e-13));
    BOOST_TEST(mass.minCoeff() > 0);
  }
}

BOOST_AUTO_TEST_CASE(lumped_volumes_of_single_elements_are_those_of_the_textbooks)
{
  // HRZ on a straight quadratic tetrahedron: 1/36 at corners, 4/27 at edges. On a quadratic hexahedron the diagonal is a tensor
  // product of (1, 4, 1)/6: Simpson's rule.
  const std::map<ElementType, std::map<std::size_t, double>> expected{
    {ElementType::tet4, {{1, 1. / 4}}},
    {ElementType::tet10, {{1, 1. / 36}, {2, 4. / 27}}},
    {ElementType::hex8, {{1, 1. / 8}}},
    {ElementType::hex27, {{1, 1. / 216}, {2, 4. / 216}, {4, 16. / 216}, {8, 64. / 216}}}};
  for (const auto &[type, shares] : expected)
  {
    MeshSettings settings;
    settings.element = type;
    settings.box.subdivisions = {1, 1, 1};
    settings.box.cut = HexahedronCut::five;
    const SolidMesh mesh = make_solid_mesh({settings});
    const auto volumes = lumped_volumes(mesh);
    const int n = mesh.nodes_per_cell();
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
    {
      const double total = std::accumulate(volumes.begin() + cell * n, volumes.begin() + (cell + 1) * n, 0.0);
      for (int a = 0; a < n; ++a)
        BOOST_TEST(volumes[cell * n + a] / total == shares.at(shape_of(type).corners_of_node[a].size()),
                   boost::test_tools::tolerance(1e-12));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_mass_rule_integrates_products_exactly)
{
  // int x^2 y^2 over the unit box is 1/9: degree 4, what products of quadratic shape functions have.
  for (const ElementType type : {ElementType::tet10, ElementType::hex27})
  {
    MeshSettings settings;
    settings.element = type;
    settings.box.subdivisions = {1, 1, 1};
    const SolidMesh mesh = make_solid_mesh({settings});
    const ElementData data = element_data(mesh, QuadratureRule::mass);
    const int n = mesh.nodes_per_cell();
    double integral = 0;
    for (std::size_t i = 0; i < data.weights.size(); ++i)
    {
      double x2 = 0, y2 = 0;
      for (int a = 0; a < n; ++a)
      {
        const Eigen::Vector3d x = mesh.nodes.col(mesh.cell_nodes(static_cast<int>(i) / data.n_points)[a]);
        const double N = data.shape_values[(i % data.n_points) * n + a];
        x2 += N * x[0] * x[0], y2 += N * x[1] * x[1];
      }
      integral += data.weights[i] * x2 * y2;
    }
    BOOST_TEST(integral == 1. / 9, boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include <freefall/systems/fem/mesh_ordering.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

using namespace freefall;

namespace
{
/// Two boxes of eight hexahedra each, cut into 24 tetrahedra, apart from each other.
SolidMesh two_boxes()
{
  BoxMesh first, second;
  first.subdivisions = second.subdivisions = {2, 2, 2};
  second.corner = {3, 0, 0};
  return make_solid_mesh({first, second});
}

/// Corner positions of each element, without any numbers.
using Corners = std::multiset<std::array<std::array<double, 3>, 4>>;
Corners corners(const SolidMesh &mesh, int body)
{
  Corners all;
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
  {
    if (mesh.bodies[cell] != body) continue;
    std::array<std::array<double, 3>, 4> points;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c) points[a][c] = mesh.nodes(c, mesh.cell_nodes(cell)[a]);
    all.insert(points);
  }
  return all;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_ordering)

BOOST_AUTO_TEST_CASE(ordered_mesh_is_the_same_mesh)
{
  const SolidMesh mesh = two_boxes();
  SolidMesh ordered = mesh;
  order_for_cache(ordered);
  BOOST_TEST_REQUIRE(ordered.n_nodes() == mesh.n_nodes());
  BOOST_TEST((ordered.connectivity != mesh.connectivity), "nothing was ordered: the test would show nothing");
  // Positions are only moved: equal to the last bit.
  for (const int body : {0, 1}) BOOST_TEST((corners(ordered, body) == corners(mesh, body)));
  BOOST_TEST(std::is_sorted(ordered.bodies.begin(), ordered.bodies.end()));
  BOOST_TEST_REQUIRE(ordered.boundary_faces.size() == mesh.boundary_faces.size());
  for (std::size_t face = 0; face < mesh.boundary_faces.size(); ++face)
  {
    BOOST_TEST(ordered.boundary_faces[face].boundary_id == mesh.boundary_faces[face].boundary_id);
    for (int a = 0; a < 3; ++a)
      BOOST_TEST((ordered.nodes.col(ordered.face_nodes(face)[a]) == mesh.nodes.col(mesh.face_nodes(face)[a])));
  }
}

BOOST_AUTO_TEST_CASE(nodes_are_numbered_by_first_use_and_neighbours_follow_each_other)
{
  SolidMesh mesh = two_boxes();
  std::reverse(mesh.connectivity.begin() + 4 * 3, mesh.connectivity.begin() + 4 * 150);
  order_for_cache(mesh);
  int next = 0;
  for (const int node : mesh.connectivity)
  {
    BOOST_TEST(node <= next);
    next = std::max(next, node + 1);
  }
  BOOST_TEST(next == mesh.n_nodes());
  // The curve finishes one hexahedron (24 elements) before it enters the next one.
  for (int first = 0; first < mesh.n_cells(); first += 24)
  {
    const Eigen::Vector3d start = mesh.cell_centre(first);
    for (int cell = first; cell < first + 24; ++cell) BOOST_TEST((mesh.cell_centre(cell) - start).cwiseAbs().maxCoeff() < 0.5);
  }
}

BOOST_AUTO_TEST_SUITE_END()

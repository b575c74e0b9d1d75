#include <freefall/systems/fem/solid_mesh.h>

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <set>

using namespace freefall;

namespace
{
double volume(const SolidMesh &mesh, int cell)
{
  Eigen::Matrix3d edges;
  const auto nodes = mesh.cell_nodes(cell);
  for (int a = 0; a < 3; ++a) edges.col(a) = mesh.nodes.col(nodes[a + 1]) - mesh.nodes.col(nodes[0]);
  return edges.determinant() / 6;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_mesh)

BOOST_AUTO_TEST_CASE(paper_cubes_have_the_counts_of_figure_23)
{
  const std::vector<std::tuple<std::string, int, int>> cubes{{"I", 192, 71}, {"II", 320, 125}, {"III", 1536, 429}};
  for (const auto &[name, n_cells, n_nodes] : cubes)
  {
    const SolidMesh mesh = make_solid_mesh({gso_cube(name)});
    BOOST_TEST(mesh.n_cells() == n_cells);
    BOOST_TEST(mesh.n_nodes() == n_nodes);
    double total = 0;
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
    {
      BOOST_TEST(volume(mesh, cell) > 0);
      total += volume(mesh, cell);
    }
    BOOST_TEST(total == 1e-3, boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_CASE(boundary_ids_name_the_sides_of_a_box)
{
  BoxMesh box;
  box.corner = {-1, 2, 5};
  box.size = {1, 2, 3};
  box.subdivisions = {2, 1, 3};
  for (const auto cut : {HexahedronCut::five, HexahedronCut::twenty_four})
  {
    box.cut = cut;
    const SolidMesh mesh = make_solid_mesh({box});
    double areas[6] = {};
    for (std::size_t f = 0; f < mesh.boundary_faces.size(); ++f)
    {
      const auto &face = mesh.boundary_faces[f];
      const auto nodes = mesh.face_nodes(static_cast<int>(f));
      const Eigen::Vector3d a = mesh.nodes.col(nodes[0]), b = mesh.nodes.col(nodes[1]) - a, c = mesh.nodes.col(nodes[2]) - a;
      const int axis = face.boundary_id / 2, side = face.boundary_id % 2;
      for (const int node : nodes)
        BOOST_TEST(mesh.nodes(axis, node) == box.corner[axis] + side * box.size[axis], boost::test_tools::tolerance(1e-13));
      areas[face.boundary_id] +=
        Eigen::Vector3d(b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]).norm() / 2;
    }
    const double expected[6] = {6, 6, 3, 3, 2, 2};
    for (int id = 0; id < 6; ++id) BOOST_TEST(areas[id] == expected[id], boost::test_tools::tolerance(1e-13));
    // All boundary nodes are on the surface, and the nodes of one side are fewer.
    const auto all = mesh.boundary_nodes({}), side = mesh.boundary_nodes({4});
    BOOST_TEST(all.size() > side.size());
    for (const int node : side) BOOST_TEST(mesh.nodes(2, node) == 5, boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_CASE(bodies_that_touch_share_no_nodes)
{
  BoxMesh left, right;
  right.corner = {1, 0, 0};
  const SolidMesh mesh = make_solid_mesh({left, right});
  std::set<int> nodes[2];
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    nodes[mesh.bodies[cell]].insert(mesh.cell_nodes(cell).begin(), mesh.cell_nodes(cell).end());
  BOOST_TEST(nodes[0].size() == 15);
  BOOST_TEST(nodes[1].size() == 15);
  BOOST_TEST(mesh.n_nodes() == 30);
}

BOOST_AUTO_TEST_SUITE_END()

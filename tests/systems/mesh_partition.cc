#include <freefall/systems/fem/mesh_ordering.h>
#include <freefall/systems/fem/mesh_partition.h>

#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <map>
#include <set>

using namespace freefall;

namespace
{
SolidMesh two_boxes()
{
  BoxMesh first, second;
  first.subdivisions = {3, 2, 2};
  second.subdivisions = {1, 2, 1};
  second.corner = {5, 0, 0};
  SolidMesh mesh = make_solid_mesh({first, second});
  order_for_cache(mesh);
  return mesh;
}

std::vector<MeshPart> parts_of(const SolidMesh &mesh, int n_ranks)
{
  std::vector<MeshPart> parts;
  for (int rank = 0; rank < n_ranks; ++rank) parts.push_back(part_of_mesh(mesh, rank, n_ranks));
  return parts;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_partition)

BOOST_AUTO_TEST_CASE(one_part_is_the_mesh)
{
  const SolidMesh mesh = two_boxes();
  const MeshPart part = part_of_mesh(mesh, 0, 1);
  BOOST_TEST(part.mesh.connectivity == mesh.connectivity);
  BOOST_TEST(part.mesh.face_connectivity == mesh.face_connectivity);
  BOOST_TEST((part.mesh.nodes == mesh.nodes));
  BOOST_TEST(part.neighbours.empty());
}

BOOST_AUTO_TEST_CASE(parts_hold_every_element_once_and_equally_many)
{
  const SolidMesh mesh = two_boxes();
  for (const int n_ranks : {2, 3, 7})
  {
    int next_cell = 0;
    std::size_t n_faces = 0;
    for (const auto &part : parts_of(mesh, n_ranks))
    {
      BOOST_TEST(part.first_cell == next_cell);
      BOOST_TEST(std::abs(part.mesh.n_cells() - mesh.n_cells() / n_ranks) <= 1);
      for (int cell = 0; cell < part.mesh.n_cells(); ++cell, ++next_cell)
      {
        BOOST_TEST(part.mesh.bodies[cell] == mesh.bodies[next_cell]);
        for (int a = 0; a < mesh.nodes_per_cell(); ++a)
        {
          const int node = part.mesh.cell_nodes(cell)[a];
          BOOST_TEST(part.nodes[node] == mesh.cell_nodes(next_cell)[a]);
          BOOST_TEST((part.mesh.nodes.col(node) == mesh.nodes.col(part.nodes[node])));
        }
      }
      n_faces += part.mesh.boundary_faces.size();
    }
    BOOST_TEST(next_cell == mesh.n_cells());
    BOOST_TEST(n_faces == mesh.boundary_faces.size());
  }
}

BOOST_AUTO_TEST_CASE(neighbours_list_the_same_nodes_in_the_same_order_and_no_shared_node_is_missed)
{
  const SolidMesh mesh = two_boxes();
  const int n_ranks = 5;
  const auto parts = parts_of(mesh, n_ranks);
  for (int rank = 0; rank < n_ranks; ++rank)
    for (int other = 0; other < n_ranks; ++other)
    {
      if (other == rank) continue;
      std::vector<int> common;
      std::set_intersection(parts[rank].nodes.begin(), parts[rank].nodes.end(), parts[other].nodes.begin(),
                            parts[other].nodes.end(), std::back_inserter(common));
      std::vector<int> listed;
      for (const auto &neighbour : parts[rank].neighbours)
        if (neighbour.rank == other)
          for (const int node : neighbour.nodes) listed.push_back(parts[rank].nodes[node]);
      BOOST_TEST(listed == common);
    }
}

BOOST_AUTO_TEST_CASE(more_ranks_than_elements_leave_empty_parts)
{
  BoxMesh box;
  box.cut = HexahedronCut::five;
  const SolidMesh mesh = make_solid_mesh({box});
  BOOST_TEST(mesh.n_cells() == 5);
  int n_empty = 0, n_cells = 0;
  for (const auto &part : parts_of(mesh, 8))
  {
    n_empty += part.mesh.n_cells() == 0;
    n_cells += part.mesh.n_cells();
    if (part.mesh.n_cells() == 0) BOOST_TEST((part.neighbours.empty() && part.nodes.empty()));
  }
  BOOST_TEST(n_empty == 3);
  BOOST_TEST(n_cells == 5);
}

BOOST_AUTO_TEST_CASE(sets_of_nodes_translate_to_a_part)
{
  const SolidMesh mesh = two_boxes();
  const auto boundary = mesh.boundary_nodes({});
  std::map<int, int> count;
  for (const auto &part : parts_of(mesh, 3))
    for (const int node : part.local(boundary)) ++count[part.nodes[node]];
  BOOST_TEST(count.size() == boundary.size());
  for (const int node : boundary) BOOST_TEST(count.count(node) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

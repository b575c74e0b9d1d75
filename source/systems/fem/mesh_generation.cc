#include <freefall/systems/fem/solid_mesh.h>

#include "precompiled.h"

#include <map>
#include <stdexcept>

namespace freefall
{
namespace
{
using Triangulation = dealii::Triangulation<3>;
using Point = dealii::Point<3>;

/// Vertices, cells and boundary faces in deal.II's own terms.
struct Description
{
  std::vector<Point> vertices;
  std::vector<dealii::CellData<3>> cells;
  dealii::SubCellData faces;
};

/// The box cut into 24 tetrahedra a cell. deal.II's own conversion leaves out the cell centre and has fewer nodes than the
/// paper's meshes.
///
/// Points live on a lattice of half cells: corners have even indices, face centres two odd ones, cell centres three.
class CellCentredBox
{
public:
  explicit CellCentredBox(const BoxMesh &box) : box_(box)
  {
    const auto &n = box.subdivisions;
    for (int i = 1; i < 2 * n[0]; i += 2)
      for (int j = 1; j < 2 * n[1]; j += 2)
        for (int k = 1; k < 2 * n[2]; k += 2) add_cell({i, j, k});
  }

  Description description;

private:
  using Index = std::array<int, 3>;

  unsigned int vertex(const Index &index)
  {
    const auto [entry, is_new] = numbers_.try_emplace(index, description.vertices.size());
    if (is_new)
    {
      Point point;
      for (int c = 0; c < 3; ++c) point[c] = box_.corner[c] + box_.size[c] * index[c] / (2.0 * box_.subdivisions[c]);
      description.vertices.push_back(point);
    }
    return entry->second;
  }

  void add_cell(const Index &centre)
  {
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1})
      {
        Index face = centre;
        face[axis] += side;
        const int u = (axis + 1) % 3, w = (axis + 2) % 3;
        const std::array<std::array<int, 2>, 4> ring{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
        for (int edge = 0; edge < 4; ++edge)
        {
          Index a = face, b = face;
          a[u] += ring[edge][0], a[w] += ring[edge][1];
          b[u] += ring[(edge + 1) % 4][0], b[w] += ring[(edge + 1) % 4][1];
          dealii::CellData<3> tetrahedron(4);
          tetrahedron.vertices = {vertex(face), vertex(a), vertex(b), vertex(centre)};
          description.cells.push_back(tetrahedron);
        }
      }
  }

  const BoxMesh &box_;
  std::map<Index, unsigned int> numbers_;
};

Description describe(const BoxMesh &box)
{
  if (box.cut == HexahedronCut::twenty_four) return CellCentredBox(box).description;
  Triangulation triangulation;
  const Point lower(box.corner[0], box.corner[1], box.corner[2]);
  const Point upper = lower + Point(box.size[0], box.size[1], box.size[2]);
  const std::vector<unsigned int> repetitions(box.subdivisions.begin(), box.subdivisions.end());
  dealii::GridGenerator::subdivided_hyper_rectangle_with_simplices(triangulation, repetitions, lower, upper);
  Description description;
  std::tie(description.vertices, description.cells, description.faces) =
    dealii::GridTools::get_coarse_mesh_description(triangulation);
  description.faces = {};
  return description;
}

/// The id of the side of the box on which a boundary face lies.
int side_of(const BoxMesh &box, const Point &face_centre)
{
  for (int c = 0; c < 3; ++c)
    for (const int side : {0, 1})
      if (std::abs(face_centre[c] - (box.corner[c] + side * box.size[c])) < 1e-9 * box.size[c]) return 2 * c + side;
  throw std::logic_error("a boundary face of a box lies on none of its sides");
}

/// Nodes, elements and boundary of a triangulation whose material ids are the bodies.
SolidMesh extract(const Triangulation &triangulation, const std::vector<BoxMesh> &bodies)
{
  const dealii::FE_SimplexP<3> element(1);
  dealii::DoFHandler<3> nodes(triangulation);
  nodes.distribute_dofs(element);
  dealii::DoFRenumbering::Cuthill_McKee(nodes);

  SolidMesh mesh;
  mesh.nodes.resize(3, nodes.n_dofs());
  std::vector<int> node_of_vertex(triangulation.n_vertices());
  for (const auto &cell : nodes.active_cell_iterators())
  {
    std::array<int, 4> cell_nodes;
    for (unsigned int a = 0; a < 4; ++a)
    {
      cell_nodes[a] = static_cast<int>(cell->vertex_dof_index(a, 0));
      node_of_vertex[cell->vertex_index(a)] = cell_nodes[a];
      for (int c = 0; c < 3; ++c) mesh.nodes(c, cell_nodes[a]) = cell->vertex(a)[c];
    }
    mesh.cells.push_back(cell_nodes);
    mesh.bodies.push_back(static_cast<int>(cell->material_id()));
    for (const unsigned int f : cell->face_indices())
    {
      if (!cell->face(f)->at_boundary()) continue;
      SolidMesh::BoundaryFace face;
      for (unsigned int i = 0; i < 3; ++i) face.nodes[i] = node_of_vertex[cell->face(f)->vertex_index(i)];
      face.boundary_id = side_of(bodies[cell->material_id()], cell->face(f)->center());
      mesh.boundary_faces.push_back(face);
    }
  }
  return mesh;
}
}  // namespace

SolidMesh make_solid_mesh(const std::vector<BoxMesh> &bodies)
{
  Description all;
  for (std::size_t body = 0; body < bodies.size(); ++body)
  {
    Description one = describe(bodies[body]);
    const auto offset = static_cast<unsigned int>(all.vertices.size());
    for (auto &cell : one.cells)
    {
      for (auto &vertex : cell.vertices) vertex += offset;
      cell.material_id = static_cast<dealii::types::material_id>(body);
    }
    all.vertices.insert(all.vertices.end(), one.vertices.begin(), one.vertices.end());
    all.cells.insert(all.cells.end(), one.cells.begin(), one.cells.end());
  }
  dealii::GridTools::invert_cells_with_negative_measure(all.vertices, all.cells);
  Triangulation triangulation;
  triangulation.create_triangulation(all.vertices, all.cells, all.faces);
  return extract(triangulation, bodies);
}

BoxMesh gso_cube(const std::string &mesh)
{
  BoxMesh cube;
  cube.size = Eigen::Vector3d::Constant(0.1);
  cube.subdivisions = mesh == "I" ? std::array<int, 3>{2, 2, 2} : std::array<int, 3>{4, 4, 4};
  cube.cut = mesh == "II" ? HexahedronCut::five : HexahedronCut::twenty_four;
  return cube;
}
}  // namespace freefall

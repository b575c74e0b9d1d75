#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/systems/fem/mesh_settings.h>

#include "body_mesh.h"
#include "mesh_file.h"
#include "mesh_shapes.h"
#include "precompiled.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

namespace freefall
{
namespace
{
BodyMesh mesh_of(const MeshSettings &settings)
{
  if (settings.kind != MeshSettings::Kind::file) return mesh_shape(settings);
  BodyMesh mesh = read_mesh_file(settings.file);
  if (!settings.element || *settings.element == mesh.element) return mesh;
  if (*settings.element == other_degree(mesh.element)) return with_other_degree(mesh);
  throw InputError(fmt::format("{} holds {}, not the {} asked for. Only their degree can be changed: choose {} or {}.",
                               settings.file, shape_of(mesh.element).name, shape_of(*settings.element).name,
                               shape_of(mesh.element).name, shape_of(other_degree(mesh.element)).name));
}

void place(const Placement &placement, BodyMesh &mesh)
{
  const double radians = placement.angle * (EIGEN_PI / 180);
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(radians, placement.axis.normalized()).toRotationMatrix();
  // Without a rotation the shape keeps its numbers to the last bit.
  const Eigen::Matrix3d map = placement.scale * (placement.angle == 0 ? Eigen::Matrix3d::Identity().eval() : rotation);
  for (auto &point : mesh.points) point = (map * point + placement.shift).eval();
}

/// New numbers of nodes that bring neighbours together.
std::vector<dealii::types::global_dof_index> cuthill_mckee(const BodyMesh &mesh)
{
  const int n_nodes_per_cell = shape_of(mesh.element).n_nodes;
  dealii::DynamicSparsityPattern neighbours(mesh.points.size(), mesh.points.size());
  for (int c = 0; c < mesh.n_cells(); ++c)
  {
    std::vector<dealii::types::global_dof_index> nodes(mesh.cell(c), mesh.cell(c) + n_nodes_per_cell);
    std::sort(nodes.begin(), nodes.end());
    for (const auto node : nodes) neighbours.add_entries(node, nodes.begin(), nodes.end(), true);
  }
  std::vector<dealii::types::global_dof_index> numbers(mesh.points.size());
  dealii::SparsityTools::reorder_Cuthill_McKee(neighbours, numbers);
  return numbers;
}

/// Renumbers nodes and sorts the elements by the lowest number among their nodes.
BodyMesh in_order(const BodyMesh &mesh)
{
  const auto &shape = shape_of(mesh.element);
  const auto numbers = cuthill_mckee(mesh);
  BodyMesh ordered = mesh;
  for (std::size_t node = 0; node < numbers.size(); ++node) ordered.points[numbers[node]] = mesh.points[node];

  std::vector<std::size_t> lowest(mesh.n_cells(), mesh.points.size());
  for (int c = 0; c < mesh.n_cells(); ++c)
    for (int a = 0; a < shape.n_nodes; ++a) lowest[c] = std::min<std::size_t>(lowest[c], numbers[mesh.cell(c)[a]]);
  std::vector<int> order(mesh.n_cells()), place_of(mesh.n_cells());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return lowest[a] < lowest[b]; });
  ordered.connectivity.clear();
  for (int place = 0; place < mesh.n_cells(); ++place)
  {
    const int c = order[place];
    place_of[c] = place;
    for (int a = 0; a < shape.n_nodes; ++a) ordered.connectivity.push_back(static_cast<int>(numbers[mesh.cell(c)[a]]));
    ordered.material_ids[place] = mesh.material_ids[c];
    if (!mesh.element_numbers.empty()) ordered.element_numbers[place] = mesh.element_numbers[c];
  }
  for (auto &face : ordered.boundary) face.cell = place_of[face.cell];
  return ordered;
}

void append(const BodyMesh &body, SolidMesh &mesh)
{
  const auto &shape = shape_of(mesh.element);
  const int first_node = mesh.n_nodes(), first_cell = mesh.n_cells(), number = mesh.n_bodies();
  mesh.nodes.conservativeResize(3, first_node + static_cast<int>(body.points.size()));
  for (std::size_t i = 0; i < body.points.size(); ++i) mesh.nodes.col(first_node + static_cast<int>(i)) = body.points[i];
  for (const int node : body.connectivity) mesh.connectivity.push_back(first_node + node);
  mesh.bodies.insert(mesh.bodies.end(), body.n_cells(), number);
  mesh.material_ids.insert(mesh.material_ids.end(), body.material_ids.begin(), body.material_ids.end());
  for (std::size_t f = 0; f < body.boundary.size(); ++f)
  {
    const auto &face = body.boundary[f];
    mesh.boundary_faces.push_back({first_cell + face.cell, body.boundary_ids[f]});
    for (const int a : shape.face_nodes[face.face]) mesh.face_connectivity.push_back(first_node + body.cell(face.cell)[a]);
  }
  mesh.names.push_back(body.names);
}
}  // namespace

SolidMesh join_bodies(const std::vector<BodyMesh> &bodies)
{
  SolidMesh mesh;
  if (bodies.empty()) return mesh;
  mesh.element = bodies[0].element;
  for (const auto &body : bodies)
  {
    if (body.element != mesh.element)
      throw InputError(fmt::format("{} has {}, but {} has {}. All bodies of a run have one type of element: set Element alike.",
                                   bodies[0].origin, shape_of(mesh.element).name, body.origin, shape_of(body.element).name));
    check_jacobians(body);
    append(in_order(body), mesh);
  }
  return mesh;
}

SolidMesh make_solid_mesh(const std::vector<MeshSettings> &bodies)
{
  std::vector<BodyMesh> meshes;
  for (const auto &settings : bodies)
  {
    meshes.push_back(mesh_of(settings));
    place(settings.placement, meshes.back());
  }
  return join_bodies(meshes);
}

SolidMesh make_solid_mesh(const std::vector<BoxMesh> &bodies)
{
  std::vector<MeshSettings> all;
  for (const auto &box : bodies)
  {
    all.emplace_back();
    all.back().box = box;
  }
  return make_solid_mesh(all);
}

double n_hexahedra(const MeshSettings &settings)
{
  const double n = settings.core_subdivisions, layers = settings.layers;
  switch (settings.kind)
  {
    case MeshSettings::Kind::box:
      return static_cast<double>(settings.box.subdivisions[0]) * settings.box.subdivisions[1] * settings.box.subdivisions[2];
    case MeshSettings::Kind::cylinder:
      return (n * n + 4 * n * layers) * settings.length_subdivisions;
    case MeshSettings::Kind::ball:
      return n * n * n + 6 * n * n * layers;
    default:
      return 0;
  }
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

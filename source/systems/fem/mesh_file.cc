#include "mesh_file.h"

#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/text.h>

#include "file_mesh.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <numeric>

namespace freefall
{
namespace
{
std::string read_whole_file(const std::string &path)
{
  if (std::filesystem::is_directory(path)) throw InputError(fmt::format("{}: is a folder, not a mesh file.", path));
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw InputError(fmt::format("{}: is a device or a pipe, not a mesh file.", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot open the mesh file. Does it exist, and may you read it?", path));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw InputError(fmt::format("{}: cannot read the mesh file.", path));
  if (trim(text.substr(0, 4096)).empty()) throw InputError(fmt::format("{}: the mesh file is empty.", path));
  return text;
}

FileMesh read_by_extension(const std::string &path)
{
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  using Reader = FileMesh (*)(const std::string &, const std::string &);
  const std::map<std::string, Reader> readers{
    {".msh", read_gmsh}, {".inp", read_abaqus}, {".vtk", read_vtk}, {".vtu", read_vtu}};
  const auto reader = readers.find(extension);
  if (reader == readers.end())
    throw InputError(
      fmt::format("{}: unknown mesh format '{}'. Known are Gmsh (.msh), Abaqus (.inp) and VTK (.vtk, .vtu).", path, extension));
  return reader->second(path, read_whole_file(path));
}

/// The one type of the volume elements.
ElementType element_type_of(const FileMesh &file)
{
  std::map<std::string, int> volumes, surfaces;
  const FileMesh::Element *unusable = nullptr;
  std::optional<ElementType> type;
  for (const auto &element : file.elements)
  {
    if (element.kind->dimension == 2) ++surfaces[element.kind->name];
    if (element.kind->dimension != 3) continue;
    ++volumes[element.kind->name];
    if (!element.kind->element && !unusable) unusable = &element;
    type = element.kind->element;
  }
  if (unusable)
    throw InputError(
      fmt::format("{}: element {} is one of {} {}, which Freefall does not have. It has linear and quadratic "
                  "tetrahedra (4, 10 nodes) and hexahedra (8, 27 nodes).",
                  file.path, unusable->number, volumes[unusable->kind->name], unusable->kind->name));
  std::vector<std::string> counts;
  for (const auto &[name, n] : volumes) counts.push_back(fmt::format("{} {}", n, name));
  if (volumes.size() > 1)
    throw InputError(fmt::format("{}: mixed elements: {}. A run has one type of element: mesh the body with one of them.",
                                 file.path, join(counts, " and ")));
  if (volumes.empty() && !surfaces.empty())
    throw InputError(
      fmt::format("{}: the mesh is two-dimensional: it has surface elements ({}), but no tetrahedra or hexahedra. "
                  "Mesh the volume; in Gmsh, check that a physical group holds it.",
                  file.path, surfaces.begin()->first));
  if (volumes.empty()) throw InputError(fmt::format("{}: the mesh is empty: it has no tetrahedra or hexahedra.", file.path));
  return *type;
}

/// Every node must belong to an element, if only to a line or a point.
void check_unused_nodes(const FileMesh &file)
{
  std::vector<bool> is_used(file.points.size(), false);
  for (const int node : file.connectivity) is_used[node] = true;
  const auto n_unused = std::count(is_used.begin(), is_used.end(), false);
  if (n_unused == 0) return;
  const auto first = std::find(is_used.begin(), is_used.end(), false) - is_used.begin();
  throw InputError(
    fmt::format("{}: {} of {} nodes belong to no element; the first is node {}. Remove them, or save the elements "
                "that use them.",
                file.path, n_unused, file.points.size(), file.point_numbers[first]));
}

/// Copies volume elements and their nodes, in the order of the file.
BodyMesh take_volumes(const FileMesh &file, ElementType type, std::vector<int> &node_of_point)
{
  BodyMesh mesh;
  mesh.element = type;
  mesh.origin = file.path;
  mesh.names = file.names;
  node_of_point.assign(file.points.size(), -1);
  std::vector<bool> is_used(file.points.size(), false);
  const int n_nodes = shape_of(type).n_nodes;
  for (const auto &element : file.elements)
    if (element.kind->dimension == 3)
      for (int a = 0; a < n_nodes; ++a) is_used[file.connectivity[element.first + a]] = true;
  for (std::size_t point = 0; point < file.points.size(); ++point)
    if (is_used[point])
    {
      node_of_point[point] = static_cast<int>(mesh.points.size());
      mesh.points.push_back(file.points[point]);
    }
  for (const auto &element : file.elements)
  {
    if (element.kind->dimension != 3) continue;
    mesh.material_ids.push_back(element.tag);
    mesh.element_numbers.push_back(element.number);
    for (int a = 0; a < n_nodes; ++a) mesh.connectivity.push_back(node_of_point[file.connectivity[element.first + a]]);
  }
  return mesh;
}

/// Nodes in one place tear the body apart. Compared up to rounding of the file's digits: 1e-9 of the size of the body.
void check_duplicated_nodes(const FileMesh &file, const BodyMesh &mesh, const std::vector<int> &node_of_point)
{
  std::vector<long> number(mesh.points.size());
  for (std::size_t point = 0; point < node_of_point.size(); ++point)
    if (node_of_point[point] >= 0) number[node_of_point[point]] = file.point_numbers[point];
  Eigen::Vector3d lower = mesh.points[0], upper = mesh.points[0];
  for (const auto &point : mesh.points) lower = lower.cwiseMin(point), upper = upper.cwiseMax(point);
  const double tolerance = 1e-9 * (upper - lower).maxCoeff();

  // Sorted along a direction in which the layers of a mesh do not coincide.
  const Eigen::Vector3d direction = Eigen::Vector3d(1, 0.7320508, 0.4142136) / 3;
  std::vector<std::pair<double, int>> order;
  for (std::size_t node = 0; node < mesh.points.size(); ++node)
    order.emplace_back(direction.dot(mesh.points[node] - lower), static_cast<int>(node));
  std::sort(order.begin(), order.end());
  int n_duplicated = 0;
  std::pair<int, int> first{};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size() && order[j].first - order[i].first <= tolerance; ++j)
    {
      const int one = order[i].second, other = order[j].second;
      if ((mesh.points[one] - mesh.points[other]).cwiseAbs().maxCoeff() > tolerance) continue;
      if (n_duplicated++ == 0) first = {one, other};
      break;
    }
  if (n_duplicated == 0) return;
  const auto &x = mesh.points[first.first];
  throw InputError(
    fmt::format("{}: {} nodes lie in the same place as another, such as nodes {} and {} at ({:.6g}, {:.6g}, {:.6g}). "
                "Merge them (Gmsh: Coherence Mesh), or, where two bodies touch, write a file for each.",
                file.path, n_duplicated, std::min(number[first.first], number[first.second]),
                std::max(number[first.first], number[first.second]), x[0], x[1], x[2]));
}

/// Elements hang together that share a node.
void check_connected(const BodyMesh &mesh)
{
  std::vector<int> parent(mesh.points.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int node)
  {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  int n_pieces = static_cast<int>(parent.size());
  const int n_nodes = shape_of(mesh.element).n_nodes;
  for (int c = 0; c < mesh.n_cells(); ++c)
    for (int a = 1; a < n_nodes; ++a)
    {
      const int one = root(mesh.cell(c)[0]), other = root(mesh.cell(c)[a]);
      if (one == other) continue;
      parent[other] = one;
      --n_pieces;
    }
  if (n_pieces == 1) return;
  int stranger = 0;
  while (root(mesh.cell(stranger)[0]) == root(mesh.cell(0)[0])) ++stranger;
  throw InputError(
    fmt::format("{}: the mesh has {} pieces that do not hang together: {} and {} are in different ones. Write each "
                "piece to a file of its own and give each a body, or mesh them as one.",
                mesh.origin, n_pieces, mesh.element_name(0), mesh.element_name(stranger)));
}

std::string boundary_name(const BodyMesh &mesh, int id)
{
  const auto name = mesh.names.boundaries.find(id);
  return name == mesh.names.boundaries.end() ? std::to_string(id) : fmt::format("{} ({})", id, name->second);
}

/// Boundary ids by the corners of faces.
class FaceTags
{
public:
  FaceTags(const BodyMesh &mesh, const std::vector<int> &node_of_point) : mesh_(mesh), node_of_point_(node_of_point) {}

  void add(const int *points, int n_corners, int tag, const std::string &who)
  {
    std::array<int, 4> key{-1, -1, -1, -1};
    for (int i = 0; i < n_corners; ++i)
    {
      key[i] = node_of_point_[points[i]];
      if (key[i] < 0) throw belongs_to_nothing(who);
    }
    std::sort(key.begin(), key.end());
    const auto [entry, is_new] = tags_.try_emplace(key, Tag{tag, who});
    if (!is_new && entry->second.id != tag)
      throw InputError(fmt::format("{}: {} belongs to the boundaries {} and {}. Give each face one.", mesh_.origin, who,
                                   boundary_name(mesh_, entry->second.id), boundary_name(mesh_, tag)));
  }

  /// Fills boundary_ids. A tagged face between two elements is no boundary; one of no element is a mistake.
  void apply(BodyMesh &mesh)
  {
    for (const auto &face : mesh.boundary)
    {
      const auto tag = tags_.find(face_key(mesh, face));
      mesh.boundary_ids.push_back(tag == tags_.end() ? 0 : tag->second.id);
      if (tag != tags_.end()) tag->second.is_found = true;
    }
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
      for (int face = 0; face < shape_of(mesh.element).n_faces && !tags_.empty(); ++face)
      {
        const auto tag = tags_.find(face_key(mesh, {cell, face}));
        if (tag != tags_.end()) tag->second.is_found = true;
      }
    for (const auto &[key, tag] : tags_)
      if (!tag.is_found) throw belongs_to_nothing(tag.who);
  }

private:
  struct Tag
  {
    int id;
    std::string who;
    bool is_found = false;
  };

  InputError belongs_to_nothing(const std::string &who) const
  {
    return InputError(fmt::format(
      "{}: {} is not a face of any volume element. Surface and volume meshes must share their nodes.", mesh_.origin, who));
  }

  const BodyMesh &mesh_;
  const std::vector<int> &node_of_point_;
  std::map<std::array<int, 4>, Tag> tags_;
};

BodyMesh checked_body(const FileMesh &file)
{
  const ElementType type = element_type_of(file);
  check_unused_nodes(file);
  std::vector<int> node_of_point;
  BodyMesh mesh = take_volumes(file, type, node_of_point);
  check_duplicated_nodes(file, mesh, node_of_point);
  check_connected(mesh);
  mesh.boundary = exterior_faces(mesh);
  FaceTags tags(mesh, node_of_point);
  for (const auto &element : file.elements)
    if (element.kind->dimension == 2 && element.tag != 0)
      tags.add(file.connectivity.data() + element.first, element.kind->n_corners, element.tag,
               fmt::format("surface element {}", element.number));
  for (const auto &side : file.sides)
    tags.add(side.corners.data(), static_cast<int>(side.corners.size()), side.tag,
             fmt::format("a side of surface {}", boundary_name(mesh, side.tag)));
  tags.apply(mesh);
  check_jacobians(mesh);
  return mesh;
}
}  // namespace

void FileMesh::add_element(const Kind &kind, const std::vector<int> &nodes, int tag, long number)
{
  elements.push_back({&kind, connectivity.size(), tag, number});
  connectivity.insert(connectivity.end(), nodes.begin(), nodes.end());
}

const FileMesh::Kind *kind_of_vtk(int vtk_cell_type)
{
  static const std::map<int, FileMesh::Kind> kinds{{1, {0, "points", 1, {}, 1}},
                                                   {2, {0, "sets of points", 0, {}, 1}},
                                                   {3, {1, "lines", 2, {}, 2}},
                                                   {4, {1, "polylines", 0, {}, 2}},
                                                   {21, {1, "quadratic lines", 3, {}, 2}},
                                                   {5, {2, "linear triangles", 3, {}, 3}},
                                                   {22, {2, "quadratic triangles", 6, {}, 3}},
                                                   {9, {2, "linear quadrilaterals", 4, {}, 4}},
                                                   {23, {2, "quadrilaterals of 8 nodes", 8, {}, 4}},
                                                   {28, {2, "quadratic quadrilaterals", 9, {}, 4}},
                                                   {10, {3, "linear tetrahedra", 4, ElementType::tet4, 0}},
                                                   {24, {3, "quadratic tetrahedra", 10, ElementType::tet10, 0}},
                                                   {12, {3, "linear hexahedra", 8, ElementType::hex8, 0}},
                                                   {29, {3, "quadratic hexahedra", 27, ElementType::hex27, 0}},
                                                   {25, {3, "hexahedra of 20 nodes", 20, {}, 0}},
                                                   {11, {3, "voxels", 8, {}, 0}},
                                                   {13, {3, "linear wedges", 6, {}, 0}},
                                                   {14, {3, "linear pyramids", 5, {}, 0}},
                                                   {26, {3, "quadratic wedges", 15, {}, 0}},
                                                   {27, {3, "quadratic pyramids", 13, {}, 0}},
                                                   {32, {3, "quadratic wedges of 18 nodes", 18, {}, 0}}};
  const auto kind = kinds.find(vtk_cell_type);
  return kind == kinds.end() ? nullptr : &kind->second;
}

NodeNumbers::NodeNumbers(const std::vector<long> &numbers)
{
  sorted_.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) sorted_.emplace_back(numbers[i], static_cast<int>(i));
  std::sort(sorted_.begin(), sorted_.end());
  for (std::size_t i = 1; i < sorted_.size(); ++i)
    if (sorted_[i].first == sorted_[i - 1].first) repeated_ = sorted_[i].first;
}

int NodeNumbers::find(long number) const
{
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair<long, int>(number, -1));
  return found == sorted_.end() || found->first != number ? -1 : found->second;
}

BodyMesh read_mesh_file(const std::string &path)
{
  try
  {
    return checked_body(read_by_extension(path));
  }
  catch (const std::bad_alloc &)
  {
    throw InputError(fmt::format("{}: the mesh does not fit into memory.", path));
  }
}
}  // namespace freefall

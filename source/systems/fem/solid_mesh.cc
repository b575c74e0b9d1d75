#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/text.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <algorithm>
#include <set>

namespace freefall
{
Span<const int> SolidMesh::cell_nodes(int cell) const
{
  const auto n = static_cast<std::size_t>(nodes_per_cell());
  return {connectivity.data() + n * cell, n};
}

Span<const int> SolidMesh::face_nodes(int face) const
{
  const auto n = static_cast<std::size_t>(nodes_per_face());
  return {face_connectivity.data() + n * face, n};
}

namespace
{
/// The nodes of the faces of one body, or of all when `body` is negative.
std::vector<int> nodes_of_faces(const SolidMesh &mesh, int body, const std::vector<int> &ids)
{
  std::vector<bool> is_wanted(mesh.n_nodes(), false);
  for (std::size_t f = 0; f < mesh.boundary_faces.size(); ++f)
  {
    const auto &face = mesh.boundary_faces[f];
    if (body >= 0 && mesh.bodies[face.cell] != body) continue;
    if (!ids.empty() && std::find(ids.begin(), ids.end(), face.boundary_id) == ids.end()) continue;
    for (const int node : mesh.face_nodes(static_cast<int>(f))) is_wanted[node] = true;
  }
  std::vector<int> nodes;
  for (int node = 0; node < mesh.n_nodes(); ++node)
    if (is_wanted[node]) nodes.push_back(node);
  return nodes;
}
}  // namespace

std::vector<int> SolidMesh::boundary_nodes(const std::vector<int> &ids) const { return nodes_of_faces(*this, -1, ids); }

std::vector<int> SolidMesh::boundary_nodes(int body, const std::vector<int> &ids) const
{
  return nodes_of_faces(*this, body, ids);
}

std::vector<int> SolidMesh::boundary_ids(int body) const
{
  std::set<int> ids;
  for (const auto &face : boundary_faces)
    if (bodies[face.cell] == body) ids.insert(face.boundary_id);
  return {ids.begin(), ids.end()};
}

int SolidMesh::boundary_id(int body, const std::string &name_or_number) const
{
  const auto &known = names[body].boundaries;
  for (const auto &[id, name] : known)
    if (name == name_or_number) return id;
  const auto ids = boundary_ids(body);
  const auto number = parse_integer(name_or_number);
  if (number && std::find(ids.begin(), ids.end(), *number) != ids.end()) return *number;

  std::vector<std::string> available;
  for (const int id : ids) available.push_back(known.count(id) ? fmt::format("{} ({})", id, known.at(id)) : std::to_string(id));
  throw InputError(fmt::format("there is no boundary '{}'; the body has: {}.", name_or_number, join(available, ", ")));
}

std::size_t SolidMesh::memory_consumption() const
{
  return sizeof(double) * nodes.size() +
         sizeof(int) * (connectivity.capacity() + bodies.capacity() + material_ids.capacity() + face_connectivity.capacity()) +
         sizeof(BoundaryFace) * boundary_faces.capacity();
}

Eigen::Vector3d SolidMesh::cell_centre(int cell) const
{
  const int n_corners = shape_of(element).n_corners;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int a = 0; a < n_corners; ++a) centre += nodes.col(cell_nodes(cell)[a]) / n_corners;
  return centre;
}
}  // namespace freefall

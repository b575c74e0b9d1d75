#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/text.h>
#include <freefall/systems/fem/boundary_selection.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace freefall
{
namespace
{
/// The id of a boundary of this name or number that the body has.
std::optional<int> find_boundary(const SolidMesh &mesh, int body, const std::string &name_or_number)
{
  const auto ids = mesh.boundary_ids(body);
  const auto has = [&](int id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
  for (const auto &[id, name] : mesh.names[body].boundaries)
    if (name == name_or_number && has(id)) return id;
  const auto number = parse_integer(name_or_number);
  if (number && has(*number)) return number;
  return {};
}

std::string list_of_boundaries(const SolidMesh &mesh, int body)
{
  const auto &names = mesh.names[body].boundaries;
  std::vector<std::string> list;
  for (const int id : mesh.boundary_ids(body))
    list.push_back(names.count(id) ? fmt::format("{} ({})", id, names.at(id)) : std::to_string(id));
  return join(list, ", ");
}
}  // namespace

std::vector<int> select_boundary_faces(const SolidMesh &mesh,
                                       const std::vector<std::string> &body_names,
                                       const std::vector<std::string> &selection)
{
  std::vector<int> faces;
  if (selection.empty())
  {
    faces.resize(mesh.boundary_faces.size());
    std::iota(faces.begin(), faces.end(), 0);
    return faces;
  }
  std::vector<std::set<int>> ids(mesh.n_bodies());
  for (const auto &wanted : selection)
  {
    bool found = false;
    for (int body = 0; body < mesh.n_bodies(); ++body)
    {
      const std::string prefix = body_names[body] + "/";
      const bool is_of_body = wanted.rfind(prefix, 0) == 0;
      for (const auto &name : {wanted, is_of_body ? wanted.substr(prefix.size()) : wanted})
        if (const auto id = find_boundary(mesh, body, name)) ids[body].insert(*id), found = true;
    }
    if (found) continue;
    std::string available;
    for (int body = 0; body < mesh.n_bodies(); ++body)
      available += fmt::format("{}body {} has {}", body == 0 ? "" : "; ", body_names[body], list_of_boundaries(mesh, body));
    throw InputError(fmt::format("there is no boundary '{}'. By id and name, {}.", wanted, available));
  }
  for (std::size_t face = 0; face < mesh.boundary_faces.size(); ++face)
  {
    const auto &[cell, id] = mesh.boundary_faces[face];
    if (ids[mesh.bodies[cell]].count(id)) faces.push_back(static_cast<int>(face));
  }
  return faces;
}

std::vector<int> nodes_of_faces(const SolidMesh &mesh, const std::vector<int> &faces)
{
  std::vector<int> nodes;
  for (const int face : faces)
  {
    const auto of_face = mesh.face_nodes(face);
    nodes.insert(nodes.end(), of_face.begin(), of_face.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}
}  // namespace freefall

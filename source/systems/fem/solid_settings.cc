#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/text.h>
#include <freefall/systems/fem/mesh_ordering.h>
#include <freefall/systems/fem/solid_settings.h>

#include <algorithm>
#include <set>

namespace freefall
{
std::vector<std::string> SolidSettings::body_names() const
{
  std::vector<std::string> names;
  for (const auto &body : bodies) names.push_back(body.name);
  return names;
}

SolidMesh mesh_of_bodies(const SolidSettings &settings)
{
  std::vector<MeshSettings> meshes;
  for (const auto &body : settings.bodies) meshes.push_back(body.mesh);
  SolidMesh mesh = make_solid_mesh(meshes);
  order_for_cache(mesh);
  return mesh;
}

std::vector<std::vector<int>> material_ids_of_regions(const SolidMesh &mesh, int body, const SolidBody &settings)
{
  std::set<int> ids;
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    if (mesh.bodies[cell] == body) ids.insert(mesh.material_ids[cell]);
  const auto &names = mesh.names[body].materials;

  std::set<int> remaining = ids;
  std::vector<std::vector<int>> of_regions;
  for (const auto &region : settings.regions)
  {
    // A name may stand for several ids, as entities of one name do in some files.
    std::vector<int> wanted;
    for (const int id : ids)
      if (names.count(id) && names.at(id) == region.name) wanted.push_back(id);
    const auto number = parse_integer(region.name);
    if (wanted.empty() && number && ids.count(*number)) wanted.push_back(*number);
    if (wanted.empty())
    {
      std::vector<std::string> available;
      for (const int id : ids)
        available.push_back(names.count(id) ? fmt::format("{} ({})", id, names.at(id)) : std::to_string(id));
      throw InputError(fmt::format("body {} has no region '{}'; the material ids of its mesh are {}.", settings.name,
                                   region.name, join(available, ", ")));
    }
    for (const int id : wanted)
      if (remaining.erase(id) == 0)
        throw InputError(fmt::format("body {} has two regions for the material id {}.", settings.name, id));
    of_regions.push_back(wanted);
  }
  of_regions.emplace_back(remaining.begin(), remaining.end());
  return of_regions;
}
}  // namespace freefall

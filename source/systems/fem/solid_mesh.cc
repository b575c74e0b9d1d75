#include <freefall/systems/fem/solid_mesh.h>

#include <algorithm>
#include <set>

namespace freefall
{
std::vector<int> SolidMesh::boundary_nodes(const std::vector<int> &ids) const
{
  std::set<int> nodes;
  for (const auto &face : boundary_faces)
    if (ids.empty() || std::find(ids.begin(), ids.end(), face.boundary_id) != ids.end())
      nodes.insert(face.nodes.begin(), face.nodes.end());
  return {nodes.begin(), nodes.end()};
}

Eigen::Vector3d SolidMesh::cell_centre(int cell) const
{
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const int node : cells[cell]) centre += nodes.col(node) / 4;
  return centre;
}
}  // namespace freefall

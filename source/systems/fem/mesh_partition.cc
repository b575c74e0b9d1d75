#include <freefall/systems/fem/mesh_partition.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace freefall
{
namespace
{
int first_cell_of(int rank, int n_ranks, int n_cells)
{
  return static_cast<int>(static_cast<std::int64_t>(n_cells) * rank / n_ranks);
}

/// Copies the elements [begin, end), their nodes and their boundary faces.
void copy_elements(const SolidMesh &whole, int begin, int end, MeshPart &part)
{
  const int n = whole.nodes_per_cell();
  SolidMesh &mesh = part.mesh;
  mesh.element = whole.element;
  mesh.names = whole.names;
  mesh.bodies.assign(whole.bodies.begin() + begin, whole.bodies.begin() + end);
  mesh.material_ids.assign(whole.material_ids.begin() + begin, whole.material_ids.begin() + end);
  mesh.connectivity.assign(whole.connectivity.begin() + n * begin, whole.connectivity.begin() + n * end);
  part.nodes = mesh.connectivity;
  std::sort(part.nodes.begin(), part.nodes.end());
  part.nodes.erase(std::unique(part.nodes.begin(), part.nodes.end()), part.nodes.end());
  const auto local_node = [&](int node)
  { return static_cast<int>(std::lower_bound(part.nodes.begin(), part.nodes.end(), node) - part.nodes.begin()); };

  for (int &node : mesh.connectivity) node = local_node(node);
  mesh.nodes.resize(3, static_cast<Eigen::Index>(part.nodes.size()));
  for (std::size_t node = 0; node < part.nodes.size(); ++node) mesh.nodes.col(node) = whole.nodes.col(part.nodes[node]);
  for (std::size_t f = 0; f < whole.boundary_faces.size(); ++f)
  {
    const auto &face = whole.boundary_faces[f];
    if (face.cell < begin || face.cell >= end) continue;
    mesh.boundary_faces.push_back({face.cell - begin, face.boundary_id});
    for (const int node : whole.face_nodes(static_cast<int>(f))) mesh.face_connectivity.push_back(local_node(node));
  }
}

/// Which other ranks have elements at the nodes of this part.
void find_neighbours(const SolidMesh &whole, int rank, int n_ranks, MeshPart &part)
{
  std::map<int, std::vector<int>> shared;
  const int n = whole.nodes_per_cell();
  std::vector<int> local_node(whole.n_nodes(), -1);
  for (std::size_t node = 0; node < part.nodes.size(); ++node) local_node[part.nodes[node]] = static_cast<int>(node);
  for (int other = 0; other < n_ranks; ++other)
  {
    if (other == rank) continue;
    const int begin = n * first_cell_of(other, n_ranks, whole.n_cells()), end = n * first_cell_of(other + 1, n_ranks, whole.n_cells());
    for (int i = begin; i < end; ++i)
      if (const int node = local_node[whole.connectivity[i]]; node >= 0) shared[other].push_back(node);
  }
  for (auto &[other, nodes] : shared)
  {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    part.neighbours.push_back({other, std::move(nodes)});
  }
}
}  // namespace

std::vector<int> MeshPart::local(const std::vector<int> &whole) const
{
  std::vector<int> result;
  for (const int node : whole)
  {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
    if (found != nodes.end() && *found == node) result.push_back(static_cast<int>(found - nodes.begin()));
  }
  return result;
}

MeshPart part_of_mesh(const SolidMesh &mesh, int rank, int n_ranks)
{
  MeshPart part;
  part.first_cell = first_cell_of(rank, n_ranks, mesh.n_cells());
  copy_elements(mesh, part.first_cell, first_cell_of(rank + 1, n_ranks, mesh.n_cells()), part);
  find_neighbours(mesh, rank, n_ranks, part);
  return part;
}
}  // namespace freefall

#include <freefall/systems/fem/mesh_ordering.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace freefall
{
namespace
{
constexpr int bits_per_axis = 20;

/// The place of a point of the unit cube along Morton's curve: the bits of its coordinates interleaved.
std::uint64_t morton_code(const Eigen::Vector3d &point)
{
  std::uint64_t code = 0;
  for (int c = 0; c < 3; ++c)
  {
    const auto cell = static_cast<std::uint64_t>(point[c] * ((1 << bits_per_axis) - 1));
    for (int bit = 0; bit < bits_per_axis; ++bit) code |= (cell >> bit & 1) << (3 * bit + c);
  }
  return code;
}
}  // namespace

void order_for_cache(SolidMesh &mesh)
{
  if (mesh.n_cells() == 0) return;
  const Eigen::Vector3d lower = mesh.nodes.rowwise().minCoeff();
  const double extent = (mesh.nodes.rowwise().maxCoeff() - lower).maxCoeff();
  std::vector<std::tuple<int, std::uint64_t, int>> keys;
  keys.reserve(mesh.n_cells());
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    keys.emplace_back(mesh.bodies[cell], morton_code((mesh.cell_centre(cell) - lower) / extent), cell);
  std::sort(keys.begin(), keys.end());

  const SolidMesh old = mesh;
  std::vector<int> new_node(mesh.n_nodes(), -1), new_cell(mesh.n_cells());
  int n_numbered = 0;
  mesh.connectivity.clear();
  for (int i = 0; i < old.n_cells(); ++i)
  {
    const int cell = std::get<2>(keys[i]);
    new_cell[cell] = i;
    mesh.bodies[i] = old.bodies[cell];
    mesh.material_ids[i] = old.material_ids[cell];
    for (const int node : old.cell_nodes(cell))
    {
      if (new_node[node] < 0) new_node[node] = n_numbered++;
      mesh.connectivity.push_back(new_node[node]);
    }
  }
  for (int node = 0; node < old.n_nodes(); ++node) mesh.nodes.col(new_node[node]) = old.nodes.col(node);
  for (auto &face : mesh.boundary_faces) face.cell = new_cell[face.cell];
  for (int &node : mesh.face_connectivity) node = new_node[node];
  // Meshes are put together element by element: half of what they hold may be room for more.
  for (auto *numbers : {&mesh.connectivity, &mesh.bodies, &mesh.material_ids, &mesh.face_connectivity}) numbers->shrink_to_fit();
  mesh.boundary_faces.shrink_to_fit();
}
}  // namespace freefall

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
  if (mesh.cells.empty()) return;
  const Eigen::Vector3d lower = mesh.nodes.rowwise().minCoeff();
  const double extent = (mesh.nodes.rowwise().maxCoeff() - lower).maxCoeff();
  std::vector<std::tuple<int, std::uint64_t, int>> keys;
  keys.reserve(mesh.cells.size());
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    keys.emplace_back(mesh.bodies[cell], morton_code((mesh.cell_centre(cell) - lower) / extent), cell);
  std::sort(keys.begin(), keys.end());

  const SolidMesh old = mesh;
  std::vector<int> new_number(mesh.n_nodes(), -1);
  int n_numbered = 0;
  for (std::size_t i = 0; i < keys.size(); ++i)
  {
    mesh.cells[i] = old.cells[std::get<2>(keys[i])];
    mesh.bodies[i] = std::get<0>(keys[i]);
    for (int &node : mesh.cells[i])
    {
      if (new_number[node] < 0) new_number[node] = n_numbered++;
      node = new_number[node];
    }
  }
  for (int node = 0; node < old.n_nodes(); ++node) mesh.nodes.col(new_number[node]) = old.nodes.col(node);
  for (auto &face : mesh.boundary_faces)
    for (int &node : face.nodes) node = new_number[node];
}
}  // namespace freefall

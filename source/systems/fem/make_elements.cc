#include <freefall/potentials/hyperelastic_elements.h>
#include <freefall/potentials/linear_tetrahedra.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/make_elements.h>

#include <algorithm>
#include <utility>

namespace freefall
{
std::unique_ptr<SolidElements> make_elements(const SolidMaterial &material, const SolidMesh &mesh, std::vector<int> cells)
{
  const auto *neo_hookean = std::get_if<NeoHookean>(&material);
  if (neo_hookean && mesh.element == ElementType::tet4)
  {
    std::vector<std::array<int, 4>> nodes(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      std::copy_n(mesh.cell_nodes(cells[i]).begin(), 4, nodes[i].begin());
    return std::make_unique<LinearTetrahedra<NeoHookean>>(*neo_hookean, mesh.nodes, nodes, std::move(cells));
  }
  std::vector<int> connectivity;
  connectivity.reserve(cells.size() * mesh.nodes_per_cell());
  for (const int cell : cells)
  {
    const auto nodes = mesh.cell_nodes(cell);
    connectivity.insert(connectivity.end(), nodes.begin(), nodes.end());
  }
  return std::visit(
    [&](const auto &model) -> std::unique_ptr<SolidElements>
    {
      using Material = std::decay_t<decltype(model)>;
      const ElementGeometry geometry = element_geometry(mesh, cells);
      return std::make_unique<HyperelasticElements<Material>>(model, geometry, connectivity, std::move(cells));
    },
    material);
}
}  // namespace freefall

#pragma once

#include <freefall/potentials/solid_elements.h>
#include <freefall/systems/fem/material_parameters.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <memory>
#include <vector>

namespace freefall
{
/// The elements `cells` of a mesh, of one material: neo-Hookean linear tetrahedra by their own fast kernel, all others by
/// HyperelasticElements.
std::unique_ptr<SolidElements> make_elements(const SolidMaterial &material, const SolidMesh &mesh, std::vector<int> cells);
}  // namespace freefall

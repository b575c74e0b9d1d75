#pragma once

#include <freefall/systems/fem/solid_mesh.h>

#include <string>
#include <vector>

namespace freefall
{
/// The boundary faces (numbers in SolidMesh::boundary_faces, sorted) that a user means by names or numbers.
///
/// "left" and "3" mean the boundaries of that name or id of every body that has one; "cube/left" means body cube alone. No
/// selection at all means every boundary face. Throws InputError that lists what there is when a name fits nothing.
std::vector<int> select_boundary_faces(const SolidMesh &mesh,
                                       const std::vector<std::string> &body_names,
                                       const std::vector<std::string> &selection);

/// The nodes of these faces, sorted, each once.
std::vector<int> nodes_of_faces(const SolidMesh &mesh, const std::vector<int> &faces);
}  // namespace freefall

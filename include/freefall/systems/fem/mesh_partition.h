#pragma once

#include <freefall/systems/fem/solid_mesh.h>

#include <vector>

namespace freefall
{
/// One rank's part of a mesh, and where it meets the others'.
struct MeshPart
{
  /// Nodes held by this rank and another one, in the numbers of this part, in the order of their numbers in the whole mesh.
  struct Neighbour
  {
    int rank;
    std::vector<int> nodes;
  };

  SolidMesh mesh;              ///< elements of this rank, all their nodes, their boundary faces; all names
  std::vector<int> nodes;      ///< number in the whole mesh of each node; increasing
  int first_cell = 0;          ///< number in the whole mesh of the first element; the others follow
  std::vector<Neighbour> neighbours;

  /// The nodes of a sorted list of nodes of the whole mesh that this part has, in its own numbers.
  std::vector<int> local(const std::vector<int> &whole) const;
};

/// Part `rank` of `n_ranks` of a mesh: equal shares of the elements in the order of the mesh. Elements that follow a
/// space-filling curve (order_for_cache) so give compact parts, as in the forests of deal.II's distributed triangulations.
///
/// Guarantees: every element is in one part; parts of fewer elements than ranks may be empty.
MeshPart part_of_mesh(const SolidMesh &mesh, int rank, int n_ranks);
}  // namespace freefall

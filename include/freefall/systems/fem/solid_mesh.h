#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

namespace freefall
{
/// A mesh of linear tetrahedra as plain arrays: what the solid needs of a deal.II triangulation.
///
/// Guarantees: every element has positive volume, every node belongs to an element, boundary faces are those of exactly one
/// element. Nodes are numbered so that neighbours lie close in memory (Cuthill-McKee).
struct SolidMesh
{
  struct BoundaryFace
  {
    std::array<int, 3> nodes;
    int boundary_id;
  };

  Eigen::Matrix3Xd nodes;                 ///< reference positions, one column a node, m
  std::vector<std::array<int, 4>> cells;  ///< nodes of each element
  std::vector<int> bodies;                ///< the body that each element belongs to
  std::vector<BoundaryFace> boundary_faces;

  int n_nodes() const { return static_cast<int>(nodes.cols()); }
  int n_cells() const { return static_cast<int>(cells.size()); }
  /// Sorted nodes of the boundary faces with one of these ids; all boundary nodes when `ids` is empty.
  std::vector<int> boundary_nodes(const std::vector<int> &ids) const;
  /// Reference position of the centre of an element.
  Eigen::Vector3d cell_centre(int cell) const;
};

/// How a hexahedron is cut into tetrahedra.
enum class HexahedronCut
{
  five,        ///< no new nodes; neighbouring cells are mirror images
  twenty_four  ///< new nodes at the cell's and its faces' centres, four tetrahedra a face: all symmetries of the cell
};

/// A box of hexahedra, each cut into tetrahedra. Boundary ids: 0 and 1 for the lower and upper face in x, 2 and 3 in y, 4 and
/// 5 in z.
struct BoxMesh
{
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();  ///< lowest corner, m
  Eigen::Vector3d size = Eigen::Vector3d::Ones();    ///< edge lengths, m
  std::array<int, 3> subdivisions{1, 1, 1};          ///< hexahedra along each edge
  HexahedronCut cut = HexahedronCut::twenty_four;
};

/// The meshes of several bodies as one. Bodies share no nodes, even where they touch.
SolidMesh make_solid_mesh(const std::vector<BoxMesh> &bodies);

/// The cube of edge 0.1 m of GSO 6.3 in the meshes of Figure 23: "I" (192 elements, 71 nodes), "II" (320, 125) or "III" (1536,
/// 429).
BoxMesh gso_cube(const std::string &mesh);
}  // namespace freefall

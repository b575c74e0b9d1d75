#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace freefall
{
/// The finite elements of a solid: Lagrange elements on tetrahedra and hexahedra.
///
/// Nodes stand in the order of VTK's cells (10, 24, 12 and 29), so that connectivity goes to ParaView as it is:
/// * tetrahedra: the corners (0,0,0), (1,0,0), (0,1,0), (0,0,1) of the reference cell, then the middles of the edges 01, 12,
/// 20,
///   03, 13, 23;
/// * hexahedra: the corners 0 to 3 around the lower face from (0,0,0) over (1,0,0), 4 to 7 above them, then the middles of the
///   edges 01, 12, 23, 30, 45, 56, 67, 74, 04, 15, 26, 37, of the faces x = 0, x = 1, y = 0, y = 1, z = 0, z = 1, and of the
///   cell.
enum class ElementType
{
  tet4,
  tet10,
  hex8,
  hex27
};

/// What there is to know about an element without its place. All tables are built once and live for ever.
struct ElementShape
{
  std::string name;  ///< "linear tetrahedra"
  int n_nodes;       ///< of an element
  int n_corners;     ///< of an element: its first nodes
  int n_faces;       ///< of an element
  int n_face_nodes;  ///< 3, 6, 4 or 9: corners around the face, then middles of its edges, then its centre
  int n_face_corners;
  int vtk_cell_type;
  bool is_tetrahedron;
  bool is_quadratic;
  /// The corners in whose middle a node lies; a corner is in its own.
  std::vector<std::vector<int>> corners_of_node;
  /// The nodes of each face; the corners go round counter-clockwise seen from outside.
  std::vector<std::vector<int>> face_nodes;
  /// Places of the nodes in the reference cell, one column a node.
  Eigen::Matrix3Xd reference_nodes;
};

const ElementShape &shape_of(ElementType type);

/// All of them, for lists of names.
const std::vector<ElementType> &element_types();

/// The element of the same form and the other degree: tet4 and tet10, hex8 and hex27.
ElementType other_degree(ElementType type);
}  // namespace freefall

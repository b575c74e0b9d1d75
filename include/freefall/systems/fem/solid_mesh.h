#pragma once

#include <freefall/core/span.h>
#include <freefall/systems/fem/element_type.h>

#include <Eigen/Core>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace freefall
{
/// A mesh of one type of element as plain arrays, of one or several bodies that share no nodes.
///
/// Guarantees: every element has a positive Jacobian at its nodes; every node belongs to an element; boundary faces are those
/// of exactly one element. Nodes are numbered so that neighbours lie close in memory (Cuthill-McKee), and elements follow the
/// order of their nodes, one body after another.
struct SolidMesh
{
  struct BoundaryFace
  {
    int cell;  ///< the element that it is a face of
    int boundary_id;
  };

  /// Names that shapes and files give to ids; each body has its own.
  struct Names
  {
    std::map<int, std::string> boundaries;
    std::map<int, std::string> materials;
  };

  ElementType element = ElementType::tet4;
  Eigen::Matrix3Xd nodes;         ///< reference positions, one column a node, m
  std::vector<int> connectivity;  ///< nodes of each element, nodes_per_cell() each, in the order of ElementType
  std::vector<int> bodies;        ///< the body that each element belongs to
  std::vector<int> material_ids;  ///< of each element; 0 unless a file says otherwise
  std::vector<BoundaryFace> boundary_faces;
  std::vector<int> face_connectivity;  ///< nodes of each boundary face, nodes_per_face() each, as in ElementShape::face_nodes
  std::vector<Names> names;            ///< of each body

  int n_nodes() const { return static_cast<int>(nodes.cols()); }
  int n_cells() const { return static_cast<int>(bodies.size()); }
  int n_bodies() const { return static_cast<int>(names.size()); }
  int nodes_per_cell() const { return shape_of(element).n_nodes; }
  int nodes_per_face() const { return shape_of(element).n_face_nodes; }
  Span<const int> cell_nodes(int cell) const;
  Span<const int> face_nodes(int face) const;

  /// Sorted nodes of the boundary faces with one of these ids; all boundary nodes when `ids` is empty.
  std::vector<int> boundary_nodes(const std::vector<int> &ids) const;
  /// The same, of one body.
  std::vector<int> boundary_nodes(int body, const std::vector<int> &ids) const;
  /// The boundary ids of a body, sorted.
  std::vector<int> boundary_ids(int body) const;
  /// The id of a boundary given by its name or by its number; InputError that lists what there is when there is no such one.
  int boundary_id(int body, const std::string &name_or_number) const;
  /// Reference position of the centre of an element: the mean of its corners.
  Eigen::Vector3d cell_centre(int cell) const;
  /// Bytes held, names aside.
  std::size_t memory_consumption() const;
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

/// The meshes of several bodies as one, of linear tetrahedra. Bodies share no nodes, even where they touch.
SolidMesh make_solid_mesh(const std::vector<BoxMesh> &bodies);

/// The cube of edge 0.1 m of GSO 6.3 in the meshes of Figure 23: "I" (192 elements, 71 nodes), "II" (320, 125) or "III" (1536,
/// 429).
BoxMesh gso_cube(const std::string &mesh);
}  // namespace freefall

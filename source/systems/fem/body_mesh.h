#pragma once

#include <freefall/systems/fem/solid_mesh.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace freefall
{
/// A face of an element.
struct CellFace
{
  int cell;
  int face;  ///< in ElementShape::face_nodes
};

/// One body on its way to a SolidMesh, from a shape or a file.
struct BodyMesh
{
  ElementType element = ElementType::tet4;
  std::vector<Eigen::Vector3d> points;
  std::vector<int> connectivity;
  std::vector<int> material_ids;  ///< of each element
  std::vector<CellFace> boundary;
  std::vector<int> boundary_ids;  ///< of each face of `boundary`
  SolidMesh::Names names;
  std::string origin;                 ///< for messages: "meshes/plate.msh" or "the box"
  std::vector<long> element_numbers;  ///< for messages: what the file calls each element; empty: from 0

  int n_cells() const { return static_cast<int>(material_ids.size()); }
  const int *cell(int c) const { return connectivity.data() + static_cast<std::size_t>(c) * shape_of(element).n_nodes; }
  /// "element 17 at (0.1, 0, 0)".
  std::string element_name(int c) const;
};

/// The faces of exactly one element, in the order of the elements. Throws InputError for a face of three, and
/// for an element that is there twice.
std::vector<CellFace> exterior_faces(const BodyMesh &mesh);

/// The corner nodes of a face, sorted; a triangle has -1 before them: the same for both elements that share it.
std::array<int, 4> face_key(const BodyMesh &mesh, const CellFace &face);

/// The same body with elements of the other degree: new nodes in the middles of edges, faces and cells, or only the corners.
BodyMesh with_other_degree(const BodyMesh &mesh);

/// Throws InputError for an element whose Jacobian is not positive at all of its nodes (hexahedra, quadratic) or in it (tet4).
void check_jacobians(const BodyMesh &mesh);

/// Joins the bodies, which must have one type of element, and brings nodes and elements into their order.
/// Throws as check_jacobians does.
SolidMesh join_bodies(const std::vector<BodyMesh> &bodies);
}  // namespace freefall

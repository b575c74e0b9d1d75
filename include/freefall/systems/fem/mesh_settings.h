#pragma once

#include <freefall/systems/fem/solid_mesh.h>

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// How a mesh is put into place: x = R(axis, angle) (scale X) + shift, all about the origin.
struct Placement
{
  double scale = 1;                                 ///< positive
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< of the rotation, of any length but zero
  double angle = 0;                                 ///< in degrees, right-handed about the axis
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< m
};

/// The mesh of one body. Which members count depends on the kind.
///
/// Boundary ids and names:
/// * box: 0 to 5 as in BoxMesh ("lower x", "upper x", ... "upper z");
/// * cylinder: 0 the lower end ("lower end"), 1 the upper end ("upper end"), 2 the mantle ("side");
/// * ball: 0 ("surface");
/// * file: what the file says; 0 for faces that it gives no id.
/// Nodes on curved boundaries lie on the true cylinder or sphere, those in the middle of quadratic edges and faces too.
struct MeshSettings
{
  enum class Kind
  {
    box,
    cylinder,
    ball,
    file
  };

  Kind kind = Kind::box;
  /// Without a value: linear tetrahedra for shapes, what the file holds for files.
  std::optional<ElementType> element;

  BoxMesh box;                      ///< box: everything; cylinder, ball: the cut for tetrahedra
  Eigen::Vector3d centre{0, 0, 0};  ///< cylinder, ball: m
  double radius = 0.5;              ///< cylinder, ball: m
  double length = 1;                ///< cylinder: along z, m
  /// Cylinder and ball: cells along an edge of the square or cubic core, layers of cells from the core to the curved surface.
  int core_subdivisions = 4, layers = 2;
  int length_subdivisions = 8;  ///< cylinder: cells along z
  std::string file;             ///< file: path, as it can be opened

  Placement placement;
};

/// The meshes of several bodies as one, in place. Bodies share no nodes, even where they touch. Throws InputError for files
/// that cannot be read (mesh_file.h) and for bodies of different elements.
SolidMesh make_solid_mesh(const std::vector<MeshSettings> &bodies);

/// How many hexahedra the shape has before they are cut; 0 for files.
double n_hexahedra(const MeshSettings &settings);
}  // namespace freefall

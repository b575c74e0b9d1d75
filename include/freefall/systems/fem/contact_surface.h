#pragma once

#include <freefall/systems/fem/solid_mesh.h>

#include <vector>

namespace freefall
{
/// The nodes that can touch an obstacle, and what a penalty should know about them.
///
/// A face of area A of an element of volume V stands for a layer of height h = 3 V / A (tetrahedra) or V / A (hexahedra). Its
/// nodes share A equally, and a node carries the share of each of its faces.
struct ContactSurface
{
  std::vector<int> nodes;           ///< sorted
  std::vector<double> heights;      ///< of each node: the lowest layer, m
  std::vector<double> stiffnesses;  ///< of each node: sum over its faces of modulus * share of the area / height, N/m

  /// The penalty 1/epsilon, N/m, that makes a pressure p enter an obstacle by at most p / modulus of the height of an element:
  /// the largest of the stiffnesses. It is that of one more layer of elements, and so about as stiff as those there are.
  double automatic_stiffness() const;

  void add(int node, double height, double stiffness);
};

/// Of the faces with these numbers; `moduli` are those of uniaxial strain, lambda + 2 mu, of each element, Pa.
ContactSurface make_contact_surface(const SolidMesh &mesh, const std::vector<int> &faces, const std::vector<double> &moduli);
}  // namespace freefall

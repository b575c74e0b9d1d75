#pragma once

#include <freefall/potentials/lame_constants.h>
#include <freefall/potentials/local_terms.h>

#include <Eigen/Core>

namespace freefall
{
/// Hyperelastic elements of one shape and one material, as a solid sees them: the terms of its energy, and what output, the
/// critical step and penalties need to know about them.
///
/// dof 3 * node + component; x is the current position of the element's nodes. The functions of one point do not check det F.
class SolidElements : public LocalTerms
{
public:
  std::string kind() const override { return "element"; }
  /// The number by which messages call an element: its number in the mesh.
  virtual int element_name(int element) const = 0;
  /// Reference volume, m3.
  virtual double volume(int element) const = 0;

  /// Of the quadrature of an element.
  virtual int n_points() const = 0;
  /// Reference volume of a point, m3.
  virtual double weight(int element, int point) const = 0;
  virtual Eigen::Matrix3d deformation_gradient(int element, int point, const double *x) const = 0;

  /// Whether energy and stress exist for det F > 0 only.
  virtual bool needs_positive_determinant() const = 0;
  /// W(F), J/m3.
  virtual double energy_density(const Eigen::Matrix3d &F) const = 0;
  /// First Piola-Kirchhoff stress, Pa.
  virtual Eigen::Matrix3d stress(const Eigen::Matrix3d &F) const = 0;
  /// The constants of small strains.
  virtual LameConstants linearised() const = 0;
  /// Bytes held.
  virtual std::size_t memory_consumption() const = 0;
};
}  // namespace freefall

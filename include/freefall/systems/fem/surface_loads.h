#pragma once

#include <freefall/core/formula.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace freefall
{
/// Tractions and pressures on boundary faces of a mesh.
///
/// * traction: force per reference area, three formulas of the reference position x, y, z (m) and t (s), in Pa; it keeps its
///   direction. Where the formulas do not contain t the nodal forces are constant: they have a potential.
/// * pressure: one formula of the same, in Pa; it pushes against the outward normal of the deformed face, on its deformed area.
///   On a closed surface the forces of a uniform pressure sum to zero.
///
/// The forces are the virtual work of the load with the element's own shape functions, integrated on each face exactly for
/// uniform loads.
class SurfaceLoads
{
public:
  explicit SurfaceLoads(const SolidMesh &mesh);

  /// `faces`: numbers in mesh.boundary_faces. InputError for formulas that are wrong.
  void add_traction(const std::vector<int> &faces, const std::string &formulas);
  void add_pressure(const std::vector<int> &faces, const std::string &formula);

  /// Whether anything depends on time or configuration.
  bool is_varying() const { return !tractions_.empty() || !pressures_.empty(); }
  /// The forces of tractions that do not depend on time, of the size of q; empty when there are none.
  const Eigen::VectorXd &constant_forces() const { return constant_; }
  /// Adds all other forces. DomainError where a formula is not finite.
  void add_forces(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const;

private:
  /// A load on a set of faces.
  struct Load
  {
    Formula formula;
    std::vector<int> faces;
  };

  double evaluate(const Load &load, const Eigen::Vector3d &place, double time, int component) const;
  void add_traction_forces(const Load &load, double time, Eigen::VectorXd &forces) const;
  void add_pressure_forces(const Load &load, double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const;
  /// Position and outward vector of the area (with the weight) of a point of a face, from the positions of all nodes.
  void locate(int face, int point, const double *nodes, Eigen::Vector3d &place, Eigen::Vector3d &area) const;

  const SolidMesh &mesh_;
  ReferenceElement face_;
  std::vector<Load> tractions_, pressures_;
  Eigen::VectorXd constant_;
};
}  // namespace freefall

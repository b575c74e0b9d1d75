#pragma once

#include <freefall/potentials/linear_tetrahedra.h>
#include <freefall/potentials/neo_hookean.h>
#include <freefall/potentials/plane_contact.h>
#include <freefall/systems/fem/solid_mesh.h>
#include <freefall/systems/system.h>

#include <functional>
#include <string>
#include <vector>

namespace freefall
{
/// A point whose nearest node is observed.
struct HistoryPoint
{
  std::string name;                                    ///< columns point_NAME_position_x and so on
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the reference configuration, m
};

/// One body: mesh, material and how it moves at the start.
struct SolidBody
{
  std::string name;
  BoxMesh mesh;
  NeoHookean material;
  double density = 0;                                                        ///< kg/m3
  std::function<Eigen::Vector3d(const Eigen::Vector3d &)> initial_velocity;  ///< of the reference position, m/s
};

/// Everything that makes a solid.
struct SolidSettings
{
  std::vector<SolidBody> bodies;
  std::vector<RigidPlane> planes;
  std::vector<int> contact_boundary_ids;              ///< empty: all boundary nodes
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< m/s2
  std::vector<HistoryPoint> history_points;
};

/// Elastic bodies on linear tetrahedra with lumped mass, in penalty contact with rigid planes.
///
/// q[3 * node + c] is component c of the current position of a node.
///
/// Guarantees: the lumped mass (a quarter of each element's mass to each of its nodes) is positive and sums to the mass of
/// the bodies; the initial state is undeformed.
class SolidSystem : public System
{
public:
  explicit SolidSystem(const SolidSettings &settings);

  const SolidMesh &mesh() const { return mesh_; }
  const std::vector<RigidPlane> &planes() const { return settings_.planes; }

  /// Columns: linear and angular momentum (about the origin), contact force on the bodies (with planes), smallest and largest
  /// det F, position and velocity of the observed nodes.
  NamedValues observe(const State &state) const override;
  /// Point data: displacement, velocity, contact_gap, contact_force, contact_normal; cell data: von_mises_stress (Cauchy),
  /// det_F, energy_density (per reference volume), body.
  Snapshot snapshot(const State &state, SnapshotGeometry geometry) const override;
  /// From omega^2 <= max_e omega_e^2 + max_node sum over planes of stiffness |n|^2 / mass: the highest frequency of a mesh is
  /// not above that of its stiffest single element, and every contact counts as closed.
  CriticalStep critical_step(const Eigen::VectorXd &q) const override;
  /// Smoothed aggregation with the rigid motions of the current configuration.
  std::unique_ptr<Multigrid> make_multigrid() const override;
  std::string dof_name(int dof) const override;
  std::vector<Wall> walls() const override;

private:
  using Elements = LinearTetrahedra<NeoHookean>;

  void lump_mass();
  void set_initial_state();
  void add_point_fields(const State &state, Snapshot &snapshot) const;
  void add_cell_fields(const State &state, Snapshot &snapshot) const;
  /// Calls f(elements, element within the family, its twelve values of q, number of the element in the mesh).
  template <typename F>
  void for_each_element(const Eigen::VectorXd &q, const F &f) const;

  SolidSettings settings_;
  SolidMesh mesh_;
  std::vector<const Elements *> elements_;      ///< one family a body; owned by terms_
  std::vector<const PlaneContact *> contacts_;  ///< one family a plane; owned by terms_
  std::vector<int> observed_nodes_;
};
}  // namespace freefall

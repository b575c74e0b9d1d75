#pragma once

#include <freefall/potentials/solid_elements.h>
#include <freefall/systems/fem/consistent_mass.h>
#include <freefall/systems/fem/mesh_partition.h>
#include <freefall/systems/fem/solid_conditions.h>
#include <freefall/systems/fem/contact_surface.h>
#include <freefall/systems/fem/solid_settings.h>
#include <freefall/systems/system.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// Elastic bodies on finite elements, in penalty contact with rigid planes, spheres and cylinders, with supports, loads and
/// damping.
///
/// q[3 * node + c] is component c of the current position of a node.
///
/// Guarantees: the mass sums to the mass of the bodies in each direction; a lumped mass is positive; the initial state is
/// undeformed but for what supports ask for at time 0.
class SolidSystem : public System
{
public:
  explicit SolidSystem(const SolidSettings &settings) : SolidSystem(settings, mesh_of_bodies(settings)) {}
  /// `mesh` is mesh_of_bodies(settings), for those who look at it first. On several ranks each keeps its part of it.
  SolidSystem(const SolidSettings &settings, SolidMesh mesh);

  const SolidSettings &settings() const { return settings_; }
  /// This rank's part.
  const SolidMesh &mesh() const { return mesh_; }
  const std::vector<RigidPlane> &planes() const { return settings_.planes; }

  int global_dof(int dof) const override { return part_ ? 3 * part_->nodes[dof / 3] + dof % 3 : dof; }
  const Conditions *conditions() const override { return conditions_.get(); }

  bool mass_is_diagonal() const override { return !consistent_mass_; }
  Eigen::VectorXd apply_mass(const Eigen::VectorXd &v) const override;
  Eigen::VectorXd solve_mass(const Eigen::VectorXd &f) const override;

  /// Columns: linear and angular momentum (about the origin), contact force on the bodies (with obstacles), smallest and largest
  /// det F at quadrature points, position and velocity of the observed nodes.
  NamedValues observe(const State &state) const override;
  /// Point data: displacement, velocity, contact_gap, contact_force, contact_normal; cell data, means over the reference volume
  /// of an element: von_mises_stress (of the mean Cauchy stress), det_F, energy_density (per reference volume); body, material.
  Snapshot snapshot(const State &state, SnapshotGeometry geometry) const override;
  /// From omega^2 <= max_e omega_e^2 + max_node sum over obstacles of stiffness / mass: the highest frequency of a mesh is not
  /// above that of its stiffest single element, and every contact counts as closed, with the largest stiffness that its shape
  /// and place allow. Supports only lower frequencies; damping does not change the critical step (see VelocityVerlet).
  CriticalStep critical_step(const Eigen::VectorXd &q) const override;
  /// Smoothed aggregation with the rigid motions of the current configuration.
  std::unique_ptr<Multigrid> make_multigrid() const override;
  /// With contact: deepest_penetration, m, and deepest_penetration_per_element, in heights of the element behind the node.
  NamedValues watched(const State &state) const override;
  /// With contact: the critical step of the undeformed bodies with and without it, s, the height of the lowest element that
  /// can touch, m, and the stiffness of each obstacle, N/m.
  NamedValues summary() const override;
  std::string dof_name(int dof) const override;
  /// Bytes held by mesh, elements, masses and initial state: what grows with the number of elements.
  std::size_t memory_consumption() const;
  std::vector<Wall> walls() const override;

private:
  /// The elements of one material of one body.
  struct Family
  {
    const SolidElements *elements;  ///< owned by terms_
    double density;                 ///< kg/m3
  };
  /// An obstacle at some instant: its terms see x - shift.
  struct Contact
  {
    const NodeContact *terms;
    Eigen::Vector3d shift;
  };
  /// omega^2 of the stiffest element and of the stiffest contact, 1/s2.
  struct Frequencies
  {
    double element = 0, contact = 0;
    int stiffest_element = 0, stiffest_node = 0;
  };

  /// Keeps this rank's part of a mesh.
  void distribute(const SolidMesh &whole);
  void add_elements(const SolidMesh &whole);
  void add_contacts(const SolidMesh &whole);
  /// lambda + 2 mu of each element of the whole mesh, Pa.
  std::vector<double> uniaxial_moduli(const SolidMesh &whole) const;
  /// Sets fixed_dofs_; returns the motion of those that move.
  PrescribedMotion add_supports(const SolidMesh &whole);
  void observe_points(const SolidMesh &whole);
  /// Nodes of the whole mesh, sorted, in the numbers of this rank's part; those that it lacks are left out.
  std::vector<int> local_nodes(const std::vector<int> &whole) const;
  /// Boundary faces of the whole mesh, sorted, in the numbers of this rank's part.
  std::vector<int> local_faces(const SolidMesh &whole, const std::vector<int> &faces) const;
  /// Whether sums over nodes count this one on this rank.
  bool is_owned(int node) const { return !shared_dofs_ || shared_dofs_->is_owned(3 * node); }
  /// The numbers of an element and a node in the whole mesh, for messages.
  int element_number(int cell) const { return part_ ? part_->first_cell + cell : cell; }
  int node_number(int node) const { return part_ ? part_->nodes[node] : node; }
  void set_mass();
  void set_initial_state();
  /// Loads, damping, and the motion of supports, which the initial state then follows.
  void add_conditions(const SolidMesh &whole, PrescribedMotion motion);
  void add_damping();
  std::vector<Contact> contacts_at(double time) const;
  /// Minus the forces of all obstacles.
  Eigen::VectorXd contact_gradient(const State &state) const;
  void add_point_fields(const State &state, Snapshot &snapshot) const;
  void add_cell_fields(const State &state, Snapshot &snapshot) const;
  /// Largest omega^2 of a single free element with its own mass.
  double element_frequency(const Family &family, int element, const double *x) const;
  Frequencies highest_frequencies(const Eigen::VectorXd &q) const;
  Frequencies undeformed_frequencies() const;
  /// Calls f(family, element within the family, its values of q, number of the element in the mesh).
  template <typename F>
  void for_each_element(const Eigen::VectorXd &q, const F &f) const;

  SolidSettings settings_;
  SolidMesh mesh_;
  std::optional<MeshPart> part_;  ///< of several ranks; its mesh is mesh_
  std::vector<Family> families_;
  ContactSurface contact_surface_;             ///< of this rank's own nodes: term i of every obstacle is its node i
  std::vector<const NodeContact *> contacts_;  ///< one family an obstacle at rest; owned by terms_
  std::unique_ptr<SolidConditions> conditions_;
  std::vector<double> lumped_volumes_;  ///< [cell][node], m3; empty for linear tetrahedra and a consistent mass
  std::unique_ptr<ConsistentMass> consistent_mass_;
  double mass_bound_ = 1;            ///< M >= mass_bound times its diagonal
  std::vector<int> observed_nodes_;  ///< -1: on another rank
  /// Of the initial state: wanted at the start and at the end of a run, and slow to compute.
  mutable std::optional<Frequencies> undeformed_frequencies_;
};

template <typename F>
void SolidSystem::for_each_element(const Eigen::VectorXd &q, const F &f) const
{
  double x[81];  // triquadratic hexahedra have the most
  for (const auto &family : families_)
    for (int e = 0; e < family.elements->n_terms(); ++e)
    {
      const auto dofs = family.elements->dofs(e);
      for (std::size_t a = 0; a < dofs.size(); ++a) x[a] = q[dofs[a]];
      f(family, e, x, family.elements->element_name(e));
    }
}
}  // namespace freefall

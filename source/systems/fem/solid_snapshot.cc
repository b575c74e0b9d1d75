#include <freefall/systems/fem/solid_system.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>

namespace freefall
{
namespace
{
double von_mises(const Eigen::Matrix3d &stress)
{
  const Eigen::Matrix3d deviator = stress - stress.trace() / 3 * Eigen::Matrix3d::Identity();
  return std::sqrt(1.5) * deviator.norm();
}
}  // namespace

Snapshot SolidSystem::snapshot(const State &state, SnapshotGeometry geometry) const
{
  Snapshot snapshot;
  snapshot.time = state.time;
  if (geometry == SnapshotGeometry::reference)
    snapshot.points = mesh_.nodes;
  else
    snapshot.points = Eigen::Map<const Eigen::Matrix3Xd>(state.q.data(), 3, mesh_.n_nodes());
  snapshot.connectivity.assign(mesh_.connectivity.begin(), mesh_.connectivity.end());
  for (int cell = 1; cell <= mesh_.n_cells(); ++cell)
    snapshot.offsets.push_back(static_cast<std::int64_t>(cell) * mesh_.nodes_per_cell());
  snapshot.cell_types.assign(mesh_.n_cells(), static_cast<std::uint8_t>(shape_of(mesh_.element).vtk_cell_type));
  add_point_fields(state, snapshot);
  add_cell_fields(state, snapshot);
  return snapshot;
}

void SolidSystem::add_point_fields(const State &state, Snapshot &snapshot) const
{
  const Eigen::VectorXd displacement = state.q - initial_state_.q;
  snapshot.point_fields.push_back({"displacement", 3, {displacement.begin(), displacement.end()}});
  snapshot.point_fields.push_back({"velocity", 3, {state.v.begin(), state.v.end()}});
  if (contacts_.empty()) return;

  // Of several planes, the one that a node is deepest in (or nearest to) is shown. Nodes that cannot touch have gap NaN.
  const double not_a_contact = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> gap(mesh_.n_nodes(), not_a_contact);
  Eigen::VectorXd normal = Eigen::VectorXd::Zero(n_dofs()), force = normal;
  for (const auto *contact : contacts_)
  {
    contact->add_gradient(state.q, force);
    const double length = contact->plane().normal.norm();
    for (int term = 0; term < contact->n_terms(); ++term)
    {
      const int node = contact->node(term);
      const double distance = contact->gap(state.q.data() + 3 * node) / length;
      if (distance > gap[node]) continue;
      gap[node] = distance;
      for (int c = 0; c < 3; ++c) normal[3 * node + c] = contact->plane().normal[c] / length;
    }
  }
  force = -force;
  if (shared_dofs_)
  {
    // Contact is computed by the owners of nodes and shown by all who have them.
    Eigen::VectorXd gaps = Eigen::VectorXd::Zero(n_dofs());
    for (int node = 0; node < mesh_.n_nodes(); ++node) gaps[3 * node] = gap[node];
    for (auto *values : {&gaps, &normal, &force}) shared_dofs_->copy_from_owners(*values);
    for (int node = 0; node < mesh_.n_nodes(); ++node) gap[node] = gaps[3 * node];
  }
  snapshot.point_fields.push_back({"contact_gap", 1, std::move(gap)});
  snapshot.point_fields.push_back({"contact_force", 3, {force.begin(), force.end()}});
  snapshot.point_fields.push_back({"contact_normal", 3, {normal.begin(), normal.end()}});
}

void SolidSystem::add_cell_fields(const State &state, Snapshot &snapshot) const
{
  std::vector<double> stress(mesh_.n_cells()), det_F(mesh_.n_cells()), energy(mesh_.n_cells());
  for_each_element(state.q,
                   [&](const Family &family, int e, const double *x, int cell)
                   {
                     const SolidElements &elements = *family.elements;
                     const double volume = elements.volume(e);
                     Eigen::Matrix3d cauchy = Eigen::Matrix3d::Zero();
                     for (int point = 0; point < elements.n_points(); ++point)
                     {
                       const double share = elements.n_points() == 1 ? 1 : elements.weight(e, point) / volume;
                       const Eigen::Matrix3d F = elements.deformation_gradient(e, point, x);
                       const double J = F.determinant();
                       det_F[cell] += share * J;
                       // The state of a failed run may hold inverted elements: they are shown, without a stress.
                       if (!(J > 0)) continue;
                       cauchy += share / J * elements.stress(F) * F.transpose();
                       energy[cell] += share * elements.energy_density(F);
                     }
                     stress[cell] = von_mises(cauchy);
                   });
  snapshot.cell_fields.push_back({"von_mises_stress", 1, std::move(stress)});
  snapshot.cell_fields.push_back({"det_F", 1, std::move(det_F)});
  snapshot.cell_fields.push_back({"energy_density", 1, std::move(energy)});
  snapshot.cell_fields.push_back({"body", 1, {mesh_.bodies.begin(), mesh_.bodies.end()}});
  snapshot.cell_fields.push_back({"material_id", 1, {mesh_.material_ids.begin(), mesh_.material_ids.end()}});
}
}  // namespace freefall

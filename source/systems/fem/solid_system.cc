#include <freefall/core/errors.h>
#include <freefall/potentials/constant_forces.h>
#include <freefall/systems/fem/solid_system.h>
#include <freefall/systems/fem/trilinos_multigrid.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
std::vector<BoxMesh> meshes_of(const std::vector<SolidBody> &bodies)
{
  std::vector<BoxMesh> meshes;
  for (const auto &body : bodies) meshes.push_back(body.mesh);
  return meshes;
}

std::string format_point(const Eigen::Vector3d &x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]); }

void append(NamedValues &values, const std::string &name, const Eigen::Vector3d &vector)
{
  const char *components[] = {"_x", "_y", "_z"};
  for (int c = 0; c < 3; ++c) values.push_back({name + components[c], vector[c]});
}

double von_mises(const Eigen::Matrix3d &stress)
{
  const Eigen::Matrix3d deviator = stress - stress.trace() / 3 * Eigen::Matrix3d::Identity();
  return std::sqrt(1.5) * deviator.norm();
}
}  // namespace

SolidSystem::SolidSystem(const SolidSettings &settings)
  : settings_(settings), mesh_(make_solid_mesh(meshes_of(settings.bodies)))
{
  for (std::size_t body = 0; body < settings_.bodies.size(); ++body)
  {
    std::vector<Elements::Cell> cells;
    std::vector<int> names;
    for (int cell = 0; cell < mesh_.n_cells(); ++cell)
      if (mesh_.bodies[cell] == static_cast<int>(body))
      {
        cells.push_back(mesh_.cells[cell]);
        names.push_back(cell);
      }
    auto elements = std::make_unique<Elements>(settings_.bodies[body].material, mesh_.nodes, cells, names);
    elements_.push_back(elements.get());
    terms_.push_back(std::move(elements));
  }
  const std::vector<int> contact_nodes = mesh_.boundary_nodes(settings_.contact_boundary_ids);
  for (const auto &plane : settings_.planes)
  {
    auto contact = std::make_unique<PlaneContact>(plane, contact_nodes);
    contacts_.push_back(contact.get());
    terms_.push_back(std::move(contact));
  }
  lump_mass();
  if (settings_.gravity.norm() > 0)
    terms_.push_back(
      std::make_unique<ConstantForces>(diagonal_mass_.cwiseProduct(settings_.gravity.replicate(mesh_.n_nodes(), 1))));
  set_initial_state();
  for (const auto &point : settings_.history_points)
  {
    Eigen::Index nearest = 0;
    (mesh_.nodes.colwise() - point.position).colwise().squaredNorm().minCoeff(&nearest);
    observed_nodes_.push_back(static_cast<int>(nearest));
  }
}

void SolidSystem::lump_mass()
{
  diagonal_mass_.setZero(3 * mesh_.n_nodes());
  for (std::size_t body = 0; body < elements_.size(); ++body)
    for (int e = 0; e < elements_[body]->n_terms(); ++e)
      for (const int dof : elements_[body]->dofs(e))
        diagonal_mass_[dof] += settings_.bodies[body].density * elements_[body]->volume(e) / 4;
}

void SolidSystem::set_initial_state()
{
  initial_state_.q = Eigen::Map<const Eigen::VectorXd>(mesh_.nodes.data(), mesh_.nodes.size());
  initial_state_.v.setZero(n_dofs());
  for (int cell = 0; cell < mesh_.n_cells(); ++cell)
    for (const int node : mesh_.cells[cell])
      initial_state_.v.segment<3>(3 * node) = settings_.bodies[mesh_.bodies[cell]].initial_velocity(mesh_.nodes.col(node));
}

template <typename F>
void SolidSystem::for_each_element(const Eigen::VectorXd &q, const F &f) const
{
  double x[12];
  for (const Elements *elements : elements_)
    for (int e = 0; e < elements->n_terms(); ++e)
    {
      const auto dofs = elements->dofs(e);
      for (int a = 0; a < 12; ++a) x[a] = q[dofs[a]];
      f(*elements, e, x, elements->element_name(e));
    }
}

NamedValues SolidSystem::observe(const State &state) const
{
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
  for (int node = 0; node < mesh_.n_nodes(); ++node)
  {
    const Eigen::Vector3d p = diagonal_mass_[3 * node] * state.v.segment<3>(3 * node);
    momentum += p;
    spin += state.q.segment<3>(3 * node).cross(p);
  }
  NamedValues values;
  append(values, "linear_momentum", momentum);
  append(values, "angular_momentum", spin);
  if (!contacts_.empty())
  {
    Eigen::VectorXd contact = Eigen::VectorXd::Zero(n_dofs());
    for (const auto *family : contacts_) family->add_gradient(state.q, contact);
    append(values, "contact_force",
           Eigen::Vector3d::Zero() - Eigen::Map<const Eigen::Matrix3Xd>(contact.data(), 3, mesh_.n_nodes()).rowwise().sum());
  }
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for_each_element(state.q,
                   [&](const Elements &elements, int e, const double *x, int)
                   {
                     const double J = elements.deformation_gradient(e, x).determinant();
                     smallest = std::min(smallest, J);
                     largest = std::max(largest, J);
                   });
  values.push_back({"minimum_det_F", smallest});
  values.push_back({"maximum_det_F", largest});
  for (std::size_t i = 0; i < observed_nodes_.size(); ++i)
  {
    append(values, fmt::format("point_{}_position", settings_.history_points[i].name),
           state.q.segment<3>(3 * observed_nodes_[i]));
    append(values, fmt::format("point_{}_velocity", settings_.history_points[i].name),
           state.v.segment<3>(3 * observed_nodes_[i]));
  }
  return values;
}

Snapshot SolidSystem::snapshot(const State &state, SnapshotGeometry geometry) const
{
  constexpr std::uint8_t vtk_tetrahedron = 10;
  Snapshot snapshot;
  snapshot.time = state.time;
  if (geometry == SnapshotGeometry::reference)
    snapshot.points = mesh_.nodes;
  else
    snapshot.points = Eigen::Map<const Eigen::Matrix3Xd>(state.q.data(), 3, mesh_.n_nodes());
  for (const auto &cell : mesh_.cells)
  {
    snapshot.connectivity.insert(snapshot.connectivity.end(), cell.begin(), cell.end());
    snapshot.offsets.push_back(static_cast<std::int64_t>(snapshot.connectivity.size()));
    snapshot.cell_types.push_back(vtk_tetrahedron);
  }
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
  std::vector<double> gap(mesh_.n_nodes(), not_a_contact), normal(n_dofs(), 0.0);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(n_dofs());
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
  snapshot.point_fields.push_back({"contact_gap", 1, std::move(gap)});
  snapshot.point_fields.push_back({"contact_force", 3, {force.begin(), force.end()}});
  snapshot.point_fields.push_back({"contact_normal", 3, std::move(normal)});
}

void SolidSystem::add_cell_fields(const State &state, Snapshot &snapshot) const
{
  std::vector<double> stress(mesh_.n_cells()), det_F(mesh_.n_cells()), energy(mesh_.n_cells());
  for_each_element(state.q,
                   [&](const Elements &elements, int e, const double *x, int cell)
                   {
                     const Eigen::Matrix3d F = elements.deformation_gradient(e, x);
                     det_F[cell] = F.determinant();
                     // The state of a failed run may hold inverted elements: they are shown, without a stress.
                     const bool valid = det_F[cell] > 0;
                     stress[cell] = valid ? von_mises(elements.material().stress(F) * F.transpose() / det_F[cell]) : 0;
                     energy[cell] = valid ? elements.material().energy(F) : 0;
                   });
  snapshot.cell_fields.push_back({"von_mises_stress", 1, std::move(stress)});
  snapshot.cell_fields.push_back({"det_F", 1, std::move(det_F)});
  snapshot.cell_fields.push_back({"energy_density", 1, std::move(energy)});
  snapshot.cell_fields.push_back({"body", 1, {mesh_.bodies.begin(), mesh_.bodies.end()}});
}

CriticalStep SolidSystem::critical_step(const Eigen::VectorXd &q) const
{
  using Matrix12 = Eigen::Matrix<double, 12, 12>;
  double element_frequency = 0;
  int stiffest_element = 0;
  for_each_element(q,
                   [&](const Elements &elements, int e, const double *x, int cell)
                   {
                     Matrix12 stiffness;
                     elements.hessian(e, x, stiffness.data());
                     const double mass = settings_.bodies[mesh_.bodies[cell]].density * elements.volume(e) / 4;
                     const double frequency =
                       Eigen::SelfAdjointEigenSolver<Matrix12>(stiffness, Eigen::EigenvaluesOnly).eigenvalues()[11] / mass;
                     if (frequency > element_frequency)
                     {
                       element_frequency = frequency;
                       stiffest_element = cell;
                     }
                   });
  Eigen::VectorXd contact_frequencies = Eigen::VectorXd::Zero(mesh_.n_nodes());
  for (const auto *contact : contacts_)
    for (int term = 0; term < contact->n_terms(); ++term)
      contact_frequencies[contact->node(term)] +=
        contact->plane().stiffness * contact->plane().normal.squaredNorm() / diagonal_mass_[3 * contact->node(term)];
  Eigen::Index stiffest_node = 0;
  const double contact_frequency = contact_frequencies.maxCoeff(&stiffest_node);

  CriticalStep critical;
  critical.time_step = 2 / std::sqrt(element_frequency + contact_frequency);
  if (contact_frequency > element_frequency)
    critical.limited_by = fmt::format(
      "contact node {} at {}, mass {:.4g} kg against a penalty stiffness of {:.4g} N/m; without "
      "contact it would be {:.4g} s",
      stiffest_node, format_point(mesh_.nodes.col(stiffest_node)), diagonal_mass_[3 * stiffest_node],
      contact_frequency * diagonal_mass_[3 * stiffest_node], 2 / std::sqrt(element_frequency));
  else
    critical.limited_by = fmt::format("element {} at {}", stiffest_element, format_point(mesh_.cell_centre(stiffest_element)));
  return critical;
}

std::unique_ptr<Multigrid> SolidSystem::make_multigrid() const { return make_trilinos_multigrid(); }

std::vector<Wall> SolidSystem::walls() const
{
  std::vector<Wall> walls;
  for (const auto &plane : settings_.planes) walls.push_back({plane.point, plane.normal});
  return walls;
}

std::string SolidSystem::dof_name(int dof) const
{
  return fmt::format("node {} {} at {}", dof / 3, "xyz"[dof % 3], format_point(mesh_.nodes.col(dof / 3)));
}
}  // namespace freefall

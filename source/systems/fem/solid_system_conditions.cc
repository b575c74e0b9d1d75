#include <freefall/core/errors.h>
#include <freefall/potentials/constant_forces.h>
#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace freefall
{
void SolidSystem::add_contacts(const SolidMesh &whole)
{
  auto &rounds = settings_.conditions.rounds;
  auto &moving_planes = settings_.conditions.moving_planes;
  if (settings_.planes.empty() && rounds.empty() && moving_planes.empty()) return;
  const auto faces = select_boundary_faces(whole, settings_.body_names(), settings_.contact_boundaries);
  const ContactSurface surface = make_contact_surface(whole, faces, uniaxial_moduli(whole));
  for (std::size_t i = 0; i < surface.nodes.size(); ++i)
    for (const int node : local_nodes({surface.nodes[i]}))
      if (is_owned(node)) contact_surface_.add(node, surface.heights[i], surface.stiffnesses[i]);
  const auto &nodes = contact_surface_.nodes;
  const auto add = [&](std::unique_ptr<NodeContact> contact, const std::string &motion)
  {
    if (!motion.empty())
    {
      conditions_->obstacles.emplace_back(std::move(contact), motion);
      return;
    }
    contacts_.push_back(contact.get());
    terms_.push_back(std::move(contact));
  };
  const double automatic = surface.automatic_stiffness();
  const auto add_plane = [&](RigidPlane &plane, const std::string &motion)
  {
    if (plane.stiffness == 0) plane.stiffness = automatic / plane.normal.squaredNorm();
    add(std::make_unique<PlaneContact>(plane, nodes), motion);
  };
  for (auto &plane : settings_.planes) add_plane(plane, "");
  for (auto &[round, motion] : rounds)
  {
    if (round.stiffness == 0) round.stiffness = automatic;
    add(std::make_unique<CurvedContact>(round, nodes), motion);
  }
  for (auto &[plane, motion] : moving_planes) add_plane(plane, motion);
}

std::vector<double> SolidSystem::uniaxial_moduli(const SolidMesh &whole) const
{
  std::vector<double> moduli(whole.n_cells());
  for (int body = 0; body < whole.n_bodies(); ++body)
  {
    const SolidBody &settings = settings_.bodies[body];
    const auto ids = material_ids_of_regions(whole, body, settings);
    for (std::size_t part = 0; part < ids.size(); ++part)
    {
      const SolidMaterial &material =
        part < settings.regions.size() ? settings.regions[part].material.material : settings.material;
      const auto [lambda, mu] = std::visit([](const auto &model) { return model.linearised(); }, material);
      for (int cell = 0; cell < whole.n_cells(); ++cell)
        if (whole.bodies[cell] == body && std::binary_search(ids[part].begin(), ids[part].end(), whole.material_ids[cell]))
          moduli[cell] = lambda + 2 * mu;
    }
  }
  return moduli;
}

std::vector<SolidSystem::Contact> SolidSystem::contacts_at(double time) const
{
  std::vector<Contact> contacts;
  for (const auto *terms : contacts_) contacts.push_back({terms, Eigen::Vector3d::Zero()});
  if (conditions_)
    for (const auto &obstacle : conditions_->obstacles) contacts.push_back({&obstacle.contact(), obstacle.shift(time)});
  return contacts;
}

Eigen::VectorXd SolidSystem::contact_gradient(const State &state) const
{
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n_dofs());
  if (conditions_)
  {
    for (const auto &obstacle : conditions_->obstacles) obstacle.add_forces(state.time, state.q, gradient);
    gradient = -gradient;
  }
  for (const auto *terms : contacts_) terms->add_gradient(state.q, gradient);
  return gradient;
}

std::vector<int> SolidSystem::local_faces(const SolidMesh &whole, const std::vector<int> &faces) const
{
  if (!part_) return faces;
  // A part has the faces of its elements in the order of the whole.
  std::vector<int> local;
  int number = 0;
  auto next = faces.begin();
  for (int face = 0; face < static_cast<int>(whole.boundary_faces.size()); ++face)
  {
    const int cell = whole.boundary_faces[face].cell - part_->first_cell;
    const bool is_here = cell >= 0 && cell < mesh_.n_cells(), is_wanted = next != faces.end() && *next == face;
    if (is_here && is_wanted) local.push_back(number);
    number += is_here;
    if (is_wanted) ++next;
  }
  return local;
}

void SolidSystem::add_conditions(const SolidMesh &whole, PrescribedMotion motion)
{
  SolidConditions &conditions = *conditions_;
  conditions.motion = std::move(motion);
  const auto faces = [&](const SurfaceLoadSettings &load)
  { return local_faces(whole, select_boundary_faces(whole, settings_.body_names(), load.boundaries)); };
  for (const auto &traction : settings_.conditions.tractions) conditions.loads.add_traction(faces(traction), traction.formula);
  for (const auto &pressure : settings_.conditions.pressures) conditions.loads.add_pressure(faces(pressure), pressure.formula);
  if (conditions.loads.constant_forces().size() > 0)
    terms_.push_back(std::make_unique<ConstantForces>(conditions.loads.constant_forces()));
  add_damping();
  for (const int dof : fixed_dofs_) initial_state_.v[dof] = 0;
  try
  {
    conditions.prescribe(initial_state_.time, initial_state_.q, initial_state_.v);
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(n_dofs());
    conditions.add_loads(initial_state_.time, initial_state_.q, forces);
  }
  catch (const DomainError &error)
  {
    throw InputError(fmt::format("the run cannot start: {}", error.what()));
  }
  if (conditions.is_empty()) conditions_.reset();
}

void SolidSystem::add_damping()
{
  Eigen::VectorXd alpha = Eigen::VectorXd::Zero(n_dofs());
  auto damping = std::make_unique<Damping>(diagonal_mass_, fixed_dofs(), shared_dofs_.get());
  const int n = mesh_.nodes_per_cell();
  std::vector<double> volumes;
  for (const auto &[elements, density] : families_)
  {
    if (elements->n_terms() == 0) continue;
    const DampingSettings &settings = settings_.bodies[mesh_.bodies[elements->element_name(0)]].damping;
    if (settings.is_none()) continue;
    if (consistent_mass_) throw InputError("damping needs a lumped mass. Set Finite elements/Mass = lumped.");
    if (volumes.empty()) volumes = lumped_volumes(mesh_);
    std::vector<int> cells, connectivity;
    std::vector<double> masses;
    for (int e = 0; e < elements->n_terms(); ++e)
    {
      const int cell = elements->element_name(e);
      cells.push_back(cell);
      for (int a = 0; a < n; ++a)
      {
        const int node = mesh_.cell_nodes(cell)[a];
        connectivity.push_back(node);
        masses.push_back(density * volumes[static_cast<std::size_t>(n) * cell + a]);
        alpha.segment<3>(3 * node).setConstant(settings.alpha);
      }
    }
    if (!settings.is_viscous()) continue;
    const LameConstants elastic = elements->linearised();
    ViscousElements::Viscosity viscosity;
    viscosity.mu = settings.beta * elastic.mu + settings.shear_viscosity;
    viscosity.lambda = settings.beta * elastic.lambda + settings.bulk_viscosity - settings.shear_viscosity * 2 / 3;
    damping->add(std::make_unique<ViscousElements>(viscosity, element_geometry(mesh_, cells), connectivity, masses));
  }
  if ((alpha.array() > 0).any()) damping->set_mass_proportional(alpha);
  damping->use_all_ranks();
  if (!damping->is_empty()) conditions_->damping = std::move(damping);
}

std::vector<Wall> SolidSystem::walls() const
{
  // Only what stays where it is: pictures of several instants share one list.
  std::vector<Wall> walls;
  for (const auto &plane : settings_.planes) walls.push_back({plane.point, plane.normal});
  for (const auto &[round, motion] : settings_.conditions.rounds)
    if (motion.empty()) walls.push_back({round.centre, round.axis, round.radius});
  return walls;
}
}  // namespace freefall

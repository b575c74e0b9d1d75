#include <freefall/potentials/constant_forces.h>
#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/make_elements.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

namespace freefall
{
namespace
{
void append(NamedValues &values, const std::string &name, const Eigen::Vector3d &vector)
{
  const char *components[] = {"_x", "_y", "_z"};
  for (int c = 0; c < 3; ++c) values.push_back({name + components[c], vector[c]});
}

/// The smallest eigenvalue of D^-1/2 M D^-1/2, D the diagonal of M.
double smallest_of_scaled(const Eigen::MatrixXd &M)
{
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0];
}
}  // namespace

SolidSystem::SolidSystem(const SolidSettings &settings, SolidMesh mesh) : settings_(settings), mesh_(std::move(mesh))
{
  add_elements();
  add_contacts();
  set_mass();
  if (settings_.gravity.norm() > 0)
    terms_.push_back(std::make_unique<ConstantForces>(apply_mass(settings_.gravity.replicate(mesh_.n_nodes(), 1))));
  set_initial_state();
  for (const auto &point : settings_.history_points)
  {
    Eigen::Index nearest = 0;
    (mesh_.nodes.colwise() - point.position).colwise().squaredNorm().minCoeff(&nearest);
    observed_nodes_.push_back(static_cast<int>(nearest));
  }
}

void SolidSystem::add_elements()
{
  for (int body = 0; body < mesh_.n_bodies(); ++body)
  {
    const SolidBody &settings = settings_.bodies[body];
    const auto ids = material_ids_of_regions(mesh_, body, settings);
    for (std::size_t part = 0; part < ids.size(); ++part)
    {
      std::vector<int> cells;
      for (int cell = 0; cell < mesh_.n_cells(); ++cell)
        if (mesh_.bodies[cell] == body && std::binary_search(ids[part].begin(), ids[part].end(), mesh_.material_ids[cell]))
          cells.push_back(cell);
      if (cells.empty()) continue;
      const bool is_region = part < settings.regions.size();
      const SolidMaterial &material = is_region ? settings.regions[part].material.material : settings.material;
      auto elements = make_elements(material, mesh_, std::move(cells));
      families_.push_back({elements.get(), is_region ? settings.regions[part].material.density : settings.density});
      terms_.push_back(std::move(elements));
    }
  }
}

void SolidSystem::add_contacts()
{
  if (settings_.planes.empty()) return;
  const auto faces = select_boundary_faces(mesh_, settings_.body_names(), settings_.contact_boundaries);
  std::vector<double> moduli(mesh_.n_cells());
  for (const auto &[elements, density] : families_)
    for (int e = 0; e < elements->n_terms(); ++e)
      moduli[elements->element_name(e)] = elements->linearised().lambda + 2 * elements->linearised().mu;
  contact_surface_ = make_contact_surface(mesh_, faces, moduli);
  for (auto &plane : settings_.planes)
  {
    if (plane.stiffness == 0) plane.stiffness = contact_surface_.automatic_stiffness() / plane.normal.squaredNorm();
    auto contact = std::make_unique<PlaneContact>(plane, contact_surface_.nodes);
    contacts_.push_back(contact.get());
    terms_.push_back(std::move(contact));
  }
}

void SolidSystem::set_mass()
{
  Eigen::VectorXd of_nodes = Eigen::VectorXd::Zero(mesh_.n_nodes());
  if (settings_.mass == MassMatrix::consistent)
  {
    std::vector<double> densities(mesh_.n_cells());
    for (const auto &family : families_)
      for (int e = 0; e < family.elements->n_terms(); ++e) densities[family.elements->element_name(e)] = family.density;
    consistent_mass_ = std::make_unique<ConsistentMass>(freefall::consistent_mass(mesh_, densities));
    of_nodes = consistent_mass_->matrix().diagonal();
    for (int cell = 0; cell < mesh_.n_cells(); ++cell)
      mass_bound_ = std::min(mass_bound_, smallest_of_scaled(element_mass(mesh_, cell)));
  }
  else
  {
    const int n = mesh_.nodes_per_cell();
    if (mesh_.element != ElementType::tet4) lumped_volumes_ = lumped_volumes(mesh_);
    for (const auto &[elements, density] : families_)
      for (int e = 0; e < elements->n_terms(); ++e)
        for (int a = 0; a < n; ++a)
        {
          const int cell = elements->element_name(e);
          const double volume =
            lumped_volumes_.empty() ? elements->volume(e) / 4 : lumped_volumes_[static_cast<std::size_t>(n) * cell + a];
          of_nodes[mesh_.cell_nodes(cell)[a]] += density * volume;
        }
  }
  diagonal_mass_ = of_nodes.transpose().replicate(3, 1).reshaped();
}

Eigen::VectorXd SolidSystem::apply_mass(const Eigen::VectorXd &v) const
{
  return consistent_mass_ ? consistent_mass_->apply(v) : System::apply_mass(v);
}

Eigen::VectorXd SolidSystem::solve_mass(const Eigen::VectorXd &f) const
{
  return consistent_mass_ ? consistent_mass_->solve(f) : System::solve_mass(f);
}

void SolidSystem::set_initial_state()
{
  initial_state_.q = mesh_.nodes.reshaped();
  initial_state_.v.setZero(n_dofs());
  // Row sums: their moments are those of the body for a lumped and for a consistent mass.
  Eigen::VectorXd ones = Eigen::VectorXd::Zero(n_dofs());
  ones(Eigen::seq(0, Eigen::last, 3)).setOnes();
  const Eigen::VectorXd mass = apply_mass(ones);
  std::vector<int> body_of_node(mesh_.n_nodes());
  for (int cell = 0; cell < mesh_.n_cells(); ++cell)
    for (const int node : mesh_.cell_nodes(cell)) body_of_node[node] = mesh_.bodies[cell];
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(mesh_.n_bodies());
  Eigen::Matrix3Xd centres = Eigen::Matrix3Xd::Zero(3, mesh_.n_bodies());
  for (int node = 0; node < mesh_.n_nodes(); ++node)
  {
    masses[body_of_node[node]] += mass[3 * node];
    centres.col(body_of_node[node]) += mass[3 * node] * mesh_.nodes.col(node);
  }
  for (int node = 0; node < mesh_.n_nodes(); ++node)
  {
    const int body = body_of_node[node];
    const SolidBody &settings = settings_.bodies[body];
    const Eigen::Vector3d x = mesh_.nodes.col(node);
    Eigen::Vector3d v = settings.initial_velocity ? settings.initial_velocity(x) : Eigen::Vector3d::Zero();
    if (settings.spin.norm() > 0) v += settings.spin.cross(x - centres.col(body) / masses[body]);
    initial_state_.v.segment<3>(3 * node) = v;
  }
}

NamedValues SolidSystem::observe(const State &state) const
{
  const Eigen::VectorXd momenta = apply_mass(state.v);
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
  for (int node = 0; node < mesh_.n_nodes(); ++node)
  {
    const Eigen::Vector3d p = momenta.segment<3>(3 * node);
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
                   [&](const Family &family, int e, const double *x, int)
                   {
                     for (int point = 0; point < family.elements->n_points(); ++point)
                     {
                       const double J = family.elements->deformation_gradient(e, point, x).determinant();
                       smallest = std::min(smallest, J);
                       largest = std::max(largest, J);
                     }
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

NamedValues SolidSystem::watched(const State &state) const
{
  if (contacts_.empty()) return {};
  double deepest = 0, per_element = 0;
  for (const auto *contact : contacts_)
    for (int term = 0; term < contact->n_terms(); ++term)
    {
      const double depth = -contact->gap(state.q.data() + 3 * contact->node(term)) / contact->plane().normal.norm();
      deepest = std::max(deepest, depth);
      per_element = std::max(per_element, depth / contact_surface_.heights[term]);
    }
  return {{"deepest_penetration", deepest}, {"deepest_penetration_per_element", per_element}};
}

std::vector<Wall> SolidSystem::walls() const
{
  std::vector<Wall> walls;
  for (const auto &plane : settings_.planes) walls.push_back({plane.point, plane.normal});
  return walls;
}

std::string SolidSystem::dof_name(int dof) const
{
  const Eigen::Vector3d x = mesh_.nodes.col(dof / 3);
  return fmt::format("node {} {} at ({:.6g}, {:.6g}, {:.6g})", dof / 3, "xyz"[dof % 3], x[0], x[1], x[2]);
}
}  // namespace freefall

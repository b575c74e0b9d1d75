#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/potentials/constant_forces.h>
#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/make_elements.h>
#include <freefall/systems/fem/solid_system.h>
#include <freefall/systems/fem/trilinos_multigrid.h>

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

/// Sums over all ranks.
void add_up(NamedValues &values)
{
  if (ranks::size() == 1) return;
  Eigen::VectorXd numbers(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) numbers[i] = values[i].value;
  ranks::sum(numbers);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].value = numbers[i];
}

/// The smallest eigenvalue of D^-1/2 M D^-1/2, D the diagonal of M.
double smallest_of_scaled(const Eigen::MatrixXd &M)
{
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0];
}
}  // namespace

SolidSystem::SolidSystem(const SolidSettings &settings, SolidMesh mesh) : settings_(settings)
{
  const bool is_alone = ranks::size() == 1;
  if (is_alone)
    mesh_ = std::move(mesh);
  else
    distribute(mesh);
  const SolidMesh &whole = is_alone ? mesh_ : mesh;
  conditions_ = std::make_unique<SolidConditions>(mesh_, shared_dofs_.get());
  add_elements(whole);
  add_contacts(whole);
  observe_points(whole);
  PrescribedMotion motion = add_supports(whole);
  set_mass();
  if (consistent_mass_ && !fixed_dofs_.empty()) consistent_mass_->hold(fixed_dofs_);
  if (settings_.gravity.norm() > 0)
  {
    Eigen::VectorXd weights = apply_mass(settings_.gravity.replicate(mesh_.n_nodes(), 1));
    if (shared_dofs_) shared_dofs_->keep_owned(weights);
    terms_.push_back(std::make_unique<ConstantForces>(weights));
  }
  set_initial_state();
  add_conditions(whole, std::move(motion));
}

void SolidSystem::distribute(const SolidMesh &whole)
{
  part_ = part_of_mesh(whole, ranks::rank(), ranks::size());
  mesh_ = std::move(part_->mesh);
  std::vector<SharedDofs::Neighbour> neighbours;
  for (const auto &[rank, nodes] : part_->neighbours)
  {
    neighbours.push_back({rank, {}});
    for (const int node : nodes)
      for (int c = 0; c < 3; ++c) neighbours.back().dofs.push_back(3 * node + c);
  }
  shared_dofs_ = std::make_unique<SharedDofs>(3 * mesh_.n_nodes(), std::move(neighbours));
}

std::vector<int> SolidSystem::local_nodes(const std::vector<int> &whole) const { return part_ ? part_->local(whole) : whole; }

PrescribedMotion SolidSystem::add_supports(const SolidMesh &whole)
{
  SupportedDofs supports = find_supports(whole, settings_.body_names(), settings_.conditions.supports);
  const auto local_dof = [&](int dof)
  {
    const auto node = local_nodes({dof / 3});
    return node.empty() ? -1 : 3 * node[0] + dof % 3;
  };
  for (const int dof : supports.dofs)
    if (const int local = local_dof(dof); local >= 0) fixed_dofs_.push_back(local);
  supports.motion.renumber(local_dof);
  return std::move(supports.motion);
}

void SolidSystem::observe_points(const SolidMesh &whole)
{
  for (const auto &point : settings_.history_points)
  {
    Eigen::Index nearest = 0;
    (whole.nodes.colwise() - point.position).colwise().squaredNorm().minCoeff(&nearest);
    const auto node = local_nodes({static_cast<int>(nearest)});
    observed_nodes_.push_back(!node.empty() && is_owned(node[0]) ? node[0] : -1);
  }
}

void SolidSystem::add_elements(const SolidMesh &whole)
{
  for (int body = 0; body < mesh_.n_bodies(); ++body)
  {
    const SolidBody &settings = settings_.bodies[body];
    const auto ids = material_ids_of_regions(whole, body, settings);
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

void SolidSystem::set_mass()
{
  Eigen::VectorXd of_nodes = Eigen::VectorXd::Zero(mesh_.n_nodes());
  if (settings_.mass == MassMatrix::consistent)
  {
    std::vector<double> densities(mesh_.n_cells());
    for (const auto &family : families_)
      for (int e = 0; e < family.elements->n_terms(); ++e) densities[family.elements->element_name(e)] = family.density;
    consistent_mass_ = std::make_unique<ConsistentMass>(freefall::consistent_mass(mesh_, densities), shared_dofs_.get());
    of_nodes = consistent_mass_->matrix().diagonal();
    for (int cell = 0; cell < mesh_.n_cells(); ++cell)
      mass_bound_ = std::min(mass_bound_, smallest_of_scaled(element_mass(mesh_, cell)));
    mass_bound_ = ranks::minimum(mass_bound_);
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
  if (shared_dofs_) shared_dofs_->add(diagonal_mass_);
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
    if (!is_owned(node)) continue;
    masses[body_of_node[node]] += mass[3 * node];
    centres.col(body_of_node[node]) += mass[3 * node] * mesh_.nodes.col(node);
  }
  ranks::sum(masses);
  ranks::sum(Eigen::Map<Eigen::VectorXd>(centres.data(), centres.size()));
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
  NamedValues values;
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
  for (int node = 0; node < mesh_.n_nodes(); ++node)
  {
    if (!is_owned(node)) continue;
    const Eigen::Vector3d p = momenta.segment<3>(3 * node);
    momentum += p;
    spin += state.q.segment<3>(3 * node).cross(p);
  }
  append(values, "linear_momentum", momentum);
  append(values, "angular_momentum", spin);
  if (!contacts_at(state.time).empty())
  {
    const Eigen::VectorXd contact = contact_gradient(state);
    append(values, "contact_force",
           Eigen::Vector3d::Zero() - Eigen::Map<const Eigen::Matrix3Xd>(contact.data(), 3, mesh_.n_nodes()).rowwise().sum());
  }
  add_up(values);

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
  values.push_back({"minimum_det_F", ranks::minimum(smallest)});
  values.push_back({"maximum_det_F", ranks::maximum(largest)});
  NamedValues points;
  for (std::size_t i = 0; i < observed_nodes_.size(); ++i)
  {
    const auto of_node = [&](const Eigen::VectorXd &vector)
    { return observed_nodes_[i] < 0 ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : vector.segment<3>(3 * observed_nodes_[i]); };
    append(points, fmt::format("point_{}_position", settings_.history_points[i].name), of_node(state.q));
    append(points, fmt::format("point_{}_velocity", settings_.history_points[i].name), of_node(state.v));
  }
  add_up(points);
  values.insert(values.end(), points.begin(), points.end());
  return values;
}

std::unique_ptr<Multigrid> SolidSystem::make_multigrid() const { return make_trilinos_multigrid(*this); }

NamedValues SolidSystem::watched(const State &state) const
{
  const auto contacts = contacts_at(state.time);
  if (contacts.empty()) return {};
  double deepest = 0, per_element = 0;
  for (const auto &[terms, shift] : contacts)
    for (int term = 0; term < terms->n_terms(); ++term)
    {
      const Eigen::Vector3d x = state.q.segment<3>(3 * terms->node(term)) - shift;
      const double depth = -terms->distance(x.data());
      deepest = std::max(deepest, depth);
      per_element = std::max(per_element, depth / contact_surface_.heights[term]);
    }
  return {{"deepest_penetration", ranks::maximum(deepest)}, {"deepest_penetration_per_element", ranks::maximum(per_element)}};
}

std::size_t SolidSystem::memory_consumption() const
{
  std::size_t bytes = mesh_.memory_consumption() + sizeof(double) * (lumped_volumes_.capacity() + 3 * static_cast<std::size_t>(n_dofs()));
  for (const auto &family : families_) bytes += family.elements->memory_consumption();
  return bytes;
}

std::string SolidSystem::dof_name(int dof) const
{
  const Eigen::Vector3d x = mesh_.nodes.col(dof / 3);
  return fmt::format("node {} {} at ({:.6g}, {:.6g}, {:.6g})", node_number(dof / 3), "xyz"[dof % 3], x[0], x[1], x[2]);
}
}  // namespace freefall

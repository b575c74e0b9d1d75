#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/charged_particles.h>
#include <freefall/systems/particles/particle_system.h>
#include <freefall/systems/particles/radial_distribution.h>
#include <freefall/systems/penalty_terms.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace freefall
{
namespace
{
constexpr char axis_names[] = "xyz";

/// More columns than this would bury the others.
constexpr int max_multiplier_columns = 12;

void add_multipliers(const std::string &prefix, const Eigen::VectorXd &multipliers, NamedValues &values)
{
  if (multipliers.size() > max_multiplier_columns)
    values.push_back({"largest_" + prefix, multipliers.cwiseAbs().maxCoeff()});
  else
    for (Eigen::Index c = 0; c < multipliers.size(); ++c)
      values.push_back({fmt::format("{}_{}", prefix, c + 1), multipliers[c]});
}

void check_particle(const Particle &particle, int number, int dimension)
{
  const auto refuse = [&](const std::string &what)
  { throw InputError(fmt::format("particle {} ('{}'): {}", number, particle.name, what)); };
  if (particle.name.empty()) refuse("the name is empty");
  if (particle.name.find_first_of(",\"\r\n") != std::string::npos)
    refuse("the name must not hold a comma, a quotation mark or a line break: it becomes part of a column's name");
  if (!(particle.mass > 0) || !std::isfinite(particle.mass))
    refuse(fmt::format("the mass is {}: it must be positive and finite", particle.mass));
  if (!std::isfinite(particle.charge)) refuse("the charge is not finite");
  if (!particle.position.allFinite() || !particle.velocity.allFinite()) refuse("a coordinate or velocity is not finite");
  for (int axis = dimension; axis < 3; ++axis)
    if (particle.position[axis] != 0 || particle.velocity[axis] != 0)
      refuse(fmt::format("{} = {} and its velocity {} must be 0 in {} dimension{}", axis_names[axis], particle.position[axis],
                         particle.velocity[axis], dimension, dimension == 1 ? "" : "s"));
}
}  // namespace

ParticleSystem::ParticleSystem(int dimension, std::vector<Particle> particles)
  : dimension_(dimension), particles_(std::move(particles))
{
  if (dimension < 1 || dimension > 3)
    throw InputError(fmt::format("particles live in 1, 2 or 3 dimensions, not {}", dimension));
  if (particles_.empty()) throw InputError("there are no particles");
  const int n_dofs = dimension * n_particles();
  diagonal_mass_.resize(n_dofs);
  initial_state_.q.resize(n_dofs);
  initial_state_.v.resize(n_dofs);
  std::map<std::string, int> numbers;
  for (int i = 0; i < n_particles(); ++i)
  {
    const Particle &particle = particles_[i];
    check_particle(particle, i + 1, dimension);
    const auto [known, is_new] = numbers.insert({particle.name, i + 1});
    if (!is_new)
      throw InputError(fmt::format("the particles {} and {} have the same name '{}': each needs its own", known->second, i + 1,
                                   particle.name));
    diagonal_mass_.segment(dimension * i, dimension).setConstant(particle.mass);
    initial_state_.q.segment(dimension * i, dimension) = particle.position.head(dimension);
    initial_state_.v.segment(dimension * i, dimension) = particle.velocity.head(dimension);
  }
}

int ParticleSystem::index_of(const std::string &name) const
{
  std::vector<std::string> names;
  for (int i = 0; i < n_particles(); ++i)
  {
    if (particles_[i].name == name) return i;
    names.push_back(particles_[i].name);
  }
  throw InputError(fmt::format("there is no particle '{}'.{}", name, did_you_mean(name, names)));
}

void ParticleSystem::fix(int particle, int axis)
{
  const int dof = dimension_ * particle + axis;
  if (initial_state_.v[dof] != 0)
    throw InputError(fmt::format("{} is fixed but has the velocity {}: it must be 0", dof_name(dof), initial_state_.v[dof]));
  const auto place = std::lower_bound(fixed_dofs_.begin(), fixed_dofs_.end(), dof);
  if (place == fixed_dofs_.end() || *place != dof) fixed_dofs_.insert(place, dof);
}

void ParticleSystem::set_constraints(std::shared_ptr<const ConstraintSet> constraints)
{
  if (constraints->size() == 0) return;
  constraints_ = std::move(constraints);
  check_independence(*this, initial_state_.q);
}

void ParticleSystem::penalise(std::shared_ptr<const ConstraintSet> constraints, double omega)
{
  for (auto &family : PenaltyTerms::of(constraints, omega)) add(std::move(family));
  penalised_ = std::move(constraints);
  penalty_ = omega;
}

void ParticleSystem::average_multipliers(double window) { multiplier_mean_.emplace(window); }

void ParticleSystem::observe_transitions(const TransitionLevels &levels)
{
  if (dimension_ != 1) throw InputError("transitions are counted of lattices in one dimension");
  if (!(levels.lower < levels.upper))
    throw InputError(fmt::format("the first level, {}, must be below the second, {}", levels.lower, levels.upper));
  transition_levels_ = levels;
}

Eigen::VectorXd ParticleSystem::multipliers(const State &state) const
{
  if (!penalised_) return constraint_multipliers(*this, state);
  Eigen::VectorXd g;
  penalised_->value(state.q, g);
  return penalty_ * penalty_ * g;
}

double ParticleSystem::sampling_interval() const
{
  // Every step that makes sense is longer: the mean then sees them all.
  constexpr double samples_per_window = 1000;
  if (!multiplier_mean_ || !(constraints_ || penalised_)) return std::numeric_limits<double>::infinity();
  return multiplier_mean_->width() / samples_per_window;
}

void ParticleSystem::sample(const State &state)
{
  if (std::isfinite(sampling_interval())) multiplier_mean_->add(state.time, multipliers(state));
}

void ParticleSystem::archive(Archive &archive)
{
  if (multiplier_mean_) multiplier_mean_->archive(archive);
}

void ParticleSystem::set_vector_potential(VectorPotential potential)
{
  std::vector<double> charges;
  for (const Particle &particle : particles_) charges.push_back(particle.charge);
  if (std::all_of(charges.begin(), charges.end(), [](double charge) { return charge == 0; }))
    throw InputError("it acts on nothing: no particle has a charge");
  if (!constraints_) throw InputError("only constrained particles can move in a magnetic field: there are no constraints");
  hamiltonian_ = std::make_unique<ChargedParticles>(*this, std::move(potential), std::move(charges));
}

void ParticleSystem::set_initial_state(const Eigen::VectorXd &q, const Eigen::VectorXd &v)
{
  initial_state_.q = q;
  initial_state_.v = v;
  for (int i = 0; i < n_particles(); ++i)
  {
    particles_[i].position = vector_of(q, i);
    particles_[i].velocity = vector_of(v, i);
  }
}

void ParticleSystem::check_initial_state() const
{
  std::vector<double> x, gradient;
  for (const auto &family : terms_)
  {
    x.resize(family->dofs_per_term());
    gradient.resize(x.size());
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (std::size_t a = 0; a < x.size(); ++a) x[a] = initial_state_.q[dofs[a]];
      try
      {
        family->gradient(term, x.data(), gradient.data());
      }
      catch (const DomainError &error)
      {
        std::set<std::string> names;
        for (const int dof : dofs) names.insert("'" + particles_[dof / dimension_].name + "'");
        std::string who;
        for (const std::string &name : names) who += (who.empty() ? "" : ", ") + name;
        throw InputError(fmt::format("the initial positions of the particles {} are not possible: {}", who, error.what()));
      }
    }
  }
}

Eigen::Vector3d ParticleSystem::vector_of(const Eigen::VectorXd &values, int particle) const
{
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  vector.head(dimension_) = values.segment(dimension_ * particle, dimension_);
  return vector;
}

Eigen::Vector3d ParticleSystem::linear_momentum(const State &state) const
{
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < n_particles(); ++i) sum += particles_[i].mass * vector_of(state.v, i);
  return sum;
}

Eigen::Vector3d ParticleSystem::angular_momentum(const State &state) const
{
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < n_particles(); ++i) sum += particles_[i].mass * vector_of(state.q, i).cross(vector_of(state.v, i));
  return sum;
}

int ParticleSystem::n_degrees_of_freedom() const
{
  return n_dofs() - static_cast<int>(fixed_dofs_.size()) - (constraints_ ? constraints_->size() : 0);
}

double ParticleSystem::temperature(const State &state) const
{
  return state.v.dot(diagonal_mass_.cwiseProduct(state.v)) / (n_degrees_of_freedom() * boltzmann_constant_);
}

NamedValues ParticleSystem::observe(const State &state) const
{
  NamedValues values;
  const Eigen::Vector3d linear = linear_momentum(state), angular = angular_momentum(state);
  for (int axis = 0; axis < dimension_; ++axis)
    values.push_back({fmt::format("linear_momentum_{}", axis_names[axis]), linear[axis]});
  for (int axis = dimension_ == 3 ? 0 : 2; axis < 3 && dimension_ > 1; ++axis)
    values.push_back({fmt::format("angular_momentum_{}", axis_names[axis]), angular[axis]});
  if (hamiltonian_)
  {
    // p in place of M v: what a field that is the same after a rotation keeps.
    State canonical = state;
    hamiltonian_->momentum(state.q, state.v, canonical.v);
    canonical.v.array() /= diagonal_mass_.array();
    const Eigen::Vector3d moment = angular_momentum(canonical);
    for (int axis = dimension_ == 3 ? 0 : 2; axis < 3; ++axis)
      values.push_back({fmt::format("canonical_angular_momentum_{}", axis_names[axis]), moment[axis]});
  }
  if (boltzmann_constant_ > 0 && n_degrees_of_freedom() > 0) values.push_back({"temperature", temperature(state)});
  for (const int i : observed_)
    for (const auto &[what, entries] : {std::pair<const char *, const Eigen::VectorXd &>{"position", state.q}, {"velocity", state.v}})
    {
      std::string name = particles_[i].name;
      std::replace(name.begin(), name.end(), ' ', '_');
      const Eigen::Vector3d vector = vector_of(entries, i);
      for (int axis = 0; axis < dimension_; ++axis)
        values.push_back({fmt::format("particle_{}_{}_{}", name, what, axis_names[axis]), vector[axis]});
    }
  if (orbit_)
  {
    const bool two = n_particles() == 2;
    const Eigen::Vector3d r =
      two ? (vector_of(state.q, 1) - vector_of(state.q, 0)).eval() : vector_of(state.q, 0) - orbit_->centre;
    const Eigen::Vector3d v = two ? (vector_of(state.v, 1) - vector_of(state.v, 0)).eval() : vector_of(state.v, 0);
    for (const auto &value : named(orbital_elements(r, v, orbit_->strength), dimension_)) values.push_back(value);
  }
  if (constraints_)
  {
    const ConstraintResiduals residuals = constraint_residuals(*this, state);
    values.push_back({"constraint_residual", residuals.position});
    values.push_back({"hidden_constraint_residual", residuals.velocity});
    add_multipliers("multiplier", multipliers(state), values);
  }
  if (penalised_)
  {
    Eigen::VectorXd g;
    penalised_->value(state.q, g);
    values.push_back({"constraint_residual", g.cwiseAbs().maxCoeff()});
    add_multipliers("penalty_multiplier", multipliers(state), values);
  }
  if (multiplier_mean_ && !multiplier_mean_->is_empty()) add_multipliers("mean_multiplier", multiplier_mean_->mean(), values);
  if (transition_levels_)
  {
    values.push_back({"mean_position", state.q.mean()});
    values.push_back({"mean_velocity", state.v.mean()});
  }
  return values;
}

void ParticleSystem::set_orbit(const OrbitParameters &orbit)
{
  if (n_particles() > 2) throw std::logic_error("an orbit needs one particle and a centre, or two particles");
  if (dimension_ > 1) orbit_ = orbit;
}

NamedValues ParticleSystem::trajectory(const State &state) const
{
  NamedValues values;
  for (int i = 0; i < n_particles(); ++i)
  {
    for (int axis = 0; axis < dimension_; ++axis)
      values.push_back({fmt::format("{}.{}", particles_[i].name, axis_names[axis]), state.q[dimension_ * i + axis]});
    for (int axis = 0; axis < dimension_; ++axis)
      values.push_back({fmt::format("{}.v{}", particles_[i].name, axis_names[axis]), state.v[dimension_ * i + axis]});
  }
  return values;
}

NamedValues ParticleSystem::measure(const NumberColumns &history) const
{
  NamedValues values;
  const std::vector<double> *time = history.find("time"), *temperature = history.find("temperature");
  if (time && temperature) values.push_back({"mean_temperature", mean_over_time(*time, *temperature)});
  if (orbit_)
    for (const auto &value : measure_orbit(history)) values.push_back(value);
  const std::vector<double> *position = history.find("mean_position");
  if (time && position && transition_levels_)
    for (const auto &value : count_transitions(*time, *position, *transition_levels_)) values.push_back(value);
  return values;
}

std::unique_ptr<Tally> ParticleSystem::make_tally() const
{
  return distances_ ? std::make_unique<RadialDistribution>(*distances_, dimension_) : nullptr;
}

Snapshot ParticleSystem::snapshot(const State &state, SnapshotGeometry) const
{
  Snapshot snapshot;
  snapshot.time = state.time;
  snapshot.points.resize(3, n_particles());
  Eigen::VectorXd gradient;
  this->gradient(state.q, gradient);
  SnapshotField velocity{"velocity", 3, {}}, force{"force", 3, {}}, mass{"mass", 1, {}}, charge{"charge", 1, {}},
    number{"particle", 1, {}};
  for (int i = 0; i < n_particles(); ++i)
  {
    snapshot.points.col(i) = vector_of(state.q, i);
    const Eigen::Vector3d v = vector_of(state.v, i), g = vector_of(gradient, i);
    for (int axis = 0; axis < 3; ++axis)
    {
      velocity.values.push_back(v[axis]);
      force.values.push_back(-g[axis]);
    }
    mass.values.push_back(particles_[i].mass);
    charge.values.push_back(particles_[i].charge);
    number.values.push_back(i + 1);
    snapshot.connectivity.push_back(i);
    snapshot.offsets.push_back(static_cast<std::int64_t>(snapshot.connectivity.size()));
    snapshot.cell_types.push_back(1);
  }
  for (const auto &[first, second] : lines_)
  {
    snapshot.connectivity.insert(snapshot.connectivity.end(), {first, second});
    snapshot.offsets.push_back(static_cast<std::int64_t>(snapshot.connectivity.size()));
    snapshot.cell_types.push_back(3);
  }
  snapshot.point_fields = {velocity, force, mass, charge, number};
  SnapshotTexts names{"name", {}};
  for (const Particle &particle : particles_) names.values.push_back(particle.name);
  snapshot.point_texts = {names};
  return snapshot;
}

std::string ParticleSystem::dof_name(int dof) const
{
  return fmt::format("{} {}", particles_[dof / dimension_].name, axis_names[dof % dimension_]);
}
}  // namespace freefall

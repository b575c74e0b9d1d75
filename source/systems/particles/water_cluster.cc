#include <freefall/constraints/distance_constraint.h>
#include <freefall/core/counter_random.h>
#include <freefall/core/errors.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/water_cluster.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace freefall::water
{
namespace
{
/// Streams of CounterRandom.
constexpr std::uint32_t velocity_stream = 1, orientation_stream = 2;
/// Edge of the lattice of the guess: a little more than the distance of neighbours in water, Angstrom.
constexpr double lattice_constant = 3.1;

/// Atoms relative to the oxygen.
std::array<Eigen::Vector3d, 3> geometry()
{
  const double half = 0.5 * angle * M_PI / 180;
  const Eigen::Vector3d along(0, 0, bond_length * std::cos(half)), across(bond_length * std::sin(half), 0, 0);
  return {Eigen::Vector3d::Zero(), along + across, along - across};
}

/// A rigid molecule.
struct Body
{
  Eigen::Vector3d oxygen;
  Eigen::Quaterniond orientation;
};

std::vector<Body> guess(const Settings &settings)
{
  int edge = 1;
  while (edge * edge * edge < 2 * settings.n_molecules) ++edge;
  std::vector<Eigen::Vector3d> sites;
  const double middle = 0.5 * (edge - 1);
  for (int i = 0; i < edge; ++i)
    for (int j = 0; j < edge; ++j)
      for (int k = 0; k < edge; ++k) sites.push_back(lattice_constant * Eigen::Vector3d(i - middle, j - middle, k - middle));
  std::stable_sort(sites.begin(), sites.end(),
                   [](const auto &a, const auto &b) { return a.squaredNorm() < b.squaredNorm() - 1e-6; });
  const CounterRandom random(settings.seed, orientation_stream);
  std::vector<Body> bodies;
  for (int a = 0; a < settings.n_molecules; ++a)
  {
    const auto normal = [&](int i) { return random.normal(0, 4 * a + i); };
    bodies.push_back({sites[a], Eigen::Quaterniond(normal(0), normal(1), normal(2), normal(3)).normalized()});
  }
  return bodies;
}

Eigen::VectorXd positions(const std::vector<Body> &bodies)
{
  const auto atoms = geometry();
  Eigen::VectorXd q(9 * bodies.size());
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (int i = 0; i < 3; ++i) q.segment<3>(9 * a + 3 * i) = bodies[a].oxygen + bodies[a].orientation * atoms[i];
  return q;
}

std::vector<Particle> particles_at(const Eigen::VectorXd &q)
{
  std::vector<Particle> particles;
  const double charges[] = {-2 * hydrogen_charge, hydrogen_charge, hydrogen_charge};
  for (int a = 0; a < q.size() / 9; ++a)
    for (int i = 0; i < 3; ++i)
      particles.push_back({fmt::format("{}{}{}", i == 0 ? "O" : "H", a + 1, i == 0 ? "" : i == 1 ? "a" : "b"),
                           i == 0 ? oxygen_mass : hydrogen_mass, charges[i], q.segment<3>(9 * a + 3 * i),
                           Eigen::Vector3d::Zero(), a});
  return particles;
}

/// Forces and torques about the oxygens, six numbers a molecule.
Eigen::VectorXd forces(const System &system, const Eigen::VectorXd &q)
{
  Eigen::VectorXd gradient, forces(q.size() / 9 * 6);
  system.gradient(q, gradient);
  for (Eigen::Index a = 0; a < q.size() / 9; ++a)
  {
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
    for (int i = 0; i < 3; ++i)
    {
      const Eigen::Vector3d f = -gradient.segment<3>(9 * a + 3 * i);
      force += f;
      torque += (q.segment<3>(9 * a + 3 * i) - q.segment<3>(9 * a)).cross(f);
    }
    forces.segment<3>(6 * a) = force;
    forces.segment<3>(6 * a + 3) = torque;
  }
  return forces;
}

/// FIRE on oxygens and orientations with unit masses and moments of inertia.
void relax(const System &system, const Settings &settings, std::vector<Body> &bodies)
{
  // The parameters that its authors recommend; steps move a molecule by at most a tenth of an Angstrom.
  constexpr double largest_step = 0.3, largest_move = 0.1;
  double dt = 0.02, mixing = 0.1;
  int n_downhill = 0;
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(6 * bodies.size());
  double residual = 0;
  for (int step = 0; step < settings.max_relaxation_steps; ++step)
  {
    const Eigen::VectorXd force = forces(system, positions(bodies));
    residual = force.cwiseAbs().maxCoeff();
    if (residual < settings.force_tolerance) return;
    if (force.dot(velocity) > 0)
    {
      velocity = (1 - mixing) * velocity + mixing * velocity.norm() / force.norm() * force;
      if (++n_downhill > 5)
      {
        dt = std::min(1.1 * dt, largest_step);
        mixing *= 0.99;
      }
    }
    else
    {
      velocity.setZero();
      dt *= 0.5;
      mixing = 0.1;
      n_downhill = 0;
    }
    velocity += dt * force;
    Eigen::VectorXd move = dt * velocity;
    const double largest = move.cwiseAbs().maxCoeff();
    if (largest > largest_move) move *= largest_move / largest;
    for (std::size_t a = 0; a < bodies.size(); ++a)
    {
      bodies[a].oxygen += move.segment<3>(6 * a);
      const Eigen::Vector3d turn = move.segment<3>(6 * a + 3);
      if (const double turned = turn.norm(); turned > 0)
        bodies[a].orientation = (Eigen::AngleAxisd(turned, turn / turned) * bodies[a].orientation).normalized();
    }
  }
  throw InputError(fmt::format("{} water molecules from the seed {} did not come to rest in {} steps: a force of {:.3g} kcal/mol/Angstrom "
                               "is left. Take another Seed, more Maximum relaxation steps, or a larger Force tolerance.",
                               bodies.size(), settings.seed, settings.max_relaxation_steps, residual));
}

/// Of a rigid cluster in a heat bath, its centre of mass at rest.
void set_velocities(const Settings &settings, std::vector<Particle> &particles)
{
  ParticleSystem system(3, particles);
  auto rigid = std::make_shared<ConstraintSet>();
  add_rigid_geometry(system, *rigid);
  system.set_constraints(rigid);
  const CounterRandom random(settings.seed, velocity_stream);
  State state = system.initial_state();
  for (Eigen::Index dof = 0; dof < state.v.size(); ++dof)
    state.v[dof] = std::sqrt(boltzmann_constant * settings.temperature / system.diagonal_mass()[dof]) *
                   random.normal(0, static_cast<std::uint32_t>(dof));
  MultiplierMatrix matrix;
  matrix.attach(system);
  project_velocities(system, matrix, state.q, state.v);
  double mass = 0;
  for (const Particle &particle : particles) mass += particle.mass;
  const Eigen::Vector3d drift = system.linear_momentum(state) / mass;
  for (std::size_t i = 0; i < particles.size(); ++i) particles[i].velocity = state.v.segment<3>(3 * i) - drift;
}
}  // namespace

std::vector<Particle> make_cluster(const Settings &settings)
{
  std::vector<Body> bodies = guess(settings);
  ParticleSystem system(3, particles_at(positions(bodies)));
  add_potentials(system);
  relax(system, settings, bodies);
  Eigen::VectorXd q = positions(bodies);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < q.size() / 3; ++i) centre += system.particles()[i].mass * q.segment<3>(3 * i);
  centre /= system.diagonal_mass().sum() / 3;
  for (Eigen::Index i = 0; i < q.size() / 3; ++i) q.segment<3>(3 * i) -= centre;
  std::vector<Particle> particles = particles_at(q);
  if (settings.temperature > 0) set_velocities(settings, particles);
  return particles;
}

std::vector<int> oxygens(const ParticleSystem &system)
{
  std::vector<int> numbers;
  for (int i = 0; i < system.n_particles(); i += 3) numbers.push_back(i);
  return numbers;
}

void add_potentials(ParticleSystem &system)
{
  particle_potentials::add_coulomb(system, coulomb_constant);
  const laws::LennardJones law{attraction * attraction / (4 * repulsion), std::pow(repulsion / attraction, 1. / 6)};
  particle_potentials::add_lennard_jones(system, law, oxygens(system));
}

void add_rigid_geometry(const ParticleSystem &system, ConstraintSet &constraints)
{
  const auto atoms = geometry();
  const std::array<int, 2> pairs[] = {{0, 1}, {0, 2}, {1, 2}};
  for (int first = 0; first < system.n_particles(); first += 3)
    for (const auto &[i, j] : pairs)
    {
      std::vector<int> dofs;
      for (const int atom : {i, j})
        for (int axis = 0; axis < 3; ++axis) dofs.push_back(3 * (first + atom) + axis);
      constraints.add(std::make_unique<DistanceConstraint>(DistanceConstraint::between(
        fmt::format("Water '{}-{}'", system.particles()[first + i].name, system.particles()[first + j].name), dofs,
        (atoms[i] - atoms[j]).norm(), DistanceConstraint::Form::half_square)));
    }
}
}  // namespace freefall::water

#pragma once

#include <freefall/potentials/radial_laws.h>
#include <freefall/systems/particles/particle_system.h>

#include <optional>
#include <string>
#include <vector>

/// What acts on particles, as terms added to a system. Each may be added more than once.
namespace freefall::particle_potentials
{
/// Two particles of a bond or three of an angle (the vertex in the middle), by number.
struct Bond
{
  int first, second;
};
struct Angle
{
  int first, vertex, second;
  double stiffness;   ///< energy / rad^2
  double rest_angle;  ///< rad
};

/// Where a pair force ends: energy and force go to zero continuously there (see laws::Truncated).
struct Cutoff
{
  /// With a positive skin, a list of neighbours up to distance + skin is kept; with 0 all pairs are looked at each time.
  Cutoff(double distance, double skin = 0) : distance(distance), skin(skin) {}
  double distance, skin;
};

/// -G m_i m_j / r between all pairs.
void add_newtonian_gravity(ParticleSystem &system, double gravitational_constant);
/// k q_i q_j / r between all pairs of charged particles, but for those of one molecule, as all pair forces below.
void add_coulomb(ParticleSystem &system, double coulomb_constant, std::optional<Cutoff> cutoff = std::nullopt);
/// Between all pairs.
void add_lennard_jones(ParticleSystem &system, const laws::LennardJones &law, std::optional<Cutoff> cutoff = std::nullopt);
/// Between all pairs of these particles.
void add_lennard_jones(ParticleSystem &system, const laws::LennardJones &law, const std::vector<int> &particles);
/// Between all pairs.
void add_morse_pairs(ParticleSystem &system, const laws::Morse &law, std::optional<Cutoff> cutoff = std::nullopt);

/// One law a bond. Bonds are drawn in snapshots.
void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::HarmonicBond> &laws);
void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::QuarticBond> &laws);
void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::Morse> &laws);
/// Throws InputError in one dimension.
void add_angles(ParticleSystem &system, const std::vector<Angle> &angles);

/// -k m_i / |x_i - centre| on every particle: attraction by a fixed body, as in (GSO 65).
void add_central_gravity(ParticleSystem &system, const Eigen::Vector3d &centre, double strength);
/// -m_i g . x_i, booked as external work.
void add_uniform_gravity(ParticleSystem &system, const Eigen::Vector3d &acceleration);
/// V(x, y, z) of every particle, booked as external work. Throws InputError for a formula with a mistake.
void add_external_field(ParticleSystem &system, const std::string &formula);
/// V(q) of every coordinate of a lattice.
void add_on_site(ParticleSystem &system, const std::string &formula);
/// V(d), d = q_(i+1) - q_i, of neighbours in the order of the particles, in one dimension; with `is_ring`, also of the last
/// and the first.
void add_nearest_neighbours(ParticleSystem &system, const std::string &formula, bool is_ring);
}  // namespace freefall::particle_potentials

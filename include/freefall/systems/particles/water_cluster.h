#pragma once

#include <freefall/core/parameters.h>
#include <freefall/systems/particles/particle_system.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace freefall
{
/// Clusters of rigid TIP3P water molecules with a free boundary (Jorgensen et al. 1983; TO 4.3), in kcal/mol, Angstrom and atomic
/// mass units, so that the unit of time is 48.888 fs.
///
///   V = sum over pairs of molecules ( k Q_i Q_j / r_ij over all atoms + A / r_OO^12 - C / r_OO^6 )    (TO 4.2)
namespace water
{
constexpr double bond_length = 0.9572;                  ///< O-H, Angstrom
constexpr double angle = 104.52;                        ///< H-O-H, degrees
constexpr double oxygen_mass = 15.9994, hydrogen_mass = 1.008;
constexpr double hydrogen_charge = 0.417;               ///< e; that of oxygen is minus twice this
constexpr double coulomb_constant = 332.06371;          ///< kcal/mol Angstrom / e^2
constexpr double repulsion = 582000, attraction = 595;  ///< A and C, kcal/mol Angstrom^12 and ^6
constexpr double boltzmann_constant = 0.0019872043;     ///< kcal/mol / K

struct Settings
{
  int n_molecules = 0;
  std::uint64_t seed = 1;          ///< of the initial guess and of the velocities
  double temperature = 0;          ///< of the velocities, K
  double force_tolerance = 1e-6;   ///< largest force and torque about the oxygen of a relaxed molecule, kcal/mol / Angstrom
  int max_relaxation_steps = 5000;
};

/// Three particles a molecule, O, H and H, named O1, H1a, H1b, O2, ...; molecules are numbered from 0.
///
/// Positions: randomly turned molecules on the innermost sites of a cubic lattice, then moved as rigid bodies to a minimum of the
/// energy nearby (FIRE, Bitzek et al. 2006), the centre of mass at 0. Velocities: those of a rigid cluster in a heat bath (normal
/// numbers, projected on the tangent space of the rigid geometry), less the motion of the centre of mass.
/// Throws InputError when the relaxation does not end.
std::vector<Particle> make_cluster(const Settings &settings);

/// Numbers of the oxygens of a system of such particles.
std::vector<int> oxygens(const ParticleSystem &system);
/// Coulomb and Lennard-Jones terms (TO 4.2) between molecules.
void add_potentials(ParticleSystem &system);
/// O-H, O-H and H-H of each molecule, of the form half_square (TO 4.3).
void add_rigid_geometry(const ParticleSystem &system, ConstraintSet &constraints);
}  // namespace water
}  // namespace freefall

#pragma once

#include <freefall/core/window_mean.h>
#include <freefall/potentials/vector_potential.h>
#include <freefall/systems/hamiltonian.h>
#include <freefall/systems/particles/orbital_elements.h>
#include <freefall/systems/particles/transitions.h>
#include <freefall/systems/sampler.h>
#include <freefall/systems/system.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// One point mass with its state at the beginning.
struct Particle
{
  std::string name;
  double mass = 1;
  double charge = 0;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  int molecule = -1;  ///< particles with the same number, from 0 on, have no pair forces among each other; -1: none such
};

/// Which distances are counted during a run (see RadialDistribution).
struct RadialDistributionSettings
{
  std::vector<int> particles;  ///< all pairs of these
  double range = 10;           ///< longest distance
  int n_bins = 100;
  double begin = 0;  ///< time from which on states count
};

/// Point masses in 1, 2 or 3 dimensions with any terms: q[dim * particle + axis].
///
/// Units are the problem's own: whatever mass, length and time the particles are given in; energies follow from them.
///
/// Observes linear_momentum_x, ... and (from two dimensions on) angular_momentum_z or all three components, about the origin;
/// with a Boltzmann constant also the temperature 2 K / (f k_B), f = dim N less fixed coordinates and constraints, whose mean over
/// time is (GSO 71) and measured at the end;
/// of a body that orbits a fixed centre, or of two bodies, the orbital elements.
class ParticleSystem : public System, public Sampler, public HamiltonianSystem
{
public:
  /// Throws InputError for a dimension other than 1, 2 or 3, no particles, a mass that is not positive, a number that is
  /// not finite, coordinates beyond the dimension that are not 0, an empty name or one that occurs twice.
  ParticleSystem(int dimension, std::vector<Particle> particles);

  int dimension() const { return dimension_; }
  const std::vector<Particle> &particles() const { return particles_; }
  int n_particles() const { return static_cast<int>(particles_.size()); }
  /// The number of a particle; throws InputError with the nearest name.
  int index_of(const std::string &name) const;

  void add(std::unique_ptr<LocalTerms> terms) { terms_.push_back(std::move(terms)); }
  /// A line between two particles in snapshots.
  void add_line(int first, int second) { lines_.push_back({first, second}); }
  /// Holds one coordinate of a particle where it is. Its velocity must be 0, else InputError.
  void fix(int particle, int axis);
  /// Constraints besides fixed coordinates. From now on their residuals and multipliers are observed: constraint_residual,
  /// hidden_constraint_residual (largest |g| and |G v|) and multiplier_1, ... (at most 12, else largest_multiplier).
  /// Throws InputError unless they are independent at the initial state, naming those that are not.
  void set_constraints(std::shared_ptr<const ConstraintSet> constraints);
  /// Constraints as stiff terms (TO 1.7); penalty_multiplier_1, ... = omega^2 g are observed, whose means over a short time are
  /// the multipliers (TO 1.8).
  void penalise(std::shared_ptr<const ConstraintSet> constraints, double omega);
  /// The multipliers as the mean of penalty_multiplier_1, ... (of multiplier_1, ..., if the constraints are exact) over the last
  /// stretch of this length: TO (1.8). From now on mean_multiplier_1, ... are observed.
  void average_multipliers(double window);
  /// For a lattice, in one dimension: from now on mean_position and mean_velocity are observed, and how often the first went from
  /// one state to the other is measured. Throws InputError unless lower < upper.
  void observe_transitions(const TransitionLevels &levels);
  /// A magnetic field that acts on the charges: from now on the system is not separable, and canonical_angular_momentum_...,
  /// the moment of p = M v + a(q), is observed. Throws InputError when no particle has
  /// a charge, or when there are no constraints yet: only integrators for these know such fields.
  void set_vector_potential(VectorPotential potential);
  const Hamiltonian *hamiltonian() const override { return hamiltonian_.get(); }
  /// A state for the beginning in place of that of the particles.
  void set_initial_state(const Eigen::VectorXd &q, const Eigen::VectorXd &v);
  /// k_B in the problem's units: from now on the temperature is observed.
  void set_boltzmann_constant(double boltzmann_constant) { boltzmann_constant_ = boltzmann_constant; }

  /// From now on the position and velocity of this particle are observed too, as particle_NAME_position_x and so on.
  void observe_particle(int particle) { observed_.push_back(particle); }
  /// From now on distances are counted, see make_tally().
  void count_distances(const RadialDistributionSettings &settings) { distances_ = settings; }
  /// From now on the orbit is observed, if there are two dimensions or more: of the only particle around a fixed centre that
  /// attracts it with k m / r^2, or of the second of two particles around the first.
  void set_orbit(const OrbitParameters &orbit);

  /// Throws InputError when the initial state is outside the domain of a term: coincident particles of a pair, ...
  void check_initial_state() const;

  double sampling_interval() const override;
  void sample(const State &state) override;
  void archive(Archive &archive) override;
  NamedValues observe(const State &state) const override;
  /// NAME.x, NAME.y, ... and NAME.vx, NAME.vy, ... of each particle.
  NamedValues trajectory(const State &state) const override;
  NamedValues measure(const NumberColumns &history) const override;
  /// The table radial_distribution.
  std::unique_ptr<Tally> make_tally() const override;
  Snapshot snapshot(const State &state, SnapshotGeometry geometry) const override;
  std::string dof_name(int dof) const override;

  /// Coordinates less fixed ones and constraints.
  int n_degrees_of_freedom() const;
  double temperature(const State &state) const;
  Eigen::Vector3d linear_momentum(const State &state) const;
  Eigen::Vector3d angular_momentum(const State &state) const;
  /// A particle's entries of q, v or a gradient as a vector in space.
  Eigen::Vector3d vector_of(const Eigen::VectorXd &values, int particle) const;

private:
  /// Those of constraints, or omega^2 g of penalised ones.
  Eigen::VectorXd multipliers(const State &state) const;

  int dimension_;
  std::vector<Particle> particles_;
  std::vector<std::array<int, 2>> lines_;
  double boltzmann_constant_ = 0;
  std::vector<int> observed_;
  std::optional<OrbitParameters> orbit_;
  std::optional<RadialDistributionSettings> distances_;
  std::shared_ptr<const ConstraintSet> penalised_;
  double penalty_ = 0;  ///< omega
  std::optional<WindowMean> multiplier_mean_;
  std::optional<TransitionLevels> transition_levels_;
  std::unique_ptr<Hamiltonian> hamiltonian_;
};
}  // namespace freefall

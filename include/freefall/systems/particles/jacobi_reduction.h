#pragma once

#include <freefall/systems/particles/particle_system.h>

#include <memory>

namespace freefall
{
/// A particle system without its centre of mass: Jacobi coordinates (GSO 37-43), q'[dim * j + axis].
///
///   q'_j = q_(j+1) - (m_1 q_1 + ... + m_j q_j) / (m_1 + ... + m_j),   1 <= j < N        (37)
///   m'_j = m_(j+1) (m_1 + ... + m_j) / (m_1 + ... + m_(j+1))                            (42)
///   V'(q') = V(pi^-1(q', 0))                                                            (43)
///
/// The mass stays diagonal and every term becomes a term of the Jacobi vectors that it touches. The centre of mass moves on
/// uniformly, so that any integrator of this system keeps linear momentum exactly.
///
/// Requires: two particles or more, no fixed coordinates, and terms that do not change when all particles are moved
/// together; else InputError
/// Guarantees: energies (the kinetic energy of the centre of mass included), observed values and snapshots are those of all
/// particles
class JacobiReduction : public System
{
public:
  explicit JacobiReduction(std::unique_ptr<ParticleSystem> particles);

  const ParticleSystem &particles() const { return *particles_; }

  /// All particles, by (40) and the uniform motion of the centre of mass.
  State reconstruct(const State &reduced) const;
  /// The Jacobi coordinates and velocities of all particles.
  State reduce(const State &whole) const;

  EnergyBalance energy_balance(const State &state) const override;
  NamedValues observe(const State &state) const override { return particles_->observe(reconstruct(state)); }
  NamedValues trajectory(const State &state) const override { return particles_->trajectory(reconstruct(state)); }
  NamedValues measure(const NumberColumns &history) const override { return particles_->measure(history); }
  Snapshot snapshot(const State &state, SnapshotGeometry geometry) const override
  {
    return particles_->snapshot(reconstruct(state), geometry);
  }
  std::string dof_name(int dof) const override;

private:
  /// Row p: the coefficients of (40) for particle p.
  Eigen::MatrixXd particles_from_jacobi() const;
  void check_invariance() const;

  std::unique_ptr<ParticleSystem> particles_;
  Eigen::MatrixXd map_;
  double total_mass_ = 0;
  Eigen::VectorXd centre_, centre_velocity_;  ///< of mass, at the time of the initial state
};
}  // namespace freefall

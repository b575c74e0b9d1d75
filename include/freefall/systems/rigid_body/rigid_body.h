#pragma once

#include <freefall/systems/system.h>

#include <Eigen/Core>

namespace freefall
{
/// The matrix of w x ., and the vector of the skew part of a matrix.
Eigen::Matrix3d hat(const Eigen::Vector3d &w);
Eigen::Vector3d vee(const Eigen::Matrix3d &matrix);

/// A rigid body that turns about a fixed centre, with a dipole in a uniform field (TO 4.5): a motion on SO(3).
///
///   L = 1/2 Omega^T J Omega - V(R),   R' = R hat(Omega),   V = strength (field . R dipole)
///
/// Omega is the angular velocity in the axes of the body, which are its principal axes. The state holds the matrix R in space,
/// q[3 j + i] = R_ij, and v = R'. In these nine coordinates the mass is constant and diagonal: with the second moments
/// d_j = tr J / 2 - J_j of the body, 1/2 Omega^T J Omega = 1/2 sum_ij d_j R'_ij^2. (For J = I, d = 1/2 as in TO 4.10.)
///
/// constrained: R^T R = I is six constraints, for integrators that keep them (RATTLE, Cayley Hamilton-Pontryagin).
/// penalised: they are replaced by an OrthogonalityPenalty, for all the others; Zhang-Skeel is then the linearised variational
/// integrator of TO 4.5, whose truncated action is (1.2) in these coordinates.
///
/// Observes the entries of R (r_11, ...), angular momentum in space, angular velocity in the body, |R^T R - I| (Frobenius norm),
/// and the cosine between dipole and field.
class RigidBody : public System
{
public:
  struct Settings
  {
    Eigen::Vector3d inertia = Eigen::Vector3d::Ones();            ///< principal moments J
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();       ///< R at the start
    Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();   ///< Omega at the start, in the body
    double strength = 0;                                          ///< B mu of V
    Eigen::Vector3d field = Eigen::Vector3d::UnitZ();             ///< in space, a unit vector
    Eigen::Vector3d dipole = Eigen::Vector3d::UnitZ();            ///< in the body, a unit vector
    double penalty = 0;                                           ///< omega; 0: constrained
  };
  /// Throws InputError unless each principal moment is positive and less than the sum of the other two, numbers are finite and
  /// the penalty is not negative.
  explicit RigidBody(const Settings &settings);

  const Eigen::Vector3d &inertia() const { return settings_.inertia; }

  static Eigen::Matrix3d rotation(const State &state);
  /// Omega: the skew part of R^T R' (all of it on SO(3)).
  static Eigen::Vector3d angular_velocity(const State &state);
  /// q and v of R and Omega into a state.
  static void set_state(const Eigen::Matrix3d &rotation, const Eigen::Vector3d &angular_velocity, State &state);
  /// -dV/d(rotation), the torque in the axes of the body.
  Eigen::Vector3d torque(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const;
  /// What a rotation of space keeps where V does not depend on it: sum_j d_j R_j x R'_j.
  Eigen::Vector3d angular_momentum(const State &state) const;

  NamedValues observe(const State &state) const override;
  /// A box with these principal moments, its longest edge 1, and the dipole as a line of length 1.
  Snapshot snapshot(const State &state, SnapshotGeometry geometry) const override;
  std::string dof_name(int dof) const override;

private:
  void add_constraints();
  Eigen::Vector3d second_moments() const;

  Settings settings_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/state.h>

namespace freefall
{
/// What acts on a system beside its potential V(q): supports that move, loads that depend on time or follow the motion,
/// damping.
///
///   M q'' = -dV/dq + f(t, q) - C(q) q'   in the free dofs,   q = Q(t)   in the supported ones
///
/// A system without any of these has no such object, and its integrators pay nothing. Those that cannot treat conditions
/// refuse them (refuse_conditions()).
///
/// The account is T + V - work.supports - work.loads + work.damping (see Work). Loads and supports are booked by integrators,
/// trapezoidal in the displacement (DrivenForces); damping books itself.
///
/// Guarantees: the functions are const and leave no trace.
class Conditions
{
public:
  virtual ~Conditions() = default;

  /// Which of the functions below do anything; constant.
  virtual bool moves_supports() const { return false; }
  virtual bool has_loads() const { return false; }
  virtual bool has_damping() const { return false; }

  /// Sets q and v of the supported dofs that move, which are among System::fixed_dofs(), to Q(time) and Q'(time).
  /// Throws DomainError where Q is not finite.
  virtual void prescribe(double /*time*/, Eigen::VectorXd & /*q*/, Eigen::VectorXd & /*v*/) const {}
  /// Adds f(time, q) to `forces`, in supported dofs too.
  virtual void add_loads(double /*time*/, const Eigen::VectorXd & /*q*/, Eigen::VectorXd & /*forces*/) const {}
  /// The penalty energy of moving obstacles, whose forces are loads: shown as contact energy.
  virtual double obstacle_energy(double /*time*/, const Eigen::VectorXd & /*q*/) const { return 0; }

  /// Moves the velocities by the flow of M v' = -C(q) v over dt >= 0, q and the supported v held, and books it: work.damping
  /// grows by the integral of v.C v, never negative, and work.supports by the part of it that supports feed, so that
  /// T + work.damping - work.supports stays as it is to rounding.
  ///
  /// An integrator of second order stays so, and keeps its account, when half a step of damping comes before and after its own
  /// step (Strang's splitting). The flow is stable for every dt.
  virtual void damp(const Eigen::VectorXd & /*q*/, double /*dt*/, Eigen::VectorXd & /*v*/, Work & /*work*/) const {}
};
}  // namespace freefall

#pragma once

#include <freefall/systems/conditions.h>
#include <freefall/systems/system.h>

namespace freefall
{
/// Forces of a system with Conditions, and the account of what its loads and supports do from one evaluation to the next:
///
///   work of loads     1/2 (f_n + f_n+1) . (q_n+1 - q_n)
///   work of supports  1/2 (r_n + r_n+1) . (q_n+1 - q_n) + T_n+1 - T_n   in supported dofs,   r = dV/dq - f
///
/// the last two terms being the inertia of the supported masses. For explicit Newmark the balance of T is then exact up to the
/// term dt^2/8 a.M a at both ends of the run: T_N - T_0 = [dt^2/8 a.M a]_0^N + trapezoidal work of all forces. What an account
/// misses beyond that comes from V alone (nothing where V is quadratic).
class DrivenForces
{
public:
  /// InputError when supports move and the mass is not diagonal.
  void attach(const System &system);

  /// dV/dq - f at (time, q) into `gradient`, zero in supported dofs. Loads and reactions are kept, those of the call before as
  /// well.
  void evaluate(double time, const Eigen::VectorXd &q, Eigen::VectorXd &gradient);
  /// next.work = work of `now` and what was done between the last two evaluations, which belong to `now` and `next`. Damping
  /// of this step is to be added after it.
  void book(const State &now, const Work &work, State &next) const;

private:
  double support_work(const State &now, const State &next) const;

  const System *system_ = nullptr;
  const Conditions *conditions_ = nullptr;
  Eigen::VectorXd loads_, earlier_loads_;
  Eigen::VectorXd reactions_, earlier_reactions_;  ///< one entry a fixed dof
};
}  // namespace freefall

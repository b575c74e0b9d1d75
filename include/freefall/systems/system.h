#pragma once

#include <freefall/core/named_value.h>
#include <freefall/core/span.h>
#include <freefall/core/state.h>
#include <freefall/potentials/local_terms.h>
#include <freefall/systems/snapshot.h>

#include <memory>
#include <string>
#include <vector>

namespace freefall
{
class ConstraintSet;

/// The largest stable step of an explicit scheme, and what limits it.
struct CriticalStep
{
  double time_step = 0;    ///< 2 / omega_max in s; infinity when nothing is stiff
  std::string limited_by;  ///< "element 17 at (0.1, 0, 0)", "contact node 3 at ... against plane wall"
};

/// A flat obstacle, for pictures.
struct Wall
{
  Eigen::Vector3d point;   ///< m
  Eigen::Vector3d normal;  ///< away from the obstacle
};

/// Energies in J (or the problem's unit of energy). total = kinetic + internal + contact - external_work.
struct EnergyBalance
{
  double kinetic = 0;
  double internal = 0;
  double contact = 0;
  double external_work = 0;
  double total() const { return kinetic + internal + contact - external_work; }
};

/// A Lagrangian system L = 1/2 v^T M v - V(q) whose potential is a sum of local terms.
///
/// An integrator sees this class only. It works on the locally owned entries of q and v; sums over all ranks are the
/// system's business.
///
/// Guarantees: terms(), mass and fixed dofs do not change during a run; the functions are const and leave no trace.
class System
{
public:
  virtual ~System() = default;

  int n_dofs() const { return static_cast<int>(diagonal_mass_.size()); }

  /// The families of local terms whose sum is V.
  const std::vector<std::unique_ptr<LocalTerms>> &terms() const { return terms_; }

  /// V(q), the sum over all terms.
  double potential_energy(const Eigen::VectorXd &q) const;
  /// Part of V(q) booked in one account.
  double potential_energy(const Eigen::VectorXd &q, EnergyAccount account) const;
  /// dV/dq into `gradient` (resized and overwritten); zero in fixed dofs.
  void gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const;

  /// Whether M is diagonal. If not, diagonal_mass() is only its diagonal.
  virtual bool mass_is_diagonal() const { return true; }
  /// Diagonal of M, kg for a solid.
  const Eigen::VectorXd &diagonal_mass() const { return diagonal_mass_; }
  /// M v.
  virtual Eigen::VectorXd apply_mass(const Eigen::VectorXd &v) const;
  /// M^-1 f.
  virtual Eigen::VectorXd solve_mass(const Eigen::VectorXd &f) const;

  /// Dofs held where they are: never moved by an integrator, not coordinates of a force-stepping grid. Sorted.
  Span<const int> fixed_dofs() const { return fixed_dofs_; }

  /// Holonomic constraints g(q) = 0 besides fixed dofs; null when there are none. Only integrators that say so handle them.
  const ConstraintSet *constraints() const { return constraints_.get(); }

  /// Kinetic energy and potential by account. External work is counted from the initial state.
  virtual EnergyBalance energy_balance(const State &state) const;
  /// Momenta and whatever else the problem shows over time, in the order of the columns of history.csv.
  virtual NamedValues observe(const State &state) const;
  /// The state as a grid with fields for ParaView. The default draws nothing.
  virtual Snapshot snapshot(const State &state, SnapshotGeometry geometry) const;
  /// The critical step of explicit Newmark at q, contact counted as closed. The default is exact and dense: O(n^3), meant for
  /// small systems.
  virtual CriticalStep critical_step(const Eigen::VectorXd &q) const;
  /// The state at which the run begins.
  const State &initial_state() const { return initial_state_; }

  /// "node 12 y at (0.1, 0, 0.05)": for messages about one dof.
  virtual std::string dof_name(int dof) const;

  /// Obstacles that a picture of the system should show.
  virtual std::vector<Wall> walls() const { return {}; }
  /// What a user should know about this system although it is valid; printed and kept in summary.json.
  virtual std::vector<std::string> warnings() const { return {}; }

protected:
  std::vector<std::unique_ptr<LocalTerms>> terms_;
  Eigen::VectorXd diagonal_mass_;
  std::vector<int> fixed_dofs_;
  std::shared_ptr<const ConstraintSet> constraints_;
  State initial_state_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/named_value.h>
#include <freefall/core/number_columns.h>
#include <freefall/core/ranks.h>
#include <freefall/core/span.h>
#include <freefall/core/state.h>
#include <freefall/potentials/local_terms.h>
#include <freefall/systems/shared_dofs.h>
#include <freefall/systems/snapshot.h>

#include <memory>
#include <string>
#include <vector>

namespace freefall
{
class ConstraintSet;
class Multigrid;
class Tally;

/// The largest stable step of an explicit scheme, and what limits it.
struct CriticalStep
{
  double time_step = 0;    ///< 2 / omega_max in s; infinity when nothing is stiff
  std::string limited_by;  ///< "element 17 at (0.1, 0, 0)", "contact node 3 at ... against plane wall"
};

/// A flat or round obstacle, for pictures.
struct Wall
{
  Eigen::Vector3d point;   ///< of the plane, or of the centre or axis of a round one, m
  Eigen::Vector3d normal;  ///< of the plane, away from the obstacle; the axis of a cylinder; zero for a sphere
  double radius = 0;       ///< m; 0 for a plane
};

class Conditions;

/// Energies in J (or the problem's unit of energy). total = kinetic + internal + contact - external_work + damping_loss.
struct EnergyBalance
{
  double kinetic = 0;
  double internal = 0;
  double contact = 0;
  double external_work = 0;
  double damping_loss = 0;
  double total() const { return kinetic + internal + contact - external_work + damping_loss; }
};

/// A Lagrangian system L = 1/2 v^T M v - V(q) whose potential is a sum of local terms.
///
/// An integrator sees this class only. A system may be distributed over the ranks of mpirun: q and v then hold the dofs of this
/// rank's part, those on its border included (SharedDofs); gradients, energies and whatever is observed are those of the whole
/// system, the functions that give them are collective, and what one of them throws it throws on all ranks. So an integrator
/// that moves each dof by its own force needs to know nothing about ranks.
///
/// Guarantees: terms(), mass and fixed dofs do not change during a run; the functions are const and leave no trace.
class System
{
public:
  virtual ~System() = default;

  int n_dofs() const { return static_cast<int>(diagonal_mass_.size()); }

  /// Whether this process holds only a part of the system.
  bool is_distributed() const { return shared_dofs_ != nullptr; }
  /// Dofs of the whole system. Collective.
  int n_global_dofs() const { return shared_dofs_ ? shared_dofs_->n_global_dofs() : n_dofs(); }
  /// Whether sums over dofs count this one on this rank.
  bool is_owned(int dof) const { return !shared_dofs_ || shared_dofs_->is_owned(dof); }
  /// The number of a dof in the whole system, which does not depend on the ranks.
  virtual int global_dof(int dof) const { return dof; }
  /// a.b over the dofs of the whole system. Collective.
  double dot(const Eigen::VectorXd &a, const Eigen::VectorXd &b) const;
  /// The largest |entry| over the whole system. Collective.
  double largest(const Eigen::VectorXd &values) const;
  /// Adds what the other ranks that hold a dof have in it: makes the sum over all terms of a sum over this rank's. Collective.
  void add_other_ranks(Eigen::VectorXd &values) const;
  /// Calls `work`; what it throws on one rank of a distributed system is thrown on all. Collective.
  template <typename Work>
  void together(const Work &work) const
  {
    if (shared_dofs_)
      ranks::together(work);
    else
      work();
  }

  /// The families of local terms whose sum is V.
  const std::vector<std::unique_ptr<LocalTerms>> &terms() const { return terms_; }

  /// V(q), the sum over all terms.
  double potential_energy(const Eigen::VectorXd &q) const;
  /// Part of V(q) booked in one account.
  double potential_energy(const Eigen::VectorXd &q, EnergyAccount account) const;
  /// dV/dq into `gradient` (resized and overwritten); zero in fixed dofs.
  void gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const;
  /// The same without the zeros: what supports have to carry.
  void gradient_with_reactions(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const;

  /// What acts beside the potential; null when there is nothing of the kind.
  virtual const Conditions *conditions() const { return nullptr; }

  /// The contraction a.V'''.a at q, a = direction, into `contraction` (resized and overwritten); zero in fixed dofs.
  void third_derivative(const Eigen::VectorXd &q, const Eigen::VectorXd &direction, Eigen::VectorXd &contraction) const;

  /// Whether M is diagonal. If not, diagonal_mass() is only its diagonal.
  virtual bool mass_is_diagonal() const { return true; }
  /// Diagonal of M, kg for a solid.
  const Eigen::VectorXd &diagonal_mass() const { return diagonal_mass_; }
  /// M v.
  virtual Eigen::VectorXd apply_mass(const Eigen::VectorXd &v) const;
  /// M^-1 f.
  virtual Eigen::VectorXd solve_mass(const Eigen::VectorXd &f) const;

  /// An algebraic multigrid preconditioner for M + c Hess V(q), for systems that have one (see ShiftedSolver); else nothing.
  virtual std::unique_ptr<Multigrid> make_multigrid() const;

  /// Supported dofs: held where they are, or moved by conditions(), but never by forces; not coordinates of a force-stepping
  /// grid. Sorted.
  Span<const int> fixed_dofs() const { return fixed_dofs_; }

  /// Holonomic constraints g(q) = 0 besides fixed dofs; null when there are none. Only integrators that say so handle them.
  const ConstraintSet *constraints() const { return constraints_.get(); }

  /// Kinetic energy, potential by account, and the work in the state. External work is counted from the initial state.
  virtual EnergyBalance energy_balance(const State &state) const;
  /// Momenta and whatever else the problem shows over time, in the order of the columns of history.csv.
  virtual NamedValues observe(const State &state) const;
  /// Where each particle is and how fast it moves: the columns of trajectory.csv after the time. The default has none.
  virtual NamedValues trajectory(const State &state) const;
  /// What the rows of history.csv tell at the end of a run, such as a mean temperature or a period: for summary.json.
  virtual NamedValues measure(const NumberColumns &history) const;
  /// What gathers statistics along a run; null when the problem has none.
  virtual std::unique_ptr<Tally> make_tally() const;
  /// The state as a grid with fields for ParaView. The default draws nothing.
  virtual Snapshot snapshot(const State &state, SnapshotGeometry geometry) const;
  /// The critical step of explicit Newmark at q, contact counted as closed. The default is exact and dense: O(n^3), meant for
  /// small systems.
  virtual CriticalStep critical_step(const Eigen::VectorXd &q) const;
  /// The state at which the run begins.
  const State &initial_state() const { return initial_state_; }

  /// "node 12 y at (0.1, 0, 0.05)": for messages about one dof.
  virtual std::string dof_name(int dof) const;

  /// Saves or loads what a system accumulates during a run (work accounts). The default, nothing, is right for a system that
  /// keeps the guarantee above.
  virtual void archive(Archive &) {}

  /// Obstacles that a picture of the system should show.
  virtual std::vector<Wall> walls() const { return {}; }
  /// Quantities, none negative, whose largest value of a run belongs in summary.json. Looked at as often as the energy.
  virtual NamedValues watched(const State &) const { return {}; }
  /// Further numbers of the system for summary.json.
  virtual NamedValues summary() const { return {}; }
  /// What a user should know about this system although it is valid; printed and kept in summary.json.
  virtual std::vector<std::string> warnings() const { return {}; }

protected:
  std::vector<std::unique_ptr<LocalTerms>> terms_;
  Eigen::VectorXd diagonal_mass_;
  std::vector<int> fixed_dofs_;
  std::shared_ptr<const ConstraintSet> constraints_;
  State initial_state_;
  std::unique_ptr<SharedDofs> shared_dofs_;  ///< of a distributed system
};
}  // namespace freefall

#pragma once

#include <freefall/systems/system.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace freefall
{
/// Constraints that fall apart into many small independent clusters, solved a batch of clusters at a time in closed form.
///
/// A cluster is a rod (one fixed distance), a hinge (two with a point in common) or a triangle (three points and all their
/// distances: a rigid water molecule), of points in two or three dimensions that no other constraint moves, with distances in
/// the form `half_square`. In each step of Newton's iteration its equations are solved by cofactors,
///
///   A x = g(q),   A_ce = S_ce d_c(q) . d_e(q_0),   S_ce = the inverse masses of the points that c and e share, signed,
///
/// d_c being the separation of the ends of c, which stands for the gradient of the constraint.
///
/// Gradients and impulses have an order of their own, one batch of clusters after another; in_order() translates impulses.
class ConstraintClusters
{
public:
  /// Clusters of one shape.
  class Group
  {
  public:
    virtual ~Group() = default;
    virtual int gradients_size() const = 0;
    virtual int impulses_size() const = 0;
    virtual void gradients(const double *q, double *gradients) const = 0;
    virtual int solve_positions(const double *start, double *q, double *impulse, double *end) const = 0;
    virtual void solve_velocities(const double *at, double *v, double *impulse) const = 0;
    virtual void kick(const double *at, const double *impulse, double factor, double *v) const = 0;
    virtual void in_order(const double *impulse, double *ordered) const = 0;
  };

  /// Null unless all constraints of the system belong to such clusters. The system outlives the object.
  static std::unique_ptr<ConstraintClusters> find(const System &system);
  ConstraintClusters(std::vector<std::unique_ptr<Group>> groups, int n_constraints);

  /// More steps of Newton's iteration than this do not help.
  static constexpr int max_iterations = 50;
  int impulses_size() const { return impulses_size_; }

  /// d at q.
  void gradients(const Eigen::VectorXd &q, Eigen::VectorXd &gradients) const;
  /// Moves q by -M^-1 G_0^T impulse to g(q) = 0, to rounding, and sets `end` to the gradients there. Returns the largest number
  /// of iterations of a cluster, 0 when one did not converge.
  int solve_positions(const Eigen::VectorXd &start, Eigen::VectorXd &q, Eigen::VectorXd &impulse, Eigen::VectorXd &end) const;
  /// v -= M^-1 G^T impulse so that G v = 0.
  void solve_velocities(const Eigen::VectorXd &at, Eigen::VectorXd &v, Eigen::VectorXd &impulse) const;
  /// v -= factor M^-1 G^T impulse.
  void kick(const Eigen::VectorXd &at, const Eigen::VectorXd &impulse, double factor, Eigen::VectorXd &v) const;
  /// Impulses in the order of the constraints.
  Eigen::VectorXd in_order(const Eigen::VectorXd &impulse) const;

private:
  std::vector<std::unique_ptr<Group>> groups_;
  int gradients_size_ = 0, impulses_size_ = 0, n_constraints_ = 0;
};
}  // namespace freefall

#pragma once

#include <freefall/core/archive.h>
#include <freefall/systems/constraint_clusters.h>
#include <freefall/systems/multiplier_matrix.h>

#include <Eigen/Core>
#include <cstdint>
#include <memory>

namespace freefall
{
/// The two solves of schemes for g(q) = 0: positions to the manifold, velocities to its tangent space, along M^-1 G^T.
///
/// Independent small clusters of distances are found and solved batchwise (ConstraintClusters); any other set of constraints by
/// simplified Newton iterations with a MultiplierMatrix. The results agree to rounding.
///
/// Gradients (G at some q) and impulses (multipliers times a power of dt) are vectors in an order that only this object knows.
class ConstraintSolver
{
public:
  enum class Method
  {
    automatic,
    general  ///< never by clusters
  };
  explicit ConstraintSolver(Method method = Method::automatic) : method_(method) {}

  /// The system has constraints and outlives this object.
  void attach(const System &system);
  bool uses_clusters() const { return clusters_ != nullptr; }
  /// M^-1, zero in fixed dofs.
  const Eigen::VectorXd &inverse_mass() const { return matrix_.inverse_mass(); }

  /// G at q.
  void gradients(const Eigen::VectorXd &q, Eigen::VectorXd &gradients) const;
  /// Moves q to g(q) = 0, to rounding: q -= M^-1 G_0^T impulse, G_0 = start. `end` becomes G at the new q.
  /// Throws StepFailed naming the constraint that is not met.
  void solve_positions(const Eigen::VectorXd &start, Eigen::VectorXd &q, Eigen::VectorXd &impulse, Eigen::VectorXd &end);
  /// v -= M^-1 G^T impulse so that G v = 0, where G = `at`: the projection that is orthogonal in the metric of the masses.
  void solve_velocities(const Eigen::VectorXd &at, Eigen::VectorXd &v, Eigen::VectorXd &impulse);
  /// v -= factor M^-1 G^T impulse, G = `at`.
  void kick(const Eigen::VectorXd &at, const Eigen::VectorXd &impulse, double factor, Eigen::VectorXd &v);
  /// Impulses in the order of the constraints.
  Eigen::VectorXd in_order(const Eigen::VectorXd &impulse) const;

  int impulse_size() const { return clusters_ ? clusters_->impulses_size() : constraints_->size(); }

  struct Counts
  {
    std::int64_t n_evaluations = 0;     ///< of g, each in one iteration; of the cluster that takes most of them
    std::int64_t n_factorisations = 0;  ///< of all constraints together
    std::int64_t n_solves = 0;          ///< with these factors
  };
  const Counts &counts() const { return counts_; }
  /// Saves or loads the counts: the factors are made anew in every step.
  void archive(Archive &archive);

private:
  void solve_generally(const Eigen::VectorXd &start, Eigen::VectorXd &q, Eigen::VectorXd &impulse, Eigen::VectorXd &end);
  void factorise(const Eigen::VectorXd &left, const Eigen::VectorXd &right);
  void solve_with_matrix(Eigen::VectorXd &b);
  [[noreturn]] void fail(const Eigen::VectorXd &q, int n_iterations);

  Method method_;
  const ConstraintSet *constraints_ = nullptr;
  std::unique_ptr<ConstraintClusters> clusters_;
  MultiplierMatrix matrix_;
  Eigen::VectorXd values_, step_;
  Counts counts_;
};
}  // namespace freefall

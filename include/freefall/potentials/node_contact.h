#pragma once

#include <freefall/potentials/local_terms.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// Penalty contact of nodes with one rigid obstacle: each node is one term of three dofs whose energy depends on its distance
/// to the surface of the obstacle and vanishes outside.
class NodeContact : public LocalTerms
{
public:
  explicit NodeContact(const std::vector<int> &nodes);

  int node(int term) const { return dofs_[3 * term] / 3; }

  /// From the surface to the point x in m, negative inside the obstacle.
  virtual double distance(const double *x) const = 0;
  /// Unit vector from the surface to the free space, at the point of the surface nearest to x.
  virtual Eigen::Vector3d normal(const double *x) const = 0;
  /// The largest eigenvalue that the Hessian of a term can have, N/m.
  virtual double largest_stiffness() const = 0;

  EnergyAccount account() const override { return EnergyAccount::contact; }
  int n_terms() const override { return static_cast<int>(dofs_.size() / 3); }
  int dofs_per_term() const override { return 3; }
  Span<const int> dofs(int term) const override { return {dofs_.data() + 3 * term, 3}; }

protected:
  /// The part of a gap that costs energy.
  static double depth(double gap) { return gap < 0 ? gap : 0.; }
  /// a^2 - b^2 without cancellation.
  static double difference_of_squares(double a, double b) { return (a - b) * (a + b); }

  std::vector<int> dofs_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/formula.h>
#include <freefall/potentials/node_contact.h>

#include <Eigen/Core>
#include <memory>
#include <string>

namespace freefall
{
/// A rigid obstacle that is shifted by three formulas of t from where its contact terms have it: V(x - shift(t)).
class MovingObstacle
{
public:
  /// `motion`: three formulas of t, m. InputError when it is none.
  MovingObstacle(std::unique_ptr<NodeContact> contact, const std::string &motion);

  const NodeContact &contact() const { return *contact_; }
  /// DomainError where a formula is not finite.
  Eigen::Vector3d shift(double time) const;

  void add_forces(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const;
  double energy(double time, const Eigen::VectorXd &q) const;

private:
  std::unique_ptr<NodeContact> contact_;
  Formula motion_;
};
}  // namespace freefall

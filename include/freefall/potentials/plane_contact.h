#pragma once

#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/node_contact.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace freefall
{
/// A rigid half space {x : (x - point) . normal < 0} that nodes may not enter.
struct RigidPlane
{
  std::string name;                                   ///< for messages: "wall"
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< O, m
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();  ///< n, pointing away from the obstacle, used at the length it has
  double stiffness = 0;                               ///< 1/epsilon, N/m
};

/// Penalty contact of nodes with a rigid plane, GSO (76)-(77): each node is one term of three dofs,
///
///   V_a = stiffness/2 min(g, 0)^2,   g = (x_a - point) . normal.
///
/// The normal enters as it is: with |n| = sqrt(2), as in the paper's example, g is sqrt(2) times the distance and the wall is
/// twice as stiff. Whoever wants distances normalises it first.
///
/// Guarantees: no term ever fails. At g = 0 the contact is open.
class PlaneContact : public NodeContact, public TermsWithDiscreteGradient
{
public:
  PlaneContact(const RigidPlane &plane, const std::vector<int> &nodes);

  const RigidPlane &plane() const { return plane_; }
  /// g, negative inside the obstacle.
  double gap(const double *x) const;
  double distance(const double *x) const override { return gap(x) / plane_.normal.norm(); }
  Eigen::Vector3d normal(const double *) const override { return plane_.normal.normalized(); }
  double largest_stiffness() const override { return plane_.stiffness * plane_.normal.squaredNorm(); }

  std::string kind() const override { return "contact node of plane " + plane_.name; }
  double value(int term, const double *x) const override;
  void gradient(int term, const double *x, double *gradient) const override;
  void hessian(int term, const double *x, double *hessian) const override;
  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override;
  /// (V(g1) - V(g0)) / (g1 - g0) n.
  void discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const override;
  double difference(int term, const double *x, int a, double s) const override;
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;

private:
  RigidPlane plane_;
};
}  // namespace freefall

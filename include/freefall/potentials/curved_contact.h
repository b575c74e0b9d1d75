#pragma once

#include <freefall/potentials/node_contact.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace freefall
{
/// A rigid sphere or infinite cylinder that nodes may not enter, or a hollow one that they may not leave.
struct RigidRound
{
  std::string name;                                  ///< for messages: "pipe"
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of the sphere, or any point of the axis, m
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();    ///< of the cylinder, of length 1; zero makes a sphere
  double radius = 1;                                 ///< R, m
  bool is_hollow = false;                            ///< bodies are inside
  double stiffness = 0;                              ///< 1/epsilon, N/m

  bool is_sphere() const { return axis.isZero(0); }
};

/// Penalty contact of nodes with a sphere or a cylinder, GSO (76) with a curved surface: each node is one term of three dofs,
///
///   V_a = stiffness/2 min(g, 0)^2,   g = r - R, or R - r for a hollow one,   r = |u|,   u = P (x_a - centre),
///
/// P = 1 for a sphere and 1 - axis axis^T for a cylinder. Inside the obstacle, with n = u/r,
///
///   dV = stiffness (r - R) n,   d2V = stiffness (P - R/r (P - n n^T)):
///
/// eigenvalues 1 and 1 - R/r, which is negative in a solid obstacle: the stiffness of a contact is never above `stiffness`.
///
/// Guarantees: differences are accurate to a few roundings of stiffness * step * depth (times the second step for mixed ones)
/// plus what the rounding of the coordinates makes of the depth. At g = 0 the contact is open.
/// Throws: DomainError at the centre of a solid obstacle, where there is no direction out; InputError from the constructor for
/// a radius or stiffness that is not positive and an axis that is not of length 1 or 0.
class CurvedContact : public NodeContact
{
public:
  CurvedContact(const RigidRound &obstacle, const std::vector<int> &nodes);

  const RigidRound &obstacle() const { return obstacle_; }
  double distance(const double *x) const override { return gap(radius(offset(x))); }
  Eigen::Vector3d normal(const double *x) const override;
  double largest_stiffness() const override { return obstacle_.stiffness; }

  std::string kind() const override;
  double value(int term, const double *x) const override;
  void gradient(int term, const double *x, double *gradient) const override;
  void hessian(int term, const double *x, double *hessian) const override;
  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override;
  double difference(int term, const double *x, int a, double s) const override;
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;

private:
  /// u.
  Eigen::Vector3d offset(const double *x) const;
  static double radius(const Eigen::Vector3d &u) { return u.norm(); }
  double gap(double r) const { return obstacle_.is_hollow ? obstacle_.radius - r : r - obstacle_.radius; }
  /// DomainError when r is 0 inside a solid obstacle.
  void check(int term, double r) const;
  /// The change of r when x moves by s along axis a, from u and r.
  double radius_change(const Eigen::Vector3d &u, double r, int a, double s) const;

  RigidRound obstacle_;
  Eigen::Matrix3d projection_;  ///< P
};
}  // namespace freefall

#pragma once

#include <freefall/constraints/constraint.h>

#include <array>

namespace freefall
{
/// A fixed length of d = x_2 - x_1 (two points) or d = x - centre (one point), with u = |d|^2:
///
///   half_square:  g = (u - L^2) / 2     (S 41)      Dg = (d0 + d1) / 2
///   square:       g = u - L^2           (TO 4.1)    Dg = d0 + d1
///   length:       g = sqrt(u) - L       (G99 29)    Dg = (d0 + d1) / (sqrt(u0) + sqrt(u1))
///
/// The motion is the same on the manifold; multipliers differ by the factors L and 2, and so do formulations off it.
/// The discrete gradient gives no net force and no net torque about the midpoints: it is equivariant (G99 17).
/// Throws: InputError unless L > 0; DomainError for coincident points in the form `length`
class DistanceConstraint final : public Constraint
{
public:
  enum class Form
  {
    half_square,
    square,
    length
  };
  /// `dofs`: those of the first point, then those of the second.
  static DistanceConstraint between(std::string name, std::vector<int> dofs, double length, Form form);
  static DistanceConstraint from_point(std::string name,
                                       std::vector<int> dofs,
                                       const std::vector<double> &centre,
                                       double length,
                                       Form form);

  double length() const { return length_; }
  Form form() const { return form_; }
  int dimension() const { return dim_; }
  /// Whether it joins two points; else one point and a fixed centre.
  bool has_two_points() const { return n_dofs() > dim_; }
  const std::array<double, 3> &centre() const { return centre_; }

  double value(const double *x) const override;
  void gradient(const double *x, double *gradient) const override;
  void hessian(const double *x, double *hessian) const override;
  void third_derivative(const double *x, const double *direction, double *contraction) const override;
  double difference(const double *x, int a, double s) const override;
  double mixed_difference(const double *x, int a, double s, int b, double r) const override;
  void discrete_gradient(const double *x0, const double *x1, double *gradient) const override;

private:
  using Vector = std::array<double, 3>;
  DistanceConstraint(
    std::string name, std::vector<int> dofs, int dim, const Vector &centre, double length, Form form);

  /// d of points or of directions (without the centre).
  Vector separation(const double *x, bool is_direction) const;
  double squared(const Vector &d) const;
  /// k of g = k (u - L^2).
  double factor_of_square() const;
  /// sqrt(u), checked.
  double root(double u) const;
  /// A vector in the space of d as one of dofs.
  void spread(const Vector &d, double factor, double *result) const;
  template <typename T>
  T evaluate(const T *x) const;

  int dim_;
  Vector centre_;
  double length_;
  Form form_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/span.h>

#include <string>
#include <utility>
#include <vector>

namespace freefall
{
/// One holonomic constraint g(x) = 0 on the few entries x of q that it touches.
///
/// Contract
/// 1. dofs() is constant, has no repeated entry and at most max_dofs entries.
/// 2. The functions take x, the values of q in the order of dofs(), have no side effects and do not allocate.
/// 3. Outside its domain a constraint throws DomainError with a text that names it.
/// 4. difference() and mixed_difference() are accurate relative to their own size.
/// 5. discrete_gradient() has Dg . (x1 - x0) = g(x1) - g(x0), Dg(x, x) = grad g(x), Dg(x0, x1) = Dg(x1, x0) (G99 15, 16), by a
///    closed quotient: nothing is divided by a difference that may vanish.
class Constraint
{
public:
  static constexpr int max_dofs = 6;

  virtual ~Constraint() = default;

  /// "Distance 'rod 3'".
  const std::string &name() const { return name_; }
  Span<const int> dofs() const { return dofs_; }
  int n_dofs() const { return static_cast<int>(dofs_.size()); }

  /// g(x).
  virtual double value(const double *x) const = 0;
  /// dg/dx_a (overwritten).
  virtual void gradient(const double *x, double *gradient) const = 0;
  /// d2g/dx_a dx_b into hessian[a * n + b] (overwritten).
  virtual void hessian(const double *x, double *hessian) const = 0;
  /// sum_bc d3g/dx_a dx_b dx_c direction_b direction_c (overwritten).
  virtual void third_derivative(const double *x, const double *direction, double *contraction) const = 0;
  /// g(x + s e_a) - g(x).
  virtual double difference(const double *x, int a, double s) const = 0;
  /// g(x + s e_a + r e_b) - g(x + s e_a) - g(x + r e_b) + g(x), a != b.
  virtual double mixed_difference(const double *x, int a, double s, int b, double r) const = 0;
  virtual void discrete_gradient(const double *x0, const double *x1, double *gradient) const = 0;

protected:
  Constraint(std::string name, std::vector<int> dofs) : name_(std::move(name)), dofs_(std::move(dofs)) {}

private:
  std::string name_;
  std::vector<int> dofs_;
};
}  // namespace freefall

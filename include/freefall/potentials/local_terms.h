#pragma once

#include <freefall/core/span.h>

#include <Eigen/Core>
#include <string>

namespace freefall
{
/// Where a potential's energy is booked in the energy account.
enum class EnergyAccount
{
  internal,  ///< strain, bonds, pairs: column `potential_energy`
  contact,   ///< column `contact_energy`
  external   ///< given forces such as gravity: minus their energy, counted from the start, is `external_work`
};

/// A family of local terms of one kind: V(q) = sum_e V_e(x_e), x_e the few entries of q that term e touches.
///
/// A potential is a list of such families. A hyperelastic element, a contact node, a bond, a penalised constraint are terms.
/// From the functions of one term, everything follows: energy, gradient, sparse Hessian, the contraction a.V'''.a of
/// Zhang-Skeel, and the differences that event-driven force-stepping lives on.
///
/// Contract
/// 1. dofs(e) is constant for the life of the object, has no repeated entry, and has the same length for every e
///    (dofs_per_term()).
/// 2. The functions of one term take x, the dofs_per_term() values of q in the order of dofs(e), and must be callable from
///    any thread at once (they have no side effects and do not allocate).
/// 3. Outside its domain a term throws DomainError with a text that names the term, its place and the offending value.
/// 4. difference() and mixed_difference() are accurate relative to their own size, not to the size of V: they never
///    subtract two large energies.
/// 5. A term whose energy is only piecewise smooth (contact) uses the derivative from the active side at the kink.
class LocalTerms
{
public:
  virtual ~LocalTerms() = default;

  /// For messages: "element", "contact node of plane wall", "bond".
  virtual std::string kind() const = 0;
  virtual EnergyAccount account() const { return EnergyAccount::internal; }
  /// Whether every Hessian is zero, so that the terms have no place in a matrix.
  virtual bool is_linear() const { return false; }

  virtual int n_terms() const = 0;
  virtual int dofs_per_term() const = 0;
  virtual Span<const int> dofs(int term) const = 0;

  /// V_e(x).
  virtual double value(int term, const double *x) const = 0;
  /// dV_e/dx_a into gradient[a] (overwritten).
  virtual void gradient(int term, const double *x, double *gradient) const = 0;
  /// d2V_e/dx_a dx_b into hessian[a * n + b] (overwritten), n = dofs_per_term().
  virtual void hessian(int term, const double *x, double *hessian) const = 0;
  /// sum_bc d3V_e/dx_a dx_b dx_c direction_b direction_c into contraction[a] (overwritten).
  virtual void third_derivative(int term, const double *x, const double *direction, double *contraction) const = 0;

  /// V_e(x + s e_a) - V_e(x).
  virtual double difference(int term, const double *x, int a, double s) const = 0;
  /// V_e(x + s e_a + r e_b) - V_e(x + s e_a) - V_e(x + r e_b) + V_e(x), a != b.
  virtual double mixed_difference(int term, const double *x, int a, double s, int b, double r) const = 0;

  /// Sum over `count` terms of difference() along local dof a[i] by s of each term: the force on one dof of a grid.
  /// x holds the terms' values one after another: x[i * dofs_per_term() + local dof].
  /// Families with a fast path (SIMD) override it; it equals the sum of the single calls up to rounding.
  virtual double sum_of_differences(int count, const int *terms, const double *x, const int *a, double s) const;
  /// The same for mixed_difference() along the local dofs a[i] by s and b[i] by r.
  virtual double sum_of_mixed_differences(int count,
                                          const int *terms,
                                          const double *x,
                                          const int *a,
                                          double s,
                                          const int *b,
                                          double r) const;

  /// Hessians at the global q of the `count` terms from `first` on, one after another as hessian() gives them, into `hessians`
  /// (overwritten). Families with a fast path (SIMD) override it.
  virtual void hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const;

  /// Sum of all terms at the global q.
  virtual double energy(const Eigen::VectorXd &q) const;
  /// Adds the gradient of the sum of all terms at the global q to `gradient`.
  virtual void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const;
  /// Adds the contraction a.V'''.a of the sum of all terms at the global q, a = direction, to `contraction`.
  virtual void add_third_derivative(const Eigen::VectorXd &q,
                                    const Eigen::VectorXd &direction,
                                    Eigen::VectorXd &contraction) const;
};
}  // namespace freefall

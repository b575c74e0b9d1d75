#pragma once

#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/local_terms.h>
#include <freefall/potentials/mappable_terms.h>
#include <freefall/potentials/radial_laws.h>

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace freefall
{
/// Terms that depend on the length of one vector: V_e = w_e phi_e(|d|^2),  d = d0 + sum_k c_k x_k,  x_k points of R^dim.
///
/// Two points with c = (-1, 1) make a pair or a bond, one point with c = 1 and d0 = -centre a central field, and the points of
/// Jacobi coordinates with the c of (GSO 40) a pair of the reduced system. x holds the coordinates of point 0, then of
/// point 1, ...
///
/// Differences along one and two dofs come from increments of u = |d|^2: exact in form, no energies are subtracted.
/// The discrete gradient is LaBudde and Greenspan's (phi(u1) - phi(u0)) / (u1 - u0) (d0 + d1).
template <typename Law, int dim>
class RadialTerms : public LocalTerms, public TermsWithDiscreteGradient, public MappableTerms
{
public:
  struct Term
  {
    std::vector<int> points;           ///< point p holds the dofs dim p ... dim p + dim - 1
    std::vector<double> coefficients;  ///< c, one a point
    double weight = 1;                 ///< w
    std::array<double, dim> offset{};  ///< d0
  };

  /// One law for all terms, or one a term. Every term has the same number of points.
  RadialTerms(std::string kind, std::vector<Law> laws, const std::vector<Term> &terms);

  std::string kind() const override { return kind_; }
  EnergyAccount account() const override { return account_; }
  void set_account(EnergyAccount account) { account_ = account; }
  int n_terms() const override { return static_cast<int>(weights_.size()); }
  int dofs_per_term() const override { return dim * n_points_; }
  Span<const int> dofs(int term) const override
  {
    return {dofs_.data() + static_cast<std::size_t>(term) * dofs_per_term(), static_cast<std::size_t>(dofs_per_term())};
  }

  double value(int term, const double *x) const override;
  void gradient(int term, const double *x, double *gradient) const override;
  void hessian(int term, const double *x, double *hessian) const override;
  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override;
  double difference(int term, const double *x, int a, double s) const override;
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override;
  double sum_of_differences(int count, const int *terms, const double *x, const int *a, double s) const override;
  double sum_of_mixed_differences(
    int count, const int *terms, const double *x, const int *a, double s, const int *b, double r) const override;
  void hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;
  void discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const override;

  /// Radial terms again, with other coefficients.
  std::vector<std::unique_ptr<LocalTerms>> mapped(const Eigen::MatrixXd &points_from_new, int dimension) const override;

  const Law &law(int term) const { return laws_.size() == 1 ? laws_[0] : laws_[term]; }

protected:
  using Vector = Eigen::Matrix<double, dim, 1>;

  Vector distance(int term, const double *x) const;
  /// The second derivatives with respect to d.
  void set_block(int term, const double *x, double (&block)[dim][dim]) const;
  /// Throws DomainError where the law cannot be evaluated at u, for the point x.
  void check(int term, const double *x, double u) const
  {
    if (!(u > 0)) refuse_unless_smooth(term, x, u);
  }
  [[gnu::noinline]] void refuse_unless_smooth(int term, const double *x, double u) const;

  /// u = |d|^2 and what a step along one dof, or along each of two, adds to it.
  struct Change
  {
    double u, du;
  };
  struct MixedChange
  {
    double u, du_a, du_b, cross;
  };
  Change change(int term, const double *x, int a, double s) const;
  MixedChange mixed_change(int term, const double *x, int a, double s, int b, double r) const;

  /// The same for the coordinates of the whole; not inlined, because it is never needed.
  [[gnu::noinline]] void check_at(int term, const double *q, double u) const;
  /// With the number of points known to the compiler, or any number for 0.
  template <int known_n_points>
  void add_gradient_of(const double *q, double *gradient) const;

  const double *coefficients(int term) const { return coefficients_.data() + static_cast<std::size_t>(term) * n_points_; }

  std::string kind_;
  EnergyAccount account_ = EnergyAccount::internal;
  int n_points_;
  std::vector<Law> laws_;
  std::vector<int> dofs_;
  std::vector<double> coefficients_;
  std::vector<double> weights_;
  std::vector<Vector> offsets_;
};
}  // namespace freefall

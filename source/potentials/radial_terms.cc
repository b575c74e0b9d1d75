#include <freefall/core/dual.h>
#include <freefall/core/errors.h>
#include <freefall/core/increment.h>
#include <freefall/potentials/radial_terms.h>

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <stdexcept>

namespace freefall
{
namespace
{
struct Derivatives
{
  double first, second, third;
};

/// phi', phi'', phi''' with respect to u.
template <typename Law>
Derivatives derivatives(const Law &law, double u)
{
  using Second = Dual<Dual<double, 1>, 1>;
  Dual<Second, 1> x(u);
  x.x.x.d[0] = 1;
  x.x.d[0].x = 1;
  x.d[0].x.x = 1;
  const auto phi = law(x);
  return {phi.x.x.d[0], phi.x.d[0].d[0], phi.d[0].d[0].d[0]};
}

template <typename Law>
double slope(const Law &law, double u)
{
  Dual<double, 1> x(u);
  x.d[0] = 1;
  return law(x).d[0];
}
}  // namespace

template <typename Law, int dim>
RadialTerms<Law, dim>::RadialTerms(std::string kind, std::vector<Law> laws, const std::vector<Term> &terms)
  : kind_(std::move(kind)), n_points_(terms.empty() ? 1 : static_cast<int>(terms[0].points.size())), laws_(std::move(laws))
{
  if (laws_.size() != 1 && laws_.size() != terms.size()) throw std::logic_error("one law for all terms or one a term");
  for (const Term &term : terms)
  {
    if (static_cast<int>(term.points.size()) != n_points_ || term.points.size() != term.coefficients.size())
      throw std::logic_error("all radial terms of a family have the same number of points, each with its coefficient");
    for (const int point : term.points)
      for (int axis = 0; axis < dim; ++axis) dofs_.push_back(dim * point + axis);
    coefficients_.insert(coefficients_.end(), term.coefficients.begin(), term.coefficients.end());
    weights_.push_back(term.weight);
    offsets_.push_back(Eigen::Map<const Vector>(term.offset.data()));
  }
}

template <typename Law, int dim>
std::vector<std::unique_ptr<LocalTerms>> RadialTerms<Law, dim>::mapped(const Eigen::MatrixXd &points_from_new, int) const
{
  std::map<std::size_t, std::pair<std::vector<Law>, std::vector<Term>>> by_size;
  for (int term = 0; term < n_terms(); ++term)
  {
    const int origin = dofs(term)[0] / dim;
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(points_from_new.cols());
    for (int k = 0; k < n_points_; ++k)
      row += coefficients(term)[k] * relative_row(points_from_new, dofs(term)[dim * k] / dim, origin);
    Term result;
    result.weight = weights_[term];
    for (int axis = 0; axis < dim; ++axis) result.offset[axis] = offsets_[term][axis];
    for (int k = 0; k < row.size(); ++k)
      if (row[k] != 0)
      {
        result.points.push_back(k);
        result.coefficients.push_back(row[k]);
      }
    auto &[laws, terms] = by_size[result.points.size()];
    laws.push_back(law(term));
    terms.push_back(result);
  }
  std::vector<std::unique_ptr<LocalTerms>> families;
  for (const auto &[size, family] : by_size)
    families.push_back(std::make_unique<RadialTerms<Law, dim>>(kind_, family.first, family.second));
  return families;
}

template <typename Law, int dim>
typename RadialTerms<Law, dim>::Vector RadialTerms<Law, dim>::distance(int term, const double *x) const
{
  Vector d = offsets_[term];
  const double *c = coefficients(term);
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) d[axis] += c[k] * x[dim * k + axis];
  check(term, x, d.squaredNorm());
  return d;
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::check(int term, const double *x, double u) const
{
  if (u > 0 || (u == 0 && laws::is_smooth_at_zero(law(term)))) return;
  std::string points, place;
  for (int k = 0; k < n_points_; ++k) points += fmt::format("{}{}", k ? ", " : "", dofs(term)[dim * k] / dim + 1);
  for (int axis = 0; axis < dim; ++axis) place += fmt::format("{}{}", axis ? ", " : "", x[axis]);
  throw DomainError(fmt::format("{} {} (points {}): distance 0 or not a number at ({})", kind_, term + 1, points, place));
}

template <typename Law, int dim>
double RadialTerms<Law, dim>::value(int term, const double *x) const
{
  return weights_[term] * law(term)(distance(term, x).squaredNorm());
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::gradient(int term, const double *x, double *gradient) const
{
  const Vector d = distance(term, x);
  const double factor = 2 * weights_[term] * slope(law(term), d.squaredNorm());
  const double *c = coefficients(term);
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) gradient[dim * k + axis] = factor * c[k] * d[axis];
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::hessian(int term, const double *x, double *hessian) const
{
  const Vector d = distance(term, x);
  const Derivatives phi = derivatives(law(term), d.squaredNorm());
  const Eigen::Matrix<double, dim, dim> block =
    weights_[term] * (2 * phi.first * Eigen::Matrix<double, dim, dim>::Identity() + 4 * phi.second * d * d.transpose());
  const double *c = coefficients(term);
  const int n = dofs_per_term();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) hessian[a * n + b] = c[a / dim] * c[b / dim] * block(a % dim, b % dim);
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::third_derivative(int term, const double *x, const double *direction, double *contraction) const
{
  const Vector d = distance(term, x);
  const Derivatives phi = derivatives(law(term), d.squaredNorm());
  const double *c = coefficients(term);
  Vector w = Vector::Zero();
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) w[axis] += c[k] * direction[dim * k + axis];
  // With u_w = 2 d.w and u_ww = 2 w.w:  phi''' u_w^2 du + phi'' (u_ww du + 2 u_w du_w),  du = 2 d, du_w = 2 w.
  const double u_w = 2 * d.dot(w), u_ww = 2 * w.squaredNorm();
  const Vector third = weights_[term] * ((phi.third * u_w * u_w + phi.second * u_ww) * 2 * d + 4 * phi.second * u_w * w);
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) contraction[dim * k + axis] = c[k] * third[axis];
}

template <typename Law, int dim>
double RadialTerms<Law, dim>::difference(int term, const double *x, int a, double s) const
{
  const Vector d = distance(term, x);
  const double step = coefficients(term)[a / dim] * s;
  const Increment<double> u(d.squaredNorm(), step * (2 * d[a % dim] + step));
  check(term, x, u.end());
  return weights_[term] * law(term)(u).d;
}

template <typename Law, int dim>
double RadialTerms<Law, dim>::mixed_difference(int term, const double *x, int a, double s, int b, double r) const
{
  const Vector d = distance(term, x);
  const double *c = coefficients(term);
  const double step_a = c[a / dim] * s, step_b = c[b / dim] * r;
  const double change_a = step_a * (2 * d[a % dim] + step_a), change_b = step_b * (2 * d[b % dim] + step_b);
  const double cross = a % dim == b % dim ? 2 * step_a * step_b : 0.;
  const Increment<Increment<double>> u({d.squaredNorm(), change_a}, {change_b, cross});
  check(term, x, std::min({u.x.end(), u.end().x, u.end().end()}));
  return weights_[term] * law(term)(u).d.d;
}

template <typename Law, int dim>
double RadialTerms<Law, dim>::sum_of_differences(int count, const int *terms, const double *x, const int *a, double s) const
{
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += RadialTerms::difference(terms[i], x + i * dim * n_points_, a[i], s);
  return sum;
}

template <typename Law, int dim>
double RadialTerms<Law, dim>::sum_of_mixed_differences(
  int count, const int *terms, const double *x, const int *a, double s, const int *b, double r) const
{
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += RadialTerms::mixed_difference(terms[i], x + i * dim * n_points_, a[i], s, b[i], r);
  return sum;
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  const int n = dim * n_points_;
  for (int term = 0; term < n_terms(); ++term)
  {
    const int *dofs = dofs_.data() + static_cast<std::size_t>(term) * n;
    const double *c = coefficients(term);
    Vector d = offsets_[term];
    for (int k = 0; k < n_points_; ++k) d += c[k] * q.template segment<dim>(dofs[dim * k]);
    const double u = d.squaredNorm();
    if (!(u > 0))
    {
      std::vector<double> x(n);
      for (int a = 0; a < n; ++a) x[a] = q[dofs[a]];
      check(term, x.data(), u);
    }
    const Vector force = 2 * weights_[term] * slope(law(term), u) * d;
    for (int k = 0; k < n_points_; ++k) gradient.template segment<dim>(dofs[dim * k]) += c[k] * force;
  }
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const
{
  const Vector d0 = distance(term, x0), d1 = distance(term, x1);
  const double *c = coefficients(term);
  Vector change = Vector::Zero();
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) change[axis] += c[k] * (x1[dim * k + axis] - x0[dim * k + axis]);
  const Vector sum = 2 * d0 + change;
  const Increment<double> u(d0.squaredNorm(), change.dot(sum));
  const double quotient = u.d == 0 ? slope(law(term), u.x) : law(term)(u).d / u.d;
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) gradient[dim * k + axis] = weights_[term] * c[k] * quotient * (d0 + d1)[axis];
}

template class RadialTerms<laws::HarmonicBond, 1>;
template class RadialTerms<laws::HarmonicBond, 2>;
template class RadialTerms<laws::HarmonicBond, 3>;
template class RadialTerms<laws::QuarticBond, 1>;
template class RadialTerms<laws::QuarticBond, 2>;
template class RadialTerms<laws::QuarticBond, 3>;
template class RadialTerms<laws::Morse, 1>;
template class RadialTerms<laws::Morse, 2>;
template class RadialTerms<laws::Morse, 3>;
template class RadialTerms<laws::LennardJones, 1>;
template class RadialTerms<laws::LennardJones, 2>;
template class RadialTerms<laws::LennardJones, 3>;
template class RadialTerms<laws::InverseDistance, 1>;
template class RadialTerms<laws::InverseDistance, 2>;
template class RadialTerms<laws::InverseDistance, 3>;
template class RadialTerms<laws::Truncated<laws::LennardJones>, 1>;
template class RadialTerms<laws::Truncated<laws::LennardJones>, 2>;
template class RadialTerms<laws::Truncated<laws::LennardJones>, 3>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 1>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 2>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 3>;
}  // namespace freefall

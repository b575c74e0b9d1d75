#include <freefall/core/dual.h>
#include <freefall/core/errors.h>
#include <freefall/core/increment.h>
#include <freefall/core/simd.h>
#include <freefall/potentials/radial_terms.h>

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <stdexcept>
#include <type_traits>

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

/// Laws whose differences are evaluated for several terms at once.
template <typename Law>
constexpr bool has_batched_differences =
  std::is_same<Law, laws::LennardJones>::value || std::is_same<Law, laws::InverseDistance>::value;

/// u = r^2 and its n - 1 changes for a batch of terms. Lanes that are not set have u = 1, no change and no weight.
template <int n>
class BatchArguments
{
public:
  BatchArguments()
  {
    Batch(1.).store_aligned(values_[0]);
    for (int k = 1; k <= n; ++k) Batch(0.).store_aligned(values_[k]);
  }
  void set(int lane, double weight, const std::array<double, n> &arguments)
  {
    for (int k = 0; k < n; ++k) values_[k][lane] = arguments[k];
    values_[n][lane] = weight;
  }
  Batch batch(int k) const { return Batch::load_aligned(values_[k]); }
  double weighted_sum(const Batch &values) const { return xsimd::hadd(values * batch(n)); }

private:
  alignas(64) double values_[n + 1][batch_size];
};
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
    families.push_back(std::make_unique<RadialTerms<Law, dim>>(kind_, laws_.size() == 1 ? laws_ : family.first, family.second));
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
void RadialTerms<Law, dim>::refuse_unless_smooth(int term, const double *x, double u) const
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
  const double factor = 2 * weights_[term] * laws::slope(law(term), d.squaredNorm());
  const double *c = coefficients(term);
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) gradient[dim * k + axis] = factor * c[k] * d[axis];
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::set_block(int term, const double *x, double (&block)[dim][dim]) const
{
  const Vector d = distance(term, x);
  const Derivatives phi = derivatives(law(term), d.squaredNorm());
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      block[i][j] = weights_[term] * ((i == j ? 2 * phi.first : 0) + 4 * phi.second * d[i] * d[j]);
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::hessian(int term, const double *x, double *hessian) const
{
  double block[dim][dim];
  set_block(term, x, block);
  const double *c = coefficients(term);
  const int n = dofs_per_term();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) hessian[a * n + b] = c[a / dim] * c[b / dim] * block[a % dim][b % dim];
}

template <typename Law, int dim>
[[gnu::flatten]] void RadialTerms<Law, dim>::hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const
{
  if (n_points_ != 2) return LocalTerms::hessians(first, count, q, hessians);
  constexpr int n = 2 * dim;
  for (int term = first; term < first + count; ++term, hessians += n * n)
  {
    std::array<double, n> x;
    for (int a = 0; a < n; ++a) x[a] = q[dofs_[static_cast<std::size_t>(term) * n + a]];
    const double *c = coefficients(term);
    double block[dim][dim];
    set_block(term, x.data(), block);
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l)
        for (int i = 0; i < dim; ++i)
          for (int j = 0; j < dim; ++j) hessians[(dim * k + i) * n + dim * l + j] = c[k] * c[l] * block[i][j];
  }
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
typename RadialTerms<Law, dim>::Change RadialTerms<Law, dim>::change(int term, const double *x, int a, double s) const
{
  const Vector d = distance(term, x);
  const double step = coefficients(term)[a / dim] * s;
  const Change change{d.squaredNorm(), step * (2 * d[a % dim] + step)};
  check(term, x, change.u + change.du);
  return change;
}

template <typename Law, int dim>
typename RadialTerms<Law, dim>::MixedChange RadialTerms<Law, dim>::mixed_change(
  int term, const double *x, int a, double s, int b, double r) const
{
  const Vector d = distance(term, x);
  const double *c = coefficients(term);
  const int axis_a = a % dim, axis_b = b % dim;
  const double step_a = c[a / dim] * s, step_b = c[b / dim] * r;
  const MixedChange change{d.squaredNorm(), step_a * (2 * d[axis_a] + step_a), step_b * (2 * d[axis_b] + step_b),
                           axis_a == axis_b ? 2 * step_a * step_b : 0.};
  check(term, x,
        std::min({change.u + change.du_a, change.u + change.du_b, change.u + change.du_a + (change.du_b + change.cross)}));
  return change;
}

template <typename Law, int dim>
[[gnu::flatten]] double RadialTerms<Law, dim>::difference(int term, const double *x, int a, double s) const
{
  const Change c = change(term, x, a, s);
  return weights_[term] * law(term)(Increment<double>(c.u, c.du)).d;
}

template <typename Law, int dim>
[[gnu::flatten]] double RadialTerms<Law, dim>::mixed_difference(
  int term, const double *x, int a, double s, int b, double r) const
{
  const MixedChange c = mixed_change(term, x, a, s, b, r);
  return weights_[term] * law(term)(Increment<Increment<double>>({c.u, c.du_a}, {c.du_b, c.cross})).d.d;
}

template <typename Law, int dim>
[[gnu::flatten]] double RadialTerms<Law, dim>::sum_of_differences(
  int count, const int *terms, const double *x, const int *a, double s) const
{
  const int n = dim * n_points_;
  double sum = 0;
  int i = 0;
  if constexpr (has_batched_differences<Law>)
    for (; laws_.size() == 1 && i + 1 < count; i += batch_size)
    {
      BatchArguments<2> arguments;
      for (int lane = 0; lane < batch_size && i + lane < count; ++lane)
      {
        const Change c = change(terms[i + lane], x + (i + lane) * n, a[i + lane], s);
        arguments.set(lane, weights_[terms[i + lane]], {c.u, c.du});
      }
      sum += arguments.weighted_sum(laws_[0](Increment<Batch>(arguments.batch(0), arguments.batch(1))).d);
    }
  for (; i < count; ++i) sum += RadialTerms::difference(terms[i], x + i * n, a[i], s);
  return sum;
}

template <typename Law, int dim>
[[gnu::flatten]] double RadialTerms<Law, dim>::sum_of_mixed_differences(
  int count, const int *terms, const double *x, const int *a, double s, const int *b, double r) const
{
  const int n = dim * n_points_;
  double sum = 0;
  int i = 0;
  if constexpr (has_batched_differences<Law>)
    for (; laws_.size() == 1 && i + 1 < count; i += batch_size)
    {
      BatchArguments<4> arguments;
      for (int lane = 0; lane < batch_size && i + lane < count; ++lane)
      {
        const MixedChange c = mixed_change(terms[i + lane], x + (i + lane) * n, a[i + lane], s, b[i + lane], r);
        arguments.set(lane, weights_[terms[i + lane]], {c.u, c.du_a, c.du_b, c.cross});
      }
      const Increment<Increment<Batch>> u({arguments.batch(0), arguments.batch(1)}, {arguments.batch(2), arguments.batch(3)});
      sum += arguments.weighted_sum(laws_[0](u).d.d);
    }
  for (; i < count; ++i) sum += RadialTerms::mixed_difference(terms[i], x + i * n, a[i], s, b[i], r);
  return sum;
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  if (n_points_ == 1)
    add_gradient_of<1>(q.data(), gradient.data());
  else if (n_points_ == 2)
    add_gradient_of<2>(q.data(), gradient.data());
  else
    add_gradient_of<0>(q.data(), gradient.data());
}

template <typename Law, int dim>
template <int known_n_points>
void RadialTerms<Law, dim>::add_gradient_of(const double *q, double *gradient) const
{
  const int n_points = known_n_points > 0 ? known_n_points : n_points_, n_terms = this->n_terms();
  const bool one_law = laws_.size() == 1;
  for (int term = 0; term < n_terms; ++term)
  {
    const int *dofs = dofs_.data() + static_cast<std::size_t>(term) * dim * n_points;
    const double *c = coefficients_.data() + static_cast<std::size_t>(term) * n_points;
    double d[dim], u = 0;
    for (int axis = 0; axis < dim; ++axis)
    {
      d[axis] = offsets_[term][axis];
      for (int k = 0; k < n_points; ++k) d[axis] += c[k] * q[dofs[dim * k] + axis];
      u += d[axis] * d[axis];
    }
    const Law &law = laws_[one_law ? 0 : term];
    if (!(u > 0)) check_at(term, q, u);
    const double factor = 2 * weights_[term] * laws::slope(law, u);
    for (int k = 0; k < n_points; ++k)
      for (int axis = 0; axis < dim; ++axis) gradient[dofs[dim * k] + axis] += c[k] * (factor * d[axis]);
  }
}

template <typename Law, int dim>
void RadialTerms<Law, dim>::check_at(int term, const double *q, double u) const
{
  std::vector<double> x(dofs_per_term());
  for (std::size_t a = 0; a < x.size(); ++a) x[a] = q[dofs(term)[a]];
  check(term, x.data(), u);
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
  const double quotient = u.d == 0 ? laws::slope(law(term), u.x) : law(term)(u).d / u.d;
  for (int k = 0; k < n_points_; ++k)
    for (int axis = 0; axis < dim; ++axis) gradient[dim * k + axis] = weights_[term] * c[k] * quotient * (d0 + d1)[axis];
}

template class RadialTerms<laws::HarmonicBond, 1>;
template class RadialTerms<laws::HarmonicBond, 2>;
template class RadialTerms<laws::HarmonicBond, 3>;
template class RadialTerms<laws::SquareStretch, 1>;
template class RadialTerms<laws::SquareStretch, 2>;
template class RadialTerms<laws::SquareStretch, 3>;
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
template class RadialTerms<laws::Truncated<laws::Morse>, 1>;
template class RadialTerms<laws::Truncated<laws::Morse>, 2>;
template class RadialTerms<laws::Truncated<laws::Morse>, 3>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 1>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 2>;
template class RadialTerms<laws::Truncated<laws::InverseDistance>, 3>;
}  // namespace freefall

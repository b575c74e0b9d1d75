#include <freefall/core/errors.h>
#include <freefall/potentials/angle_terms.h>

#include <fmt/format.h>
#include <Eigen/Core>

namespace freefall
{
template <int dim>
AngleTerms<dim>::AngleTerms(const std::vector<Term> &terms) : terms_(terms)
{
  for (const Term &term : terms)
    for (const int point : {term.first, term.vertex, term.second})
      for (int axis = 0; axis < dim; ++axis) dofs_.push_back(dim * point + axis);
}

template <int dim>
void AngleTerms<dim>::check(int term, const double *x) const
{
  double cross_squared = 0;
  for (int i = 0; i < dim; ++i)
    for (int j = i + 1; j < dim; ++j)
    {
      const double component =
        (x[i] - x[dim + i]) * (x[2 * dim + j] - x[dim + j]) - (x[j] - x[dim + j]) * (x[2 * dim + i] - x[dim + i]);
      cross_squared += component * component;
    }
  if (cross_squared > 0) return;
  throw DomainError(fmt::format(
    "angle {} of the particles {}, {}, {}: they lie in line (or two coincide) at ({}, {}{}), where the angle has no derivative",
    term + 1, terms_[term].first + 1, terms_[term].vertex + 1, terms_[term].second + 1, x[dim], x[dim + 1],
    dim == 3 ? fmt::format(", {}", x[dim + 2]) : ""));
}

template <int dim>
void AngleTerms<dim>::discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const
{
  using Vector = Eigen::Matrix<double, dim, 1>;
  using Points = Eigen::Map<const Eigen::Matrix<double, dim, 3>>;
  check(term, x0);
  check(term, x1);
  const Points p0(x0), p1(x1);
  const Vector a0 = p0.col(0) - p0.col(1), b0 = p0.col(2) - p0.col(1);
  const Vector da = (p1.col(0) - p0.col(0)) - (p1.col(1) - p0.col(1)), db = (p1.col(2) - p0.col(2)) - (p1.col(1) - p0.col(1));
  const Vector a_mean = a0 + 0.5 * da, b_mean = b0 + 0.5 * db;

  const Eigen::Vector3d invariants(a0.squaredNorm(), b0.squaredNorm(), a0.dot(b0));
  const Eigen::Vector3d changes(2 * a_mean.dot(da), 2 * b_mean.dot(db), a_mean.dot(db) + b_mean.dot(da));
  std::array<Increment<double>, 3> w;
  std::array<Dual<double, 3>, 3> mean;
  for (int i = 0; i < 3; ++i)
  {
    w[i] = Increment<double>(invariants[i], changes[i]);
    mean[i] = invariants[i] + 0.5 * changes[i];
    mean[i].d[i] = 1;
  }
  const double change = energy_of(term, w[0] * w[1] - w[2] * w[2], w[2]).d;
  const Dual<double, 3> slope_at_mean = energy_of(term, mean[0] * mean[1] - mean[2] * mean[2], mean[2]);
  Eigen::Vector3d slope(slope_at_mean.d[0], slope_at_mean.d[1], slope_at_mean.d[2]);
  if (changes.squaredNorm() > 0) slope += (change - slope.dot(changes)) / changes.squaredNorm() * changes;

  Eigen::Map<Eigen::Matrix<double, dim, 3>> result(gradient);
  result.col(0) = 2 * slope[0] * a_mean + slope[2] * b_mean;
  result.col(2) = 2 * slope[1] * b_mean + slope[2] * a_mean;
  result.col(1) = -result.col(0) - result.col(2);
}

template class AngleTerms<2>;
template class AngleTerms<3>;
}  // namespace freefall

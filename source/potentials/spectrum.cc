#include <freefall/core/power_differences.h>
#include <freefall/potentials/spectrum.h>

#include <Eigen/Core>

namespace freefall
{
namespace
{
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Map = Eigen::Map<const RowMajor>;

Map vectors(const SymmetricEigen<double> &A) { return Map(A.vectors); }

double trace_of_power(const SymmetricEigen<double> &A, double p)
{
  return std::pow(A.values[0], p) + std::pow(A.values[1], p) + std::pow(A.values[2], p);
}

/// tr T_AB(X).
double first_sum(const SymmetricEigen<double> &A, const SymmetricEigen<double> &B, const double *X, double p)
{
  const RowMajor step = vectors(A).transpose() * Map(X) * vectors(B);
  const RowMajor overlap = vectors(A).transpose() * vectors(B);
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += power_difference(p, A.values[i], B.values[j]) * step(i, j) * overlap(i, j);
  return sum;
}

/// tr T_ABC(X, Y).
double second_sum(const SymmetricEigen<double> &A,
                  const SymmetricEigen<double> &B,
                  const SymmetricEigen<double> &C,
                  const double *X,
                  const double *Y,
                  double p)
{
  const RowMajor step_X = vectors(A).transpose() * Map(X) * vectors(B);
  const RowMajor step_Y = vectors(B).transpose() * Map(Y) * vectors(C);
  const RowMajor overlap = vectors(A).transpose() * vectors(C);
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        sum += second_power_difference(p, A.values[i], B.values[j], C.values[k]) * step_X(i, j) * step_Y(j, k) * overlap(i, k);
  return sum;
}
}  // namespace

Spectrum<Taylor<double>>::Spectrum(const Taylor<double> *C)
{
  double value[9], first[9], second[9];
  for (int k = 0; k < 9; ++k)
  {
    value[k] = C[k].value;
    first[k] = C[k].first;
    second[k] = C[k].second;
  }
  eigen_ = SymmetricEigen<double>(value);
  Eigen::Map<RowMajor>(first_, 3, 3) = vectors(eigen_).transpose() * Map(first) * vectors(eigen_);
  Eigen::Map<RowMajor>(second_, 3, 3) = vectors(eigen_).transpose() * Map(second) * vectors(eigen_);
}

void Spectrum<Taylor<double>>::power(double p, Taylor<double> *Q) const
{
  const double *c = eigen_.values;
  RowMajor value = RowMajor::Zero(), first, second;
  for (int i = 0; i < 3; ++i) value(i, i) = std::pow(c[i], p);
  double triple[3][3][3];  // symmetric: only i <= j <= k is computed and read
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      for (int k = j; k < 3; ++k) triple[i][j][k] = second_power_difference(p, c[i], c[j], c[k]);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
    {
      const double pair = power_difference(p, c[i], c[j]);
      first(i, j) = first(j, i) = pair * first_[3 * i + j];
      double sum = pair * second_[3 * i + j];
      for (int k = 0; k < 3; ++k)
      {
        const int low = std::min(i, k), high = std::max(j, k);
        sum += 2 * triple[low][i + j + k - low - high][high] * first_[3 * i + k] * first_[3 * k + j];
      }
      second(i, j) = second(j, i) = sum;
    }
  const RowMajor V = vectors(eigen_);
  value = V * value * V.transpose();
  first = V * first * V.transpose();
  second = V * second * V.transpose();
  for (int k = 0; k < 9; ++k) Q[k] = {value.data()[k], first.data()[k], second.data()[k]};
}

Spectrum<Tangent<double>>::Spectrum(const Tangent<double> *C)
{
  double value[9], first[9];
  for (int k = 0; k < 9; ++k)
  {
    value[k] = C[k].value;
    first[k] = C[k].first;
  }
  eigen_ = SymmetricEigen<double>(value);
  Eigen::Map<RowMajor>(first_, 3, 3) = vectors(eigen_).transpose() * Map(first) * vectors(eigen_);
}

void Spectrum<Tangent<double>>::power(double p, Tangent<double> *Q) const
{
  const double *c = eigen_.values;
  RowMajor value = RowMajor::Zero(), first;
  for (int i = 0; i < 3; ++i)
  {
    value(i, i) = std::pow(c[i], p);
    for (int j = i; j < 3; ++j) first(i, j) = first(j, i) = power_difference(p, c[i], c[j]) * first_[3 * i + j];
  }
  const RowMajor V = vectors(eigen_);
  value = V * value * V.transpose();
  first = V * first * V.transpose();
  for (int k = 0; k < 9; ++k) Q[k] = {value.data()[k], first.data()[k]};
}

Spectrum<Difference<double>>::Spectrum(const Difference<double> *C)
{
  double value[9], moved[9];
  for (int k = 0; k < 9; ++k)
  {
    value[k] = C[k].value;
    step_[k] = C[k].a;
    moved[k] = C[k].value + C[k].a;
  }
  corners_[0] = SymmetricEigen<double>(value);
  corners_[1] = SymmetricEigen<double>(moved);
}

Difference<double> Spectrum<Difference<double>>::trace_of_power(double p) const
{
  return {freefall::trace_of_power(corners_[0], p), first_sum(corners_[1], corners_[0], step_, p)};
}

Spectrum<MixedDifference<double>>::Spectrum(const MixedDifference<double> *C)
{
  double value[9], moved_a[9], moved_b[9], moved_ab[9];
  for (int k = 0; k < 9; ++k)
  {
    a_[k] = C[k].a;
    b_[k] = C[k].b;
    ab_[k] = C[k].ab;
    a_plus_ab_[k] = C[k].a + C[k].ab;
    value[k] = C[k].value;
    moved_a[k] = value[k] + a_[k];
    moved_b[k] = value[k] + b_[k];
    moved_ab[k] = value[k] + a_[k] + b_[k] + ab_[k];
  }
  c00_ = SymmetricEigen<double>(value);
  c10_ = SymmetricEigen<double>(moved_a);
  c01_ = SymmetricEigen<double>(moved_b);
  c11_ = SymmetricEigen<double>(moved_ab);
}

MixedDifference<double> Spectrum<MixedDifference<double>>::trace_of_power(double p) const
{
  return {
    freefall::trace_of_power(c00_, p), first_sum(c10_, c00_, a_, p), first_sum(c01_, c00_, b_, p),
    first_sum(c11_, c10_, ab_, p) + second_sum(c11_, c01_, c10_, a_plus_ab_, b_, p) + second_sum(c01_, c10_, c00_, b_, a_, p)};
}
}  // namespace freefall

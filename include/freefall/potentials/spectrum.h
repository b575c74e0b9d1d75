#pragma once

#include <freefall/core/differences.h>
#include <freefall/core/symmetric_eigen.h>
#include <freefall/core/taylor.h>

namespace freefall
{
/// Powers of a symmetric positive definite 3 x 3 matrix C, row-major, for any type of number that an energy is written in.
/// All are exact also where eigenvalues coincide.
///
/// double and Batch: trace_of_power(p) = tr C^p, and power(p, Q) with Q = C^p, row-major.
template <typename T>
class Spectrum
{
public:
  explicit Spectrum(const T *C) : eigen_(C)
  {
    for (int i = 0; i < 3; ++i) logarithms_[i] = fast_log1p(T(eigen_.values[i] - T(1)));
  }

  T trace_of_power(double p) const
  {
    T sum(0);
    for (const T &logarithm : logarithms_) sum += exponential(T(T(p) * logarithm));
    return sum;
  }

  void power(double p, T *Q) const
  {
    T powers[3];
    for (int i = 0; i < 3; ++i) powers[i] = exponential(T(T(p) * logarithms_[i]));
    const T *v = eigen_.vectors;
    for (int k = 0; k < 3; ++k)
      for (int l = k; l < 3; ++l)
        Q[3 * k + l] = Q[3 * l + k] =
          powers[0] * v[3 * k] * v[3 * l] + powers[1] * v[3 * k + 1] * v[3 * l + 1] + powers[2] * v[3 * k + 2] * v[3 * l + 2];
  }

private:
  SymmetricEigen<T> eigen_;
  T logarithms_[3];
};

/// Derivatives of C^p along a curve by the divided differences of f(c) = c^p (Daleckii and Krein 1965): in the basis of
/// eigenvectors, with C' = H,
///
///   (f(C))'_ij = f[c_i, c_j] H_ij,   (f(C))''_ij = f[c_i, c_j] C''_ij + 2 sum_k f[c_i, c_k, c_j] H_ik H_kj.
template <>
class Spectrum<Taylor<double>>
{
public:
  explicit Spectrum(const Taylor<double> *C);
  void power(double p, Taylor<double> *Q) const;

private:
  SymmetricEigen<double> eigen_;
  double first_[9], second_[9];  ///< C' and C'' in the basis of eigenvectors
};

/// The same to first order.
template <>
class Spectrum<Tangent<double>>
{
public:
  explicit Spectrum(const Tangent<double> *C);
  void power(double p, Tangent<double> *Q) const;

private:
  SymmetricEigen<double> eigen_;
  double first_[9];  ///< C' in the basis of eigenvectors
};

/// Difference of tr f(C) between two matrices C' = sum_i c'_i u'_i u'_i^T and C = sum_j c_j u_j u_j^T:
///
///   tr f(C') - tr f(C) = sum_ij f[c'_i, c_j] (u'_i . (C' - C) u_j) (u_j . u'_i).
template <>
class Spectrum<Difference<double>>
{
public:
  explicit Spectrum(const Difference<double> *C);
  Difference<double> trace_of_power(double p) const;

private:
  SymmetricEigen<double> corners_[2];
  double step_[9];  ///< C' - C
};

/// The mixed difference of tr f(C) for four matrices, C_00 + a = C_10, C_00 + b = C_01, C_11 = C_00 + a + b + ab. With
///
///   T_AB(X) = sum_ij f[a_i, b_j] P_i X Q_j,   T_ABC(X, Y) = sum_ijk f[a_i, b_j, c_k] P_i X Q_j Y R_k,
///
/// a_i and P_i being the eigenvalues and projections of A and so on, f(A) - f(B) = T_AB(A - B) and T_AC(X) - T_BC(X) =
/// T_ABC(A - B, X), so that
///
///   f(C_11) - f(C_10) - f(C_01) + f(C_00) = T_11,10(ab) + T_11,01,10(a + ab, b) + T_01,10,00(b, a):
///
/// every term carries both steps, nothing large is subtracted.
template <>
class Spectrum<MixedDifference<double>>
{
public:
  explicit Spectrum(const MixedDifference<double> *C);
  MixedDifference<double> trace_of_power(double p) const;

private:
  SymmetricEigen<double> c00_, c10_, c01_, c11_;
  double a_[9], b_[9], ab_[9], a_plus_ab_[9];
};
}  // namespace freefall

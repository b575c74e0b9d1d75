#pragma once

#include <freefall/core/numbers.h>

namespace freefall
{
/// A deformation gradient in any type of number (core/numbers.h): what the templates of a material take.
template <typename T>
struct Deformation
{
  T F[9];  ///< row-major: F[3 * c + k] = dx_c / dX_k
  T J;     ///< det F

  /// Sets J from F.
  void update_determinant()
  {
    T cofactors[3];
    cofactor_row(0, cofactors);
    J = F[0] * cofactors[0] + F[1] * cofactors[1] + F[2] * cofactors[2];
  }

  /// Row c of the cofactor matrix J F^-T.
  void cofactor_row(int c, T *row) const
  {
    const T *a = F + 3 * ((c + 1) % 3), *b = F + 3 * ((c + 2) % 3);
    row[0] = a[1] * b[2] - a[2] * b[1];
    row[1] = a[2] * b[0] - a[0] * b[2];
    row[2] = a[0] * b[1] - a[1] * b[0];
  }

  void cofactor(T *rows) const
  {
    for (int c = 0; c < 3; ++c) cofactor_row(c, rows + 3 * c);
  }

  /// C = F^T F, row-major.
  void right_cauchy_green(T *C) const
  {
    for (int k = 0; k < 3; ++k)
      for (int l = k; l < 3; ++l) C[3 * k + l] = C[3 * l + k] = F[k] * F[l] + F[3 + k] * F[3 + l] + F[6 + k] * F[6 + l];
  }
};

/// sum_k a_k b_k over the nine entries.
template <typename T>
T contract(const T *a, const T *b)
{
  T sum = a[0] * b[0];
  for (int k = 1; k < 9; ++k) sum = sum + a[k] * b[k];
  return sum;
}
}  // namespace freefall

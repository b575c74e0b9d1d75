#pragma once

#include <freefall/core/numbers.h>

namespace freefall
{
/// Eigenvalues and eigenvectors of a symmetric 3 x 3 matrix C = sum_i values[i] v_i v_i^T, T = double or Batch.
///
/// Cyclic Jacobi rotations without branches, so that all lanes go together; coincident eigenvalues are no special case. The
/// eigenvectors are orthonormal and the residual is a few roundings of the largest eigenvalue. The order is arbitrary.
template <typename T>
struct SymmetricEigen
{
  T values[3];
  T vectors[9];  ///< vectors[3 * k + i] is component k of v_i

  SymmetricEigen() = default;

  /// `C` is row-major; only its upper half is read.
  explicit SymmetricEigen(const T *C)
  {
    T upper[3] = {C[5], C[2], C[1]};  // the entry that a rotation about axis 0, 1, 2 removes
    for (int i = 0; i < 3; ++i) values[i] = C[4 * i];
    for (int k = 0; k < 9; ++k) vectors[k] = T(k % 4 == 0 ? 1 : 0);
    // Convergence is quadratic at last: four or five sweeps for any matrix; the bound only guards against NaN.
    for (int sweep = 0; sweep < 12 && !converged(upper); ++sweep)
      for (int axis = 2; axis >= 0; --axis) rotate(axis, upper);
  }

private:
  bool converged(const T *upper) const
  {
    const T off = upper[0] * upper[0] + upper[1] * upper[1] + upper[2] * upper[2];
    const T size = values[0] * values[0] + values[1] * values[1] + values[2] * values[2];
    return simd_detail::all(off <= T(1e-36) * size);
  }

  /// Makes the entry (i, j) zero, i and j being the two other axes.
  void rotate(int axis, T *upper)
  {
    const int i = axis == 0 ? 1 : 0, j = axis == 2 ? 1 : 2;
    const T d = values[j] - values[i], twice = T(2) * upper[axis];
    // tan of the smaller angle; the tiny number only matters where both d and the entry vanish.
    const T t = sign_of(d) * twice / (simd_detail::magnitude(d) + square_root(T(d * d + twice * twice)) + T(1e-300));
    const T c = T(1) / square_root(T(T(1) + t * t)), s = t * c;
    values[i] = values[i] - t * upper[axis];
    values[j] = values[j] + t * upper[axis];
    upper[axis] = T(0);
    // upper[j] is the entry (axis, i) and upper[i] the entry (axis, j).
    const T to_i = upper[j], to_j = upper[i];
    upper[j] = c * to_i - s * to_j;
    upper[i] = s * to_i + c * to_j;
    for (int k = 0; k < 3; ++k)
    {
      const T v_i = vectors[3 * k + i], v_j = vectors[3 * k + j];
      vectors[3 * k + i] = c * v_i - s * v_j;
      vectors[3 * k + j] = s * v_i + c * v_j;
    }
  }
};
}  // namespace freefall

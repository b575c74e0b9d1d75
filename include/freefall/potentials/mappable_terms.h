#pragma once

#include <freefall/potentials/local_terms.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace freefall
{
/// Terms of points x_p that can be written as terms of other points y_k, x_p = sum_k A_pk y_k + (anything common to all p).
///
/// Requires: the terms do not change when all points are moved together, so that only differences of rows of A matter.
class MappableTerms
{
public:
  virtual ~MappableTerms() = default;

  /// The same energies over the dofs dim * k + axis of y. Terms that touch different numbers of points come in different
  /// families.
  virtual std::vector<std::unique_ptr<LocalTerms>> mapped(const Eigen::MatrixXd &points_from_new, int dim) const = 0;
};

/// Row p of A minus row `origin`: exactly 0 where the two are equal.
inline Eigen::RowVectorXd relative_row(const Eigen::MatrixXd &points_from_new, int point, int origin)
{
  return points_from_new.row(point) - points_from_new.row(origin);
}
}  // namespace freefall

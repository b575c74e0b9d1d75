#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace freefall
{
/// y = C x_1^a_1 x_2^a_2 ..., by least squares of the logarithms.
struct PowerLawFit
{
  struct Slope
  {
    double value = 0;
    /// Of the estimate; nothing when there are as many unknowns as points.
    std::optional<double> standard_error;
    /// Half the width of the 95 % confidence interval (Student's t with n - p - 1 degrees of freedom).
    std::optional<double> half_width;
  };

  int n_points = 0;
  double log_constant = 0;  ///< ln C
  std::vector<Slope> slopes;
  std::optional<double> r_squared;  ///< nothing when all y are equal
};

/// Each row of `x` belongs to one y; all are positive (std::logic_error). Nothing when the points do not determine the slopes:
/// too few of them, or an x that does not vary independently of the others.
std::optional<PowerLawFit> fit_power_law(const Eigen::MatrixXd &x, const Eigen::VectorXd &y);
}  // namespace freefall

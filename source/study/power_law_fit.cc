#include <freefall/study/power_law_fit.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

namespace freefall
{
std::optional<PowerLawFit> fit_power_law(const Eigen::MatrixXd &x, const Eigen::VectorXd &y)
{
  if (!(x.array() > 0).all() || !(y.array() > 0).all() || x.rows() != y.size())
    throw std::logic_error("fit_power_law: a number that has no logarithm, or a wrong count");
  const Eigen::Index n = x.rows(), p = x.cols() + 1;
  if (n < p) return std::nullopt;
  // Centred, so that the slopes do not lose digits to the constant.
  const Eigen::MatrixXd log_x = x.array().log();
  const Eigen::VectorXd log_y = y.array().log();
  const Eigen::RowVectorXd mean_x = log_x.colwise().mean();
  const double mean_y = log_y.mean();
  const Eigen::MatrixXd A = log_x.rowwise() - mean_x;
  const Eigen::VectorXd b = log_y.array() - mean_y;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  // Columns whose independent part is less than a billionth of the largest are rounding.
  qr.setThreshold(1e-9);
  if (qr.rank() < p - 1 || A.cwiseAbs().maxCoeff() < 1e-9) return std::nullopt;
  const Eigen::VectorXd slopes = qr.solve(b);

  PowerLawFit fit;
  fit.n_points = static_cast<int>(n);
  fit.log_constant = mean_y - mean_x * slopes;
  const double residual = (b - A * slopes).squaredNorm(), spread = b.squaredNorm();
  if (spread > 0) fit.r_squared = 1 - residual / spread;
  const Eigen::MatrixXd covariance = (A.transpose() * A).inverse();
  for (Eigen::Index i = 0; i < p - 1; ++i)
  {
    fit.slopes.push_back({slopes[i], {}, {}});
    if (n == p) continue;
    const auto freedom = static_cast<double>(n - p);
    const double error = std::sqrt(residual / freedom * covariance(i, i));
    fit.slopes.back().standard_error = error;
    fit.slopes.back().half_width = error * boost::math::quantile(boost::math::students_t(freedom), 0.975);
  }
  return fit;
}
}  // namespace freefall

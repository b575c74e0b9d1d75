#pragma once

#include <freefall/core/archive.h>

#include <Eigen/Core>
#include <deque>

namespace freefall
{
/// The mean of a vector function of time over the last stretch of a given length, by the trapezoidal rule through samples:
///
///   mean(t) = 1/W integral of f from t - W to t, linear between samples.
///
/// Before a whole window has passed, the mean is that since the first sample; of one sample, the sample.
/// Guarantees: it depends on the samples alone (no running sum that would gather rounding), so that a mean that was saved and
/// loaded goes on bit for bit.
class WindowMean
{
public:
  /// Throws std::logic_error unless width > 0.
  explicit WindowMean(double width);

  double width() const { return width_; }
  bool is_empty() const { return samples_.empty(); }
  /// Times increase; a sample that is not later than the last one is ignored.
  void add(double time, const Eigen::VectorXd &values);
  /// At the time of the last sample, of which there must be one.
  Eigen::VectorXd mean() const;

  void archive(Archive &archive);

private:
  struct Sample
  {
    double time;
    Eigen::VectorXd values;
  };
  double width_;
  std::deque<Sample> samples_;  ///< all within the window, and the last one before it
};
}  // namespace freefall

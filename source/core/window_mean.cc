#include <freefall/core/window_mean.h>

#include <stdexcept>
#include <vector>

namespace freefall
{
WindowMean::WindowMean(double width) : width_(width)
{
  if (!(width > 0)) throw std::logic_error("a window has a positive width");
}

void WindowMean::add(double time, const Eigen::VectorXd &values)
{
  if (!samples_.empty() && !(time > samples_.back().time)) return;
  samples_.push_back({time, values});
  const double begin = time - width_;
  while (samples_.size() > 2 && samples_[1].time <= begin) samples_.pop_front();
}

Eigen::VectorXd WindowMean::mean() const
{
  const Sample &last = samples_.back();
  if (samples_.size() == 1) return last.values;
  const double begin = std::max(samples_.front().time, last.time - width_);
  Eigen::VectorXd integral = Eigen::VectorXd::Zero(last.values.size());
  for (std::size_t i = 1; i < samples_.size(); ++i)
  {
    const Sample &from = samples_[i - 1], &to = samples_[i];
    // The part of the first interval that lies in the window.
    const double start = std::max(from.time, begin), fraction = (start - from.time) / (to.time - from.time);
    integral += (to.time - start) / 2 * ((1 - fraction) * from.values + (1 + fraction) * to.values);
  }
  return integral / (last.time - begin);
}

void WindowMean::archive(Archive &archive)
{
  const Archive::Part part(archive, "window_mean");
  std::vector<double> times, values;
  for (const Sample &sample : samples_)
  {
    times.push_back(sample.time);
    values.insert(values.end(), sample.values.data(), sample.values.data() + sample.values.size());
  }
  archive.list("times", times);
  archive.list("values", values);
  if (!archive.is_loading()) return;
  samples_.clear();
  if (times.empty()) return;
  const std::size_t n = values.size() / times.size();
  for (std::size_t i = 0; i < times.size(); ++i)
    samples_.push_back({times[i], Eigen::Map<const Eigen::VectorXd>(values.data() + i * n, static_cast<Eigen::Index>(n))});
}
}  // namespace freefall

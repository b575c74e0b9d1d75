#include <freefall/core/errors.h>
#include <freefall/integrators/dormand_prince.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
/// Stages 2 to 7; the last row is also the solution of order 5.
constexpr double a[6][6] = {{1. / 5},
                            {3. / 40, 9. / 40},
                            {44. / 45, -56. / 15, 32. / 9},
                            {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                            {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                            {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
/// Order 5 minus order 4.
constexpr double error_weights[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
}  // namespace

DormandPrince::DormandPrince(const Tolerances &tolerances, double first_step) : tolerances_(tolerances), first_step_(first_step)
{
  if (!(tolerances.relative > 0) || !(tolerances.absolute > 0))
    throw InputError(fmt::format("Dormand-Prince: relative tolerance {} and absolute tolerance {} must be positive",
                                 tolerances.relative, tolerances.absolute));
  if (!(first_step >= 0))
    throw InputError(fmt::format("Dormand-Prince: the first step is {}: it must not be negative", first_step));
}

void DormandPrince::initialize(const System &system, const State &state)
{
  acceleration_.attach(system, "Dormand-Prince");
  statistics_ = {};
  n_rejected_ = n_earlier_evaluations_ = 0;
  next_ = state;
  slope_q_[0] = state.v;
  acceleration_(state.q, slope_v_[0]);
  step_ = scale_of_time_ = first_step_ > 0 ? first_step_ : choose_first_step(state);
}

double DormandPrince::choose_first_step(const State &state) const
{
  // A hundredth of the time in which q or v would change by themselves; the controller does the rest.
  const double speed = state.v.norm(), force = slope_v_[0].norm();
  double step = 1;
  if (speed > 0 && force > 0) step = 0.01 * speed / force;
  if (speed == 0 && force > 0) step = 0.01 / std::sqrt(force);
  return step;
}

double DormandPrince::try_step(const State &state)
{
  for (int stage = 1; stage < 7; ++stage)
  {
    next_.q = state.q;
    next_.v = state.v;
    for (int j = 0; j < stage; ++j)
    {
      next_.q += step_ * a[stage - 1][j] * slope_q_[j];
      next_.v += step_ * a[stage - 1][j] * slope_v_[j];
    }
    slope_q_[stage] = next_.v;
    acceleration_(next_.q, slope_v_[stage]);
  }
  double sum = 0;
  for (Eigen::Index i = 0; i < state.q.size(); ++i)
  {
    double error_q = 0, error_v = 0;
    for (int j = 0; j < 7; ++j)
    {
      error_q += error_weights[j] * slope_q_[j][i];
      error_v += error_weights[j] * slope_v_[j][i];
    }
    const double scale_q = tolerances_.absolute + tolerances_.relative * std::max(std::abs(state.q[i]), std::abs(next_.q[i]));
    const double scale_v = tolerances_.absolute + tolerances_.relative * std::max(std::abs(state.v[i]), std::abs(next_.v[i]));
    sum += std::pow(step_ * error_q / scale_q, 2) + std::pow(step_ * error_v / scale_v, 2);
  }
  return std::sqrt(sum / (2 * state.q.size()));
}

void DormandPrince::advance(State &state, double time)
{
  advance_to(state, time);
  statistics_.n_force_evaluations = n_earlier_evaluations_ + acceleration_.n_evaluations();
}

void DormandPrince::archive_memory(Archive &archive, const State &)
{
  std::int64_t n_evaluations = n_earlier_evaluations_ + acceleration_.n_evaluations();
  archive("n_evaluations", n_evaluations);
  n_earlier_evaluations_ = n_evaluations - acceleration_.n_evaluations();
  archive("step", step_);
  archive("scale_of_time", scale_of_time_);
  archive("n_rejected", n_rejected_);
  archive("slope_q", slope_q_[0]);
  archive("slope_v", slope_v_[0]);
}

void DormandPrince::advance_to(State &state, double time)
{
  while (state.time < time)
  {
    double error = std::numeric_limits<double>::infinity();
    std::string cause = "the error estimate stays too large";
    try
    {
      error = try_step(state);
    }
    catch (const DomainError &outside)
    {
      cause = outside.what();
    }
    if (error <= 1)
    {
      state.q.swap(next_.q);
      state.v.swap(next_.v);
      state.time += step_;
      slope_q_[0].swap(slope_q_[6]);
      slope_v_[0].swap(slope_v_[6]);
      ++statistics_.n_steps;
      statistics_.last_time_step = step_;
      statistics_.smallest_time_step = std::min(statistics_.smallest_time_step, step_);
      statistics_.largest_time_step = std::max(statistics_.largest_time_step, step_);
    }
    else
      ++n_rejected_;
    const double factor = std::isfinite(error) ? 0.9 * std::pow(std::max(error, 1e-10), -0.2) : 0.2;
    const double shorter = step_ * std::clamp(factor, 0.2, error <= 1 ? 5. : 1.);
    if (!(error <= 1) && shorter <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(state.time), scale_of_time_))
      throw StepFailed(fmt::format("Dormand-Prince: the step at time {} fell to {}: {}", state.time, step_, cause));
    step_ = shorter;
  }
}
}  // namespace freefall

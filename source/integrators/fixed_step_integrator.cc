#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/langevin_method.h>
#include <freefall/systems/name_of_largest.h>

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <utility>

namespace freefall
{
FixedStepIntegrator::FixedStepIntegrator(std::unique_ptr<OneStepMethod> method, double time_step)
  : method_(std::move(method)), time_step_(time_step)
{
  if (!(time_step > 0) || !std::isfinite(time_step))
    throw InputError(fmt::format("the time step of {} is {}: it must be positive and finite", method_->name(), time_step));
}

void FixedStepIntegrator::couple(HeatBath &bath)
{
  method_ = std::make_unique<LangevinMethod>(std::move(method_), bath);
}

void FixedStepIntegrator::initialize(const System &system, const State &state)
{
  if (system.constraints() && !handles_constraints())
    throw InputError(fmt::format("{} does not know constraints, and the system has some: choose an integrator that keeps them, such "
                                 "as RATTLE, or penalise them (Constraints/Penalty)",
                                 method_->name()));
  system_ = &system;
  initial_time_ = state.time;
  next_ = state;
  statistics_ = {};
  n_earlier_force_evaluations_ = n_earlier_potential_evaluations_ = 0;
  method_->start(system, state);
  must_restart_ = false;
}

void FixedStepIntegrator::advance(State &state, double time)
{
  // n dt and the time asked for are each rounded: a multiple of dt that falls short by that much is the one asked for.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time), std::abs(initial_time_));
  if (state.time >= time - rounding) return;
  try
  {
    if (must_restart_) method_->start(*system_, state);
    must_restart_ = false;
    while (state.time < time - rounding)
    {
      next_.time = initial_time_ + static_cast<double>(statistics_.n_steps + 1) * time_step_;
      method_->step(state, time_step_, next_);
      if (!is_finite(next_)) fail_not_finite(state);
      state.q.swap(next_.q);
      state.v.swap(next_.v);
      state.work = next_.work;
      state.time = next_.time;
      ++statistics_.n_steps;
    }
  }
  catch (const DomainError &error)
  {
    fail(state, error.what());
  }
  catch (const StepFailed &error)
  {
    if (must_restart_) throw;
    fail(state, error.what());
  }
  statistics_.last_time_step = statistics_.largest_time_step = time_step_;
  statistics_.smallest_time_step = time_step_ / method_->largest_number_of_parts();
  count();
}

void FixedStepIntegrator::count()
{
  statistics_.n_force_evaluations = n_earlier_force_evaluations_ + method_->n_force_evaluations();
  statistics_.n_potential_evaluations = n_earlier_potential_evaluations_ + method_->n_potential_evaluations();
}

void FixedStepIntegrator::archive_memory(Archive &archive, const State &state)
{
  archive("initial_time", initial_time_);
  // The method's own counts: those of statistics_ are only brought up to date by advance().
  std::int64_t n_force = n_earlier_force_evaluations_ + method_->n_force_evaluations();
  std::int64_t n_potential = n_earlier_potential_evaluations_ + method_->n_potential_evaluations();
  archive("n_force_evaluations", n_force);
  archive("n_potential_evaluations", n_potential);
  if (archive.is_loading())
  {
    method_->start(*system_, state);
    must_restart_ = false;
  }
  const Archive::Part part(archive, "method");
  method_->archive(archive);
  n_earlier_force_evaluations_ = n_force - method_->n_force_evaluations();
  n_earlier_potential_evaluations_ = n_potential - method_->n_potential_evaluations();
}

bool FixedStepIntegrator::is_finite(const State &state) const
{
  // The sum is finite unless an entry is not (or all are huge), and takes a fraction of the time of looking at each.
  const bool here = std::isfinite(state.q.sum() + state.v.sum()) || (state.q.allFinite() && state.v.allFinite());
  return system_->is_distributed() ? !ranks::any(!here) : here;
}

void FixedStepIntegrator::fail_not_finite(const State &state)
{
  // Zero where both are finite, NaN elsewhere.
  const Eigen::VectorXd place = 0 * next_.q + 0 * next_.v;
  fail(state, fmt::format("the result is not finite, first at {}; use a shorter time step", name_of_largest(*system_, place)));
}

void FixedStepIntegrator::fail(const State &state, const std::string &cause)
{
  must_restart_ = true;
  count();
  throw StepFailed(fmt::format("{}: step {} from time {} by {} failed: {}", method_->name(), statistics_.n_steps + 1,
                               state.time, time_step_, cause));
}
}  // namespace freefall

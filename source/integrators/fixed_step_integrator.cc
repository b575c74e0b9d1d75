#include <freefall/core/errors.h>
#include <freefall/integrators/fixed_step_integrator.h>

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
      method_->step(state, time_step_, next_);
      if (!next_.q.allFinite() || !next_.v.allFinite()) fail(state, "the result is not finite");
      state.q.swap(next_.q);
      state.v.swap(next_.v);
      ++statistics_.n_steps;
      state.time = initial_time_ + static_cast<double>(statistics_.n_steps) * time_step_;
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
  statistics_.last_time_step = statistics_.smallest_time_step = statistics_.largest_time_step = time_step_;
  statistics_.n_force_evaluations = method_->n_force_evaluations();
  statistics_.n_potential_evaluations = method_->n_potential_evaluations();
}

void FixedStepIntegrator::fail(const State &state, const std::string &cause)
{
  must_restart_ = true;
  statistics_.n_force_evaluations = method_->n_force_evaluations();
  statistics_.n_potential_evaluations = method_->n_potential_evaluations();
  throw StepFailed(fmt::format("{}: step {} from time {} by {} failed: {}", method_->name(), statistics_.n_steps + 1,
                               state.time, time_step_, cause));
}
}  // namespace freefall

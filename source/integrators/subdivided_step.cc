#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/integrators/subdivided_step.h>

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace freefall
{
SubdividedStep::SubdividedStep(std::unique_ptr<OneStepMethod> method, int max_parts)
  : method_(std::move(method)), max_parts_(max_parts)
{
  if (max_parts < 1) throw InputError(fmt::format("a step is cut into 1 part or more, not {}", max_parts));
}

void SubdividedStep::start(const System &system, const State &state)
{
  system_ = &system;
  between_ = state;
  method_->start(system, state);
  count();
}

void SubdividedStep::count()
{
  n_force_evaluations_ = method_->n_force_evaluations();
  n_potential_evaluations_ = method_->n_potential_evaluations();
}

void SubdividedStep::step(const State &now, double dt, State &next)
{
  const double end = next.time;
  for (int n_parts = 1;; n_parts *= 2)
  {
    std::string cause;
    next.time = end;
    try
    {
      make_parts(now, dt, n_parts, next);
      if (n_parts > 1) ++n_cut_steps_;
      largest_n_parts_ = std::max(largest_n_parts_, n_parts);
      count();
      return;
    }
    catch (const StepFailed &error)
    {
      cause = error.what();
    }
    catch (const DomainError &error)
    {
      cause = error.what();
    }
    count();
    if (2 * n_parts > max_parts_) throw StepFailed(fmt::format("{} (the step was cut into up to {} parts)", cause, n_parts));
    method_->start(*system_, now);
  }
}

void SubdividedStep::make_parts(const State &now, double dt, int n_parts, State &next)
{
  const double end = next.time;
  if (n_parts > 1) next.time = now.time + dt / n_parts;
  method_->step(now, dt / n_parts, next);
  for (int part = 1; part < n_parts; ++part)
  {
    between_.q.swap(next.q);
    between_.v.swap(next.v);
    between_.work = next.work;
    between_.time = next.time;
    next.time = part + 1 == n_parts ? end : now.time + (part + 1) * dt / n_parts;
    method_->step(between_, dt / n_parts, next);
  }
  const bool is_finite = next.q.allFinite() && next.v.allFinite();
  if (system_->is_distributed() ? ranks::any(!is_finite) : !is_finite) throw StepFailed("the result is not finite");
}

void SubdividedStep::archive(Archive &archive)
{
  archive("n_cut_steps", n_cut_steps_);
  archive("largest_n_parts", largest_n_parts_);
  method_->archive(archive);
  count();
}

NamedValues SubdividedStep::summary() const
{
  NamedValues values = method_->summary();
  values.push_back({"n_cut_steps", static_cast<double>(n_cut_steps_)});
  values.push_back({"largest_number_of_parts", static_cast<double>(largest_n_parts_)});
  return values;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/velocity_verlet.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
void ExplicitNewmark::declare_parameters(ParameterSection &section)
{
  section.declare("Time step", "auto", Pattern::number("s", Bounds::positive()).or_word("auto"),
                  "Length of a step. auto: Safety factor times the critical step 2/omega_max of the system, contact counted as "
                  "closed.");
  section.declare("Safety factor", "0.9", Pattern::number("", Bounds::left_open(0, 1)), "Of the automatic step.");
  section.declare(
    "Allow unstable step", "false", Pattern::boolean(),
    "Run even if Time step lies above the critical step. Right when the stiffness that limits it never comes into "
    "play, such as a wall that is not reached.");
  section.declare("Stability check interval", "1000", Pattern::integer(1),
                  "Number of steps after which the critical step of the deformed system is computed again. An automatic step "
                  "above it is shortened; summary.json counts such changes.");
}

ExplicitNewmark::Settings ExplicitNewmark::parse_parameters(const ParameterSection &section)
{
  Settings settings;
  settings.time_step = section.number_unless_word("Time step");
  settings.safety_factor = section.number("Safety factor");
  settings.allow_unstable = section.boolean("Allow unstable step");
  settings.check_interval = section.integer("Stability check interval");
  return settings;
}

void ExplicitNewmark::initialize(const System &system, const State &state)
{
  system_ = &system;
  statistics_ = earlier_ = {};
  n_step_changes_ = n_checks_above_critical_ = 0;
  notes_.clear();
  critical_step_ = system.critical_step(state.q);
  const double critical = critical_step_.time_step;
  if (settings_.time_step && *settings_.time_step > critical && !settings_.allow_unstable)
    throw InputError(
      fmt::format("explicit Newmark: the time step {:.6g} s is above the critical step {:.6g} s, limited by {}. "
                  "Use a shorter step or auto; if that stiffness never comes into play, set Allow unstable step = "
                  "true.",
                  *settings_.time_step, critical, critical_step_.limited_by));
  if (!settings_.time_step && !std::isfinite(critical))
    throw InputError(
      "explicit Newmark: the system has no stiffness, so Time step = auto has nothing to go by. Give a time step.");
  notes_.push_back(fmt::format("critical step {:.4g} s, limited by {}", critical, critical_step_.limited_by));
  start(state, settings_.time_step.value_or(settings_.safety_factor * critical));
  notes_.push_back(fmt::format("time step {:.4g} s{}", time_step(), settings_.time_step ? "" : " (auto)"));
}

void ExplicitNewmark::start(const State &state, double time_step)
{
  stepper_ = std::make_unique<FixedStepIntegrator>(std::make_unique<VelocityVerlet>(), time_step);
  if (bath_) stepper_->couple(*bath_);
  stepper_->initialize(*system_, state);
  stepper_start_ = state.time;
}

void ExplicitNewmark::advance(State &state, double time)
{
  double target;
  do
  {
    // Checks come at multiples of the interval, so that they do not depend on how a run is split into calls.
    const auto interval = static_cast<std::int64_t>(settings_.check_interval);
    const std::int64_t next_check = (stepper_->statistics().n_steps / interval + 1) * interval;
    const double check_time = stepper_start_ + static_cast<double>(next_check) * stepper_->time_step();
    target = std::min(time, check_time);
    try
    {
      stepper_->advance(state, target);
    }
    catch (...)
    {
      count();
      throw;
    }
    if (stepper_->statistics().n_steps == next_check) check_stability(state);
  } while (target < time);
  count();
}

void ExplicitNewmark::check_stability(const State &state)
{
  const double critical = system_->critical_step(state.q).time_step;
  if (stepper_->time_step() <= critical) return;
  ++n_checks_above_critical_;
  if (settings_.time_step) return;
  count();
  earlier_ = statistics_;
  ++n_step_changes_;
  start(state, settings_.safety_factor * critical);
}

void ExplicitNewmark::count()
{
  const auto &now = stepper_->statistics();
  statistics_.n_steps = earlier_.n_steps + now.n_steps;
  statistics_.n_force_evaluations = earlier_.n_force_evaluations + now.n_force_evaluations;
  statistics_.last_time_step = stepper_->time_step();
  statistics_.smallest_time_step = std::min(earlier_.smallest_time_step, stepper_->time_step());
  statistics_.largest_time_step = std::max(earlier_.largest_time_step, stepper_->time_step());
}

void ExplicitNewmark::archive_memory(Archive &archive, const State &state)
{
  double step = stepper_->time_step();
  archive("time_step", step);
  if (archive.is_loading()) start(state, step);
  archive("stepper_start", stepper_start_);
  archive_statistics(archive, "earlier", earlier_);
  archive("n_step_changes", n_step_changes_);
  archive("n_checks_above_critical", n_checks_above_critical_);
  stepper_->archive(archive, state);
}

NamedValues ExplicitNewmark::summary() const
{
  return {{"critical_time_step", critical_step_.time_step},
          {"n_time_step_changes", static_cast<double>(n_step_changes_)},
          {"n_checks_above_critical_step", static_cast<double>(n_checks_above_critical_)}};
}
}  // namespace freefall

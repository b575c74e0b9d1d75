#include <freefall/core/errors.h>
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/force_stepping/interpolated_energy.h>
#include <freefall/integrators/force_stepping/kinetic_engine.h>
#include <freefall/integrators/force_stepping/local_engine.h>
#include <freefall/integrators/force_stepping/sherman_morrison_engine.h>
#include <freefall/integrators/refuse_conditions.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <random>

namespace freefall
{
using namespace force_stepping;

namespace
{
Eigen::VectorXd spacing_by_dof(const std::vector<double> &spacing, int n_dofs)
{
  const int n = static_cast<int>(spacing.size());
  if (n == 0 || n_dofs % n != 0)
    throw InputError(fmt::format(
      "force-stepping: {} grid spacings given for {} dofs; give one, one per component, or one per dof", n, n_dofs));
  Eigen::VectorXd by_dof(n_dofs);
  for (int dof = 0; dof < n_dofs; ++dof) by_dof[dof] = spacing[dof % n];
  return by_dof;
}

/// Uniform in [0, 1). The mapping is our own: the distributions of the standard library differ between libraries.
Eigen::VectorXd shift_by_dof(GridShift shift, std::uint64_t seed, int n_dofs)
{
  Eigen::VectorXd by_dof = Eigen::VectorXd::Zero(n_dofs);
  if (shift == GridShift::none) return by_dof;
  std::mt19937_64 generator(seed);
  for (double &value : by_dof) value = static_cast<double>(generator() >> 11) * 0x1p-53;
  return by_dof;
}

/// Events without progress: the last events that could all meet at one instant took less than this part of the time scale.
constexpr double negligible_progress = 1e-6;
}  // namespace

ForceStepping::ForceStepping(ForceSteppingSettings settings) : settings_(std::move(settings)) {}

void ForceStepping::initialize(const System &system, const State &state)
{
  refuse_conditions(system, "force-stepping");
  system_ = &system;
  statistics_ = {};
  histogram_ = {};
  grid_ = std::make_unique<SimplicialGrid>(settings_.grid, spacing_by_dof(settings_.spacing, system.n_dofs()),
                                           shift_by_dof(settings_.shift, settings_.seed, system.n_dofs()), system.fixed_dofs());
  if (!system.mass_is_diagonal() && settings_.engine != ForceSteppingEngine::sherman_morrison)
    throw InputError(
      "force-stepping: the mass matrix is not diagonal; only the engine sherman-morrison can do that. Choose it, or a lumped "
      "mass.");
  if (settings_.norms && !system.mass_is_diagonal())
    throw InputError("force-stepping: the norms of q, v and the acceleration need a diagonal mass. Set Norms = false.");
  try
  {
    engine_ = make_engine(state);
  }
  catch (const DomainError &error)
  {
    fail_outside_domain(state, error.what());
  }
  step_map_ = StepMap(system, *grid_, state);
  at_event_ = state;
  start_time_ = last_event_time_ = time_of_last_check_ = state.time;
  events_until_check_ = 1000 + 4 * engine_->n_possible_crossings();
}

std::unique_ptr<Engine> ForceStepping::make_engine(const State &state) const
{
  const Location start = grid_->locate(state.q, state.v);
  switch (settings_.engine)
  {
    case ForceSteppingEngine::sherman_morrison:
      return std::make_unique<ShermanMorrisonEngine>(*system_, *grid_, start, state);
    case ForceSteppingEngine::kinetic:
      return std::make_unique<KineticEngine>(*system_, *grid_, start, state);
    case ForceSteppingEngine::local:
      break;
  }
  return std::make_unique<LocalEngine>(*system_, *grid_, start, state);
}

void ForceStepping::advance(State &state, double time)
{
  while (engine_->next_event_time() <= time)
  {
    Event event;
    try
    {
      event = engine_->apply_next_event();
    }
    catch (const DomainError &error)
    {
      engine_->evaluate(engine_->next_event_time(), state);
      fail_outside_domain(state, fmt::format("{} ({})", error.what(), describe(engine_->pending_event())));
    }
    catch (const CrossingsBlocked &error)
    {
      engine_->evaluate(engine_->next_event_time(), state);
      fail_unsettled(error.what(), engine_->pending_event());
    }
    count(event);
    if (observer) observer(event);
    if (--events_until_check_ == 0)
    {
      engine_->evaluate(event.time, state);
      check_progress(event);
    }
  }
  engine_->evaluate(time, state);
}

void ForceStepping::count(const Event &event)
{
  const double step = event.time - last_event_time_;
  last_event_time_ = event.time;
  ++statistics_.n_steps;
  statistics_.last_time_step = step;
  statistics_.smallest_time_step = std::min(statistics_.smallest_time_step, step);
  statistics_.largest_time_step = std::max(statistics_.largest_time_step, step);
  histogram_.count(step);
  step_map_.count(event.dof, event.other);
  if (!step_map_.counts_positions()) return;
  engine_->evaluate(event.time, at_event_);
  step_map_.count_position(at_event_.q, step);
}

void ForceStepping::check_progress(const Event &event)
{
  const std::int64_t interval = 1000 + 4 * engine_->n_possible_crossings();
  if (event.time - time_of_last_check_ < negligible_progress * engine_->time_scale())
    fail_unsettled(fmt::format("the last {} events brought the motion only from t = {} s to t = {} s", interval,
                               time_of_last_check_, event.time),
                   event);
  time_of_last_check_ = event.time;
  events_until_check_ = interval;
}

void ForceStepping::fail_unsettled(const std::string &cause, const Event &event) const
{
  throw StepFailed(fmt::format(
    "force-stepping: {}, at {}, t = {} s. The data lie on the grid, so that crossings coincide and cannot settle. Use a random "
    "grid shift, or change the spacing.",
    cause, describe(event), event.time));
}

void ForceStepping::fail_outside_domain(const State &state, const std::string &cause) const
{
  const auto [smallest, largest] = std::minmax_element(settings_.spacing.begin(), settings_.spacing.end());
  throw StepFailed(fmt::format(
    "force-stepping: a vertex of the grid lies outside the domain of the potential at t = {} s: {}. The vertices around the "
    "motion are up to a spacing away from it (h = {}): use a smaller spacing.",
    state.time, cause, *smallest == *largest ? fmt::format("{}", *smallest) : fmt::format("{} to {}", *smallest, *largest)));
}

std::string ForceStepping::describe(const Event &event) const
{
  if (event.other >= 0)
    return fmt::format("the crossing of {} and {}", system_->dof_name(event.dof), system_->dof_name(event.other));
  return fmt::format("{} leaving its cell {}", system_->dof_name(event.dof), event.upward ? "upwards" : "downwards");
}

std::optional<double> ForceStepping::conserved_energy(const State &state) const
{
  try
  {
    return 0.5 * state.v.dot(system_->apply_mass(state.v)) + interpolated_energy(*system_, *grid_, state.q);
  }
  catch (const DomainError &)
  {
    return std::nullopt;
  }
}

void ForceStepping::archive_memory(Archive &archive, const State &)
{
  archive("last_event_time", last_event_time_);
  archive("events_until_check", events_until_check_);
  archive("time_of_last_check", time_of_last_check_);
  histogram_.archive(archive);
  step_map_.archive(archive);
  const Archive::Part part(archive, "engine");
  engine_->archive(archive);
}

NamedValues ForceStepping::observe(const State &state) const
{
  if (!settings_.norms) return {};
  const Eigen::VectorXd &mass = system_->diagonal_mass();
  Eigen::VectorXd gradient;
  engine_->gradient(gradient);
  return {{"position_norm", std::sqrt(state.q.dot(mass.cwiseProduct(state.q)))},
          {"velocity_norm", std::sqrt(state.v.dot(mass.cwiseProduct(state.v)))},
          {"acceleration_norm", std::sqrt(gradient.dot(gradient.cwiseQuotient(mass)))}};
}

NamedValues ForceStepping::summary() const
{
  NamedValues values{{"n_force_changes", static_cast<double>(engine_->n_force_changes())}};
  if (engine_->visits_all_crossings()) values.push_back({"n_crossings", static_cast<double>(statistics_.n_steps)});
  return values;
}

std::vector<NumberTable> ForceStepping::tables() const
{
  using force_stepping::StepHistogram;
  NumberTable table{"time_steps", {}};
  for (int bin = 0; bin + 1 < StepHistogram::n_bins; ++bin)
    if (histogram_.count_in(bin) > 0)
      table.rows.push_back({{"lower_edge", StepHistogram::lower_edge(bin)},
                            {"upper_edge", StepHistogram::lower_edge(bin + 1)},
                            {"count", static_cast<double>(histogram_.count_in(bin))}});
  std::vector<NumberTable> tables = step_map_.tables(last_event_time_ - start_time_);
  tables.insert(tables.begin(), table);
  return tables;
}

std::vector<std::string> ForceStepping::notes() const
{
  const char *engines[] = {"sherman-morrison", "kinetic", "local"};
  const Eigen::VectorXd &start = system_->initial_state().q;
  const double added = interpolated_energy(*system_, *grid_, start) - system_->potential_energy(start);
  return {fmt::format("engine {}, grid size {:.4g}{}, interpolation adds {:.3g} to the potential energy at the start",
                      engines[static_cast<int>(settings_.engine)], settings_.spacing[0],
                      settings_.spacing.size() > 1 ? " and others" : "", added)};
}
}  // namespace freefall

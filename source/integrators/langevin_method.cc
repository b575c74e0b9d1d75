#include <freefall/integrators/langevin_method.h>

#include <fmt/format.h>

namespace freefall
{
void LangevinMethod::start(const System &system, const State &state)
{
  system_ = &system;
  method_->start(system, state);
  bath_.attach(system);
  count();
}

void LangevinMethod::step(const State &now, double dt, State &next)
{
  method_->step(now, dt, next);
  bath_.exchange(dt, next.q, next.v);
  method_->change_velocities(*system_, next);
  count();
}

void LangevinMethod::count()
{
  n_force_evaluations_ = method_->n_force_evaluations();
  n_potential_evaluations_ = method_->n_potential_evaluations();
}

std::optional<double> LangevinMethod::conserved_energy(const State &state) const
{
  const auto kept = method_->conserved_energy(state);
  return (kept ? *kept : system_->energy_balance(state).total()) - bath_.heat();
}

void LangevinMethod::archive(Archive &archive)
{
  bath_.archive(archive);
  method_->archive(archive);
}

NamedValues LangevinMethod::observe(const State &state) const
{
  NamedValues values = method_->observe(state);
  values.push_back({"heat", bath_.heat()});
  return values;
}

std::vector<std::string> LangevinMethod::notes() const
{
  const HeatBath::Settings &settings = bath_.settings();
  auto notes = method_->notes();
  notes.push_back(fmt::format("in a heat bath of {:.6g} K, seed {}", settings.temperature, settings.seed));
  return notes;
}
}  // namespace freefall

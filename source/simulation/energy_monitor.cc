#include <freefall/simulation/energy_monitor.h>

#include <algorithm>
#include <cmath>

namespace freefall
{
double EnergyMonitor::look(const State &state)
{
  const EnergyBalance balance = system_.energy_balance(state);
  energy_ = integrator_.conserved_energy(state).value_or(balance.total());
  if (!has_reference_) reference_ = energy_;
  has_reference_ = true;
  largest_kinetic_ = std::max(largest_kinetic_, balance.kinetic);
  const Work &work = state.work;
  largest_work_ = std::max({largest_work_, std::abs(work.supports), std::abs(work.loads), work.damping});
  // Below a millionth of the kinetic energy the energy at the start is no scale. What came in and went out always is: a body
  // at rest that is pulled slowly hardly has any kinetic energy.
  const double own = std::abs(reference_) > 1e-6 * largest_kinetic_ ? std::abs(reference_) : largest_kinetic_;
  const double scale = std::max(own, largest_work_);
  const double difference = std::abs(energy_ - reference_);
  const double error = difference == 0 ? 0 : difference / scale;
  // A NaN must not hide: std::max would drop it.
  largest_error_ = error <= largest_error_ ? largest_error_ : error;
  const NamedValues watched = system_.watched(state);
  if (largest_watched_.empty()) largest_watched_ = watched;
  for (std::size_t i = 0; i < watched.size(); ++i)
    largest_watched_[i].value = std::max(largest_watched_[i].value, watched[i].value);
  return error;
}

void EnergyMonitor::archive(Archive &archive)
{
  const Archive::Part part(archive, "energy_monitor");
  archive("has_reference", has_reference_);
  archive("reference", reference_);
  archive("energy", energy_);
  archive("largest_kinetic", largest_kinetic_);
  archive("largest_work", largest_work_);
  archive("largest_error", largest_error_);
  std::vector<double> watched;
  for (const auto &value : largest_watched_) watched.push_back(value.value);
  archive.list("largest_watched", watched);
  if (!archive.is_loading() || watched.empty()) return;
  largest_watched_ = system_.watched(system_.initial_state());
  if (largest_watched_.size() != watched.size()) throw ArchiveError("it watches other values");
  for (std::size_t i = 0; i < watched.size(); ++i) largest_watched_[i].value = watched[i];
}
}  // namespace freefall

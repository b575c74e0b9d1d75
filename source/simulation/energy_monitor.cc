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
  // Below a millionth of the kinetic energy the energy at the start is no scale.
  const double scale = std::abs(reference_) > 1e-6 * largest_kinetic_ ? std::abs(reference_) : largest_kinetic_;
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
}  // namespace freefall

#include <freefall/integrators/force_stepping/dof_motions.h>

#include <algorithm>
#include <cmath>

namespace freefall::force_stepping
{
DofMotions::DofMotions(const System &system, const SimplicialGrid &grid, const Location &start, const State &state)
  : couplings_(system),
    grid_(grid),
    orders_(couplings_, grid, start.simplex, state.q),
    records_(couplings_),
    forces_(couplings_.n_free())
{
  for (int dof = 0; dof < n_free(); ++dof)
  {
    const int system_dof = couplings_.system_dof(dof);
    const double h = grid.spacing(system_dof);
    forces_[dof] = {orders_.force(dof), -0.5 / (system.diagonal_mass()[system_dof] * h * h)};
    set_parabola(dof, {start.fractions[system_dof], orders_.cell(dof).direction * state.v[system_dof] / h,
                       forces_[dof].value * forces_[dof].to_half_acceleration, state.time});
  }
}

int DofMotions::swap(int pair, int ahead, int behind, double time)
{
  const auto swapped = orders_.swap(pair, ahead, behind);
  if (swapped.blocker >= 0) return swapped.blocker;
  forces_[ahead].value += swapped.mixed_difference;
  forces_[behind].value -= swapped.mixed_difference;
  // They meet at a time that is no double. Each is moved along its own parabola to where both have the same w, the faster
  // one more: dw = |v| gap / (|v_a| + |v_b|), so dt is the same for both up to its sign, and dv = 2 (half acceleration) dt.
  const Parabola a = parabola(ahead), b = parabola(behind);
  const double velocity_a = a.velocity_at(time), velocity_b = b.velocity_at(time);
  const double w_a = a.position_at(time), gap = b.position_at(time) - w_a;
  const double speed_a = std::fabs(velocity_a), speed = speed_a + std::fabs(velocity_b);
  const double dt = speed > 0 ? gap / speed : 0;
  const double w = w_a + (speed > 0 ? speed_a * dt : 0.5 * gap);
  const double changed_a = velocity_a + std::copysign(1., velocity_a) * 2 * dt * a.half_acceleration;
  const double changed_b = velocity_b - std::copysign(1., velocity_b) * 2 * dt * b.half_acceleration;
  set_parabola(ahead, {w, changed_a, forces_[ahead].value * forces_[ahead].to_half_acceleration, time});
  set_parabola(behind, {w, changed_b, forces_[behind].value * forces_[behind].to_half_acceleration, time});
  return -1;
}

bool DofMotions::leave_cell(int dof, bool upward, double time)
{
  const auto entered = orders_.leave_cell(dof, upward);
  Force &force = forces_[dof];
  force.value = entered.force;
  // The end is reached at a time that is no double: the dof is moved there along its own parabola, on which
  // v^2 - 4 (half acceleration) w is constant. The velocity points out of the cell, even if rounding says otherwise.
  const Parabola old = parabola(dof);
  const double rate = old.velocity_at(time), missing = (upward ? 1 : 0) - old.position_at(time);
  const double speed = std::sqrt(std::max(rate * rate + 4 * old.half_acceleration * missing, 0.));
  const bool at_upper_end = upward == entered.reflected;
  set_parabola(dof, {at_upper_end ? 1. : 0., at_upper_end ? -speed : speed, force.value * force.to_half_acceleration, time});
  return entered.reflected;
}

void DofMotions::evaluate(double time, State &state) const
{
  state.time = time;
  for (int dof = 0; dof < n_free(); ++dof)
  {
    const int system_dof = couplings_.system_dof(dof);
    const Cell cell = orders_.cell(dof);
    const Parabola parabola = this->parabola(dof);
    state.q[system_dof] = grid_.coordinate(system_dof, cell, parabola.position_at(time));
    state.v[system_dof] = cell.direction * grid_.spacing(system_dof) * parabola.velocity_at(time);
  }
}

void DofMotions::gradient(Eigen::VectorXd &gradient) const
{
  gradient.setZero(couplings_.n_dofs());
  for (int dof = 0; dof < n_free(); ++dof)
  {
    const int system_dof = couplings_.system_dof(dof);
    gradient[system_dof] = forces_[dof].value / (orders_.cell(dof).direction * grid_.spacing(system_dof));
  }
}

double DofMotions::time_scale() const
{
  double rate = 0;
  for (int dof = 0; dof < n_free(); ++dof)
  {
    const Parabola parabola = this->parabola(dof);
    rate = std::max(rate, std::fabs(parabola.velocity) + std::sqrt(std::fabs(parabola.half_acceleration)));
  }
  return 1 / rate;
}

std::size_t DofMotions::memory_bytes() const
{
  return couplings_.memory_bytes() + orders_.memory_bytes() + records_.memory_bytes() + forces_.capacity() * sizeof(Force);
}

void DofMotions::archive(Archive &archive)
{
  const Archive::Part part(archive, "motions");
  orders_.archive(archive);
  records_.archive(archive);
  std::vector<double> values(forces_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = forces_[i].value;
  archive("force", values);
  for (std::size_t i = 0; i < values.size(); ++i) forces_[i].value = values[i];
}
}  // namespace freefall::force_stepping

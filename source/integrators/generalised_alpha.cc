#include <freefall/core/errors.h>
#include <freefall/integrators/generalised_alpha.h>
#include <freefall/integrators/refuse_conditions.h>

#include <fmt/format.h>

namespace freefall
{
void GeneralisedAlpha::declare_parameters(ParameterSection &section)
{
  section.declare("Family", "Chung-Hulbert", Pattern::choice({"Chung-Hulbert", "HHT"}),
                  "HHT: damping begins at lower frequencies for the same spectral radius.");
  section.declare("Spectral radius", "0.8", Pattern::number("", Bounds::closed(0, 1)),
                  "Factor by which one step multiplies infinitely fast vibrations. 1: no damping. HHT takes 0.5 to 1.");
  NewtonSolver::declare_parameters(section);
}

GeneralisedAlpha::Settings GeneralisedAlpha::parse_parameters(const ParameterSection &section)
{
  const auto family = section.text("Family") == "HHT" ? Family::hht : Family::chung_hulbert;
  if (family == Family::hht && section.number("Spectral radius") < 0.5)
    throw section.error("Spectral radius", "the HHT family takes 0.5 to 1; use the family Chung-Hulbert for more damping");
  return {family, section.number("Spectral radius"), NewtonSolver::parse_parameters(section)};
}

GeneralisedAlpha::GeneralisedAlpha(const Settings &settings) : NewtonMethod(settings.newton), settings_(settings)
{
  const double rho = settings.spectral_radius;
  const bool is_hht = settings.family == Family::hht;
  if (!(rho >= (is_hht ? 0.5 : 0)) || !(rho <= 1))
    throw InputError(fmt::format("{}: the spectral radius {} must lie between {} and 1", name(), rho, is_hht ? 0.5 : 0.));
  alpha_m_ = is_hht ? 0 : (2 * rho - 1) / (rho + 1);
  alpha_f_ = is_hht ? (1 - rho) / (1 + rho) : rho / (rho + 1);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (1 - alpha_m_ + alpha_f_) * (1 - alpha_m_ + alpha_f_);
}

void GeneralisedAlpha::start(const System &system, const State &state)
{
  refuse_conditions(system, name());
  attach(system);
  evaluate_gradient(state.q);
  now_rate_ = system.solve_mass(gradient_);
  a_ = -now_rate_;
}

void GeneralisedAlpha::step(const State &now, double dt, State &next)
{
  // With a_n+1 = (q_n+1 - predictor) / (beta dt^2) the balance is M (q - target) + c grad V(q) = 0.
  const double c = beta_ * dt * dt / (1 - alpha_m_);
  target_ = now.q + dt * now.v + (0.5 - beta_) * dt * dt * a_ - c * (alpha_m_ * a_ + alpha_f_ * now_rate_);
  next.q = now.q + dt * now.v + 0.5 * dt * dt * a_;
  solve_for_position(target_, c * (1 - alpha_f_), motion_of(now, dt), now.q, next.q);
  next_rate_ = system().solve_mass(gradient_);
  next_a_ = -(alpha_m_ * a_ + (1 - alpha_f_) * next_rate_ + alpha_f_ * now_rate_) / (1 - alpha_m_);
  next.v = now.v + dt * ((1 - gamma_) * a_ + gamma_ * next_a_);
  zero_fixed(next.v);
  a_.swap(next_a_);
  now_rate_.swap(next_rate_);
}
}  // namespace freefall

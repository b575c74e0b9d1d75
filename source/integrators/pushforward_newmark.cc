#include <freefall/core/errors.h>
#include <freefall/integrators/pushforward_newmark.h>
#include <freefall/integrators/refuse_conditions.h>

#include <fmt/format.h>
#include <cmath>

namespace freefall
{
void PushforwardNewmark::declare_parameters(ParameterSection &section)
{
  section.declare("Beta", "0.25", Pattern::number("", Bounds::non_negative()),
                  "From 1/4 on stable at any step where the potential is convex.");
  NewtonSolver::declare_parameters(section);
}

PushforwardNewmark::Settings PushforwardNewmark::parse_parameters(const ParameterSection &section)
{
  return {section.number("Beta"), NewtonSolver::parse_parameters(section)};
}

PushforwardNewmark::PushforwardNewmark(const Settings &settings) : NewtonMethod(settings.newton), settings_(settings)
{
  if (!(settings.beta >= 0)) throw InputError(fmt::format("pushforward Newmark: beta = {} must not be negative", settings.beta));
}

void PushforwardNewmark::start(const System &system, const State &state)
{
  refuse_conditions(system, name());
  attach(system);
  evaluate_gradient(state.q);
  a_ = -system.solve_mass(gradient_);
  step_of_a_ = 0;
}

void PushforwardNewmark::evaluate(const State &state, const Eigen::VectorXd &x, double dt)
{
  step_of_a_ = 0;
  const double c = settings_.beta * dt * dt;
  y_ = x + c * a_;
  solve_for_position(x, c, motion_of(state, dt), state.q, y_);
  a_ = -system().solve_mass(gradient_);
  zero_fixed(a_);
  step_of_a_ = std::abs(dt);
}

void PushforwardNewmark::step(const State &now, double dt, State &next)
{
  // a depends on the step: compositions change it from one step to the next.
  if (step_of_a_ != std::abs(dt)) evaluate(now, now.q, dt);
  next.v = now.v + dt / 2 * a_;
  zero_fixed(next.v);
  next.q = now.q + dt * next.v;
  evaluate(now, next.q, dt);
  next.v += dt / 2 * a_;
}
}  // namespace freefall

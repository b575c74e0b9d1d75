#include <freefall/core/errors.h>
#include <freefall/integrators/implicit_newmark.h>

#include <fmt/format.h>

namespace freefall
{
void ImplicitNewmark::declare_parameters(ParameterSection &section)
{
  section.declare("Beta", "0.25", Pattern::number("", Bounds::non_negative()),
                  "Weight of the new acceleration in the positions. From gamma/2 on stable at any step where the potential is "
                  "convex; 0 is explicit.");
  section.declare("Gamma", "0.5", Pattern::number("", Bounds::closed(0, 1)),
                  "Weight of the new acceleration in the velocities. 0.5: second order, no damping; above: first order, damps.");
  NewtonSolver::declare_parameters(section);
}

ImplicitNewmark::Settings ImplicitNewmark::parse_parameters(const ParameterSection &section)
{
  return {section.number("Beta"), section.number("Gamma"), NewtonSolver::parse_parameters(section)};
}

ImplicitNewmark::ImplicitNewmark(const Settings &settings) : NewtonMethod(settings.newton), settings_(settings)
{
  if (!(settings.beta >= 0) || !(settings.gamma >= 0) || !(settings.gamma <= 1))
    throw InputError(fmt::format("Newmark: beta = {} must not be negative and gamma = {} must lie between 0 and 1", settings.beta,
                                 settings.gamma));
}

void ImplicitNewmark::start(const System &system, const State &state)
{
  attach(system);
  evaluate_gradient(state.q);
  a_now_ = -system.solve_mass(gradient_);
}

void ImplicitNewmark::step(const State &now, double dt, State &next)
{
  const double c = settings_.beta * dt * dt;
  target_ = now.q + dt * now.v + (0.5 - settings_.beta) * dt * dt * a_now_;
  if (settings_.beta == 0)
  {
    next.q = target_;
    for (const int dof : system().fixed_dofs()) next.q[dof] = now.q[dof];
    evaluate_gradient(next.q);
  }
  else
  {
    next.q = target_ + c * a_now_;
    solve_for_position(target_, c, motion_of(now, dt), now.q, next.q);
  }
  a_next_ = -system().solve_mass(gradient_);
  next.v = now.v + dt * ((1 - settings_.gamma) * a_now_ + settings_.gamma * a_next_);
  zero_fixed(next.v);
  a_now_.swap(a_next_);
}
}  // namespace freefall

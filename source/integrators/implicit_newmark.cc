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
  section.declare("Newton iterations", "converged", Pattern::integer(1).or_word("converged"),
                  "converged: as many as Tolerance asks for. A number: exactly so many from the last acceleration, without a "
                  "look at the residual; with 1 one linear solve a step (TO 4.1), no longer symplectic.");
  section.declare("Acceleration", "evaluated", Pattern::choice({"evaluated", "linearised"}),
                  "With a number of Newton iterations. evaluated: -M^-1 grad V(q) at the new positions. linearised: that of the last "
                  "linear equation for them.");
  NewtonSolver::declare_parameters(section);
}

ImplicitNewmark::Settings ImplicitNewmark::parse_parameters(const ParameterSection &section)
{
  Settings settings{section.number("Beta"), section.number("Gamma"), NewtonSolver::parse_parameters(section)};
  if (!section.is_word("Newton iterations", "converged")) settings.newton.fixed_iterations = section.integer("Newton iterations");
  settings.keeps_linearised_acceleration = section.text("Acceleration") == "linearised";
  return settings;
}

void ImplicitNewmark::archive(Archive &archive)
{
  NewtonMethod::archive(archive);
  // The others follow from the positions.
  if (settings_.keeps_linearised_acceleration) archive.list("acceleration", a_now_);
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
  conditions_ = system.conditions();
  if (conditions_)
  {
    driven_.attach(system);
    driven_.evaluate(state.time, state.q, gradient_);
    ++n_force_evaluations_;
  }
  else
    evaluate_gradient(state.q);
  a_now_ = -system.solve_mass(gradient_);
}

void ImplicitNewmark::step(const State &now, double dt, State &next)
{
  if (conditions_) return step_with_conditions(now, dt, next);
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
  if (settings_.keeps_linearised_acceleration && settings_.newton.fixed_iterations && c > 0)
    a_next_ = (next.q - target_) / c;
  else
    a_next_ = -system().solve_mass(gradient_);
  next.v = now.v + dt * ((1 - settings_.gamma) * a_now_ + settings_.gamma * a_next_);
  zero_fixed(next.v);
  a_now_.swap(a_next_);
}

void ImplicitNewmark::step_with_conditions(const State &now, double dt, State &next)
{
  const double c = settings_.beta * dt * dt;
  Work work = now.work;
  velocity_ = now.v;
  if (conditions_->has_damping()) conditions_->damp(now.q, dt / 2, velocity_, work);
  target_ = now.q + dt * velocity_ + (0.5 - settings_.beta) * dt * dt * a_now_;
  // Where Newton's iteration may always begin: the old positions, with the supports where they will be.
  start_ = now.q;
  next.v.setZero();
  conditions_->prescribe(next.time, start_, next.v);
  next.q = target_ + c * a_now_;
  for (const int dof : system().fixed_dofs()) next.q[dof] = start_[dof];
  if (settings_.beta > 0)
  {
    loads_ = [&](const Eigen::VectorXd &q, Eigen::VectorXd &forces) { conditions_->add_loads(next.time, q, forces); };
    if (!conditions_->has_loads()) loads_ = {};
    solve_for_position(target_, c, motion_of(now, dt), start_, next.q);
    loads_ = {};
  }
  driven_.evaluate(next.time, next.q, gradient_);
  ++n_force_evaluations_;
  a_next_ = -system().solve_mass(gradient_);
  next.v = velocity_ + dt * ((1 - settings_.gamma) * a_now_ + settings_.gamma * a_next_);
  zero_fixed(next.v);
  conditions_->prescribe(next.time, start_, next.v);
  driven_.book(now, work, next);
  if (conditions_->has_damping()) conditions_->damp(next.q, dt / 2, next.v, next.work);
  a_now_.swap(a_next_);
}
}  // namespace freefall

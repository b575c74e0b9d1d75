#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/newton_progress.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
ConstrainedOdeMethod::ConstrainedOdeMethod(Formulation formulation, int n_stages, const CountedProjections::Tolerances &projections)
  : ode_(formulation),
    n_stages_(n_stages),
    projects_(projections.position.has_value() || projections.momentum.has_value()),
    projections_(projections)
{
  if (n_stages == 0) return;
  const GaussCollocation tableau(n_stages);
  matrix_ = tableau.matrix();
  weights_ = tableau.weights();
}

std::string ConstrainedOdeMethod::name() const
{
  const char *formulations[] = {"the naive underlying ODE", "the Hamilton-Dirac equations", "the extended Hamiltonian"};
  const std::string method = n_stages_ == 0   ? "Runge-Kutta 4"
                             : n_stages_ == 1 ? "implicit midpoint"
                                              : fmt::format("Gauss collocation with {} stages", n_stages_);
  return fmt::format("{} on {}", method, formulations[static_cast<int>(ode_.formulation())]);
}

void ConstrainedOdeMethod::start(const System &system, const State &)
{
  if (!system.constraints())
    throw InputError(fmt::format("{} is for systems with constraints, and this one has none: choose another integrator", name()));
  system_ = &system;
  ode_.attach(system);
  const std::size_t n = n_stages_ == 0 ? 4 : n_stages_;
  for (auto *slopes : {&slope_q_, &slope_v_, &old_q_, &old_v_}) slopes->assign(n, Eigen::VectorXd::Zero(system.n_dofs()));
}

void ConstrainedOdeMethod::step(const State &now, double dt, State &next)
{
  if (n_stages_ == 0)
    step_explicitly(now, dt, next);
  else
    step_implicitly(now, dt, next);
  n_force_evaluations_ = ode_.n_evaluations();
  if (projects_) projections_.apply(*system_->constraints(), ode_.matrix(), next.q, next.v);
}

void ConstrainedOdeMethod::step_explicitly(const State &now, double dt, State &next)
{
  ode_(now.q, now.v, slope_q_[0], slope_v_[0]);
  const double fractions[] = {0, 0.5, 0.5, 1};
  for (int stage = 1; stage < 4; ++stage)
  {
    stage_q_ = now.q + fractions[stage] * dt * slope_q_[stage - 1];
    stage_v_ = now.v + fractions[stage] * dt * slope_v_[stage - 1];
    ode_(stage_q_, stage_v_, slope_q_[stage], slope_v_[stage]);
  }
  next.q = now.q + dt / 6 * (slope_q_[0] + 2 * slope_q_[1] + 2 * slope_q_[2] + slope_q_[3]);
  next.v = now.v + dt / 6 * (slope_v_[0] + 2 * slope_v_[1] + 2 * slope_v_[2] + slope_v_[3]);
}

void ConstrainedOdeMethod::step_implicitly(const State &now, double dt, State &next)
{
  for (int i = 0; i < n_stages_; ++i) ode_(now.q, now.v, slope_q_[i], slope_v_[i]);
  NewtonProgress progress(now.q.cwiseAbs().maxCoeff() + std::abs(dt) * now.v.cwiseAbs().maxCoeff());
  while (true)
  {
    old_q_ = slope_q_;
    old_v_ = slope_v_;
    double change = 0;
    for (int i = 0; i < n_stages_; ++i)
    {
      stage_q_ = now.q;
      stage_v_ = now.v;
      for (int j = 0; j < n_stages_; ++j)
      {
        stage_q_ += dt * matrix_(i, j) * old_q_[j];
        stage_v_ += dt * matrix_(i, j) * old_v_[j];
      }
      ode_(stage_q_, stage_v_, slope_q_[i], slope_v_[i]);
      change = std::max({change, std::abs(dt) * (slope_q_[i] - old_q_[i]).cwiseAbs().maxCoeff(),
                         dt * dt * (slope_v_[i] - old_v_[i]).cwiseAbs().maxCoeff()});
      if (!stage_q_.allFinite()) throw StepFailed("the stages are not finite; a shorter step may help");
    }
    const auto verdict = progress.judge(change);
    if (verdict == NewtonProgress::Verdict::converged) break;
    if (verdict == NewtonProgress::Verdict::failed)
      throw StepFailed(fmt::format("the functional iteration for the stages did not converge in {} iterations; use a shorter step",
                                   progress.n_iterations()));
  }
  next.q = now.q;
  next.v = now.v;
  for (int i = 0; i < n_stages_; ++i)
  {
    next.q += dt * weights_[i] * slope_q_[i];
    next.v += dt * weights_[i] * slope_v_[i];
  }
}

void ConstrainedOdeMethod::archive(Archive &archive)
{
  ode_.archive(archive);
  projections_.archive(archive);
  n_force_evaluations_ = ode_.n_evaluations();
}

NamedValues ConstrainedOdeMethod::summary() const
{
  return {{"n_constraint_evaluations", static_cast<double>(ode_.n_evaluations() + projections_.n_evaluations())},
          {"n_matrix_factorisations", static_cast<double>(ode_.matrix().n_factorisations())},
          {"n_matrix_solves", static_cast<double>(ode_.matrix().n_solves())},
          {"n_position_projections", static_cast<double>(projections_.n_positions())},
          {"n_momentum_projections", static_cast<double>(projections_.n_momenta())}};
}
}  // namespace freefall

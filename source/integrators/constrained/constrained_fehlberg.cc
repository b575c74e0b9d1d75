#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constrained_fehlberg.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
/// Stages 2 to 6.
constexpr double a[5][5] = {{1. / 4},
                            {3. / 32, 9. / 32},
                            {1932. / 2197, -7200. / 2197, 7296. / 2197},
                            {439. / 216, -8, 3680. / 513, -845. / 4104},
                            {-8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40}};
constexpr double order5[6] = {16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55};
constexpr double order4[6] = {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0};
}  // namespace

ConstrainedFehlberg::ConstrainedFehlberg(const Settings &settings)
  : settings_(settings), ode_(settings.formulation), projections_(settings.projections)
{
  if (!(settings.relative > 0) || !(settings.absolute > 0))
    throw InputError(fmt::format("Fehlberg: relative tolerance {} and absolute tolerance {} must be positive", settings.relative,
                                 settings.absolute));
}

void ConstrainedFehlberg::initialize(const System &system, const State &state)
{
  if (!system.constraints()) throw InputError("Fehlberg on constrained systems needs constraints: choose Dormand-Prince");
  system_ = &system;
  ode_.attach(system);
  statistics_ = {};
  n_rejected_ = 0;
  next_ = state;
  ode_(state.q, state.v, slope_q_[0], slope_v_[0]);
  // A hundredth of the time in which q or v would change by themselves; the controller does the rest.
  const double speed = state.v.norm(), force = slope_v_[0].norm();
  first_step_ = speed > 0 && force > 0 ? 0.01 * speed / force : force > 0 ? 0.01 / std::sqrt(force) : 1;
  step_ = first_step_;
}

double ConstrainedFehlberg::try_step(const State &state)
{
  ode_(state.q, state.v, slope_q_[0], slope_v_[0]);
  for (int stage = 1; stage < 6; ++stage)
  {
    next_.q = state.q;
    next_.v = state.v;
    for (int j = 0; j < stage; ++j)
    {
      next_.q += step_ * a[stage - 1][j] * slope_q_[j];
      next_.v += step_ * a[stage - 1][j] * slope_v_[j];
    }
    ode_(next_.q, next_.v, slope_q_[stage], slope_v_[stage]);
  }
  next_.q = state.q;
  next_.v = state.v;
  for (int j = 0; j < 6; ++j)
  {
    next_.q += step_ * order5[j] * slope_q_[j];
    next_.v += step_ * order5[j] * slope_v_[j];
  }
  double sum = 0;
  for (Eigen::Index i = 0; i < state.q.size(); ++i)
  {
    double error_q = 0, error_v = 0;
    for (int j = 0; j < 6; ++j)
    {
      error_q += (order5[j] - order4[j]) * slope_q_[j][i];
      error_v += (order5[j] - order4[j]) * slope_v_[j][i];
    }
    sum += std::pow(step_ * error_q / (settings_.absolute + settings_.relative * std::abs(state.q[i])), 2) +
           std::pow(step_ * error_v / (settings_.absolute + settings_.relative * std::abs(state.v[i])), 2);
  }
  return std::sqrt(sum / (2 * state.q.size()));
}

void ConstrainedFehlberg::advance(State &state, double time)
{
  while (state.time < time)
  {
    double error = std::numeric_limits<double>::infinity();
    std::string cause = "the error estimate stays too large";
    try
    {
      error = try_step(state);
      if (error <= 1) projections_.apply(*system_->constraints(), ode_.matrix(), next_.q, next_.v);
    }
    catch (const DomainError &outside)
    {
      error = std::numeric_limits<double>::infinity();
      cause = outside.what();
    }
    catch (const StepFailed &failed)
    {
      error = std::numeric_limits<double>::infinity();
      cause = failed.what();
    }
    statistics_.n_force_evaluations = ode_.n_evaluations();
    if (error <= 1)
    {
      state.q.swap(next_.q);
      state.v.swap(next_.v);
      state.time += step_;
      ++statistics_.n_steps;
      statistics_.last_time_step = step_;
      statistics_.smallest_time_step = std::min(statistics_.smallest_time_step, step_);
      statistics_.largest_time_step = std::max(statistics_.largest_time_step, step_);
    }
    else
      ++n_rejected_;
    const double factor = std::isfinite(error) ? 0.9 * std::pow(std::max(error, 1e-10), -0.2) : 0.2;
    const double next_step = step_ * std::clamp(factor, 0.2, error <= 1 ? 5. : 1.);
    if (!(error <= 1) && next_step <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(state.time), first_step_))
      throw StepFailed(fmt::format("Fehlberg: the step at time {} fell to {}: {}", state.time, step_, cause));
    step_ = next_step;
  }
}

NamedValues ConstrainedFehlberg::summary() const
{
  return {{"n_rejected_steps", static_cast<double>(n_rejected_)},
          {"n_constraint_evaluations", static_cast<double>(ode_.n_evaluations() + projections_.n_evaluations())},
          {"n_matrix_factorisations", static_cast<double>(ode_.matrix().n_factorisations())},
          {"n_matrix_solves", static_cast<double>(ode_.matrix().n_solves())},
          {"n_position_projections", static_cast<double>(projections_.n_positions())},
          {"n_momentum_projections", static_cast<double>(projections_.n_momenta())}};
}

void ConstrainedFehlberg::archive_memory(Archive &archive, const State &)
{
  archive("step", step_);
  archive("first_step", first_step_);
  archive("n_rejected", n_rejected_);
  ode_.archive(archive);
  projections_.archive(archive);
}
}  // namespace freefall

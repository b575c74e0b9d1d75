#include <freefall/integrators/velocity_verlet.h>

namespace freefall
{
namespace
{
/// Below this many dofs loops run in scalars: the entries have just been written one by one, and reading them back in a
/// vector register would wait for the stores to reach the cache.
constexpr Eigen::Index few_dofs = 8;

/// v' = v - dt/2 a, q' = q + dt v'.
inline void kick_and_drift(Eigen::Index n,
                           double dt,
                           const double *q,
                           const double *v,
                           const double *minus_a,
                           double *__restrict next_q,
                           double *__restrict next_v)
{
  for (Eigen::Index i = 0; i < n; ++i)
  {
    next_v[i] = v[i] - dt / 2 * minus_a[i];
    next_q[i] = q[i] + dt * next_v[i];
  }
}
/// -a = M^-1 grad V in place of grad V, v' -= dt/2 (-a).
inline void accelerate_and_kick(
  Eigen::Index n, double dt, const double *inverse_mass, double *__restrict gradient, double *__restrict next_v)
{
  for (Eigen::Index i = 0; i < n; ++i)
  {
    gradient[i] *= inverse_mass[i];
    next_v[i] -= dt / 2 * gradient[i];
  }
}
/// The same in scalars.
[[gnu::optimize("no-tree-vectorize")]] void kick_and_drift_few(Eigen::Index n,
                                                               double dt,
                                                               const double *q,
                                                               const double *v,
                                                               const double *minus_a,
                                                               double *__restrict next_q,
                                                               double *__restrict next_v)
{
  for (Eigen::Index i = 0; i < n; ++i)
  {
    next_v[i] = v[i] - dt / 2 * minus_a[i];
    next_q[i] = q[i] + dt * next_v[i];
  }
}
[[gnu::optimize("no-tree-vectorize")]] void accelerate_and_kick_few(
  Eigen::Index n, double dt, const double *inverse_mass, double *__restrict gradient, double *__restrict next_v)
{
  for (Eigen::Index i = 0; i < n; ++i)
  {
    gradient[i] *= inverse_mass[i];
    next_v[i] -= dt / 2 * gradient[i];
  }
}
}  // namespace

void VelocityVerlet::start(const System &system, const State &state)
{
  system_ = &system;
  conditions_ = system.conditions();
  if (conditions_) driven_.attach(system);
  mass_is_diagonal_ = system.mass_is_diagonal();
  inverse_mass_ = system.diagonal_mass().cwiseInverse();
  evaluate(state.time, state.q);
}

void VelocityVerlet::step(const State &now, double dt, State &next)
{
  if (conditions_) return step_with_conditions(now, dt, next);
  const Eigen::Index n = now.q.size();
  (n <= few_dofs ? kick_and_drift_few : kick_and_drift)(n, dt, now.q.data(), now.v.data(), minus_acceleration_.data(),
                                                        next.q.data(), next.v.data());
  for (const int dof : system_->fixed_dofs())
  {
    next.v[dof] = 0;
    next.q[dof] = now.q[dof];
  }
  system_->gradient(next.q, minus_acceleration_);
  ++n_force_evaluations_;
  if (mass_is_diagonal_)
    (n <= few_dofs ? accelerate_and_kick_few : accelerate_and_kick)(n, dt, inverse_mass_.data(), minus_acceleration_.data(),
                                                                    next.v.data());
  else
  {
    minus_acceleration_ = system_->solve_mass(minus_acceleration_);
    next.v.noalias() -= dt / 2 * minus_acceleration_;
  }
}

void VelocityVerlet::step_with_conditions(const State &now, double dt, State &next)
{
  Work work = now.work;
  next.v = now.v;
  if (conditions_->has_damping()) conditions_->damp(now.q, dt / 2, next.v, work);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
  for (const int dof : system_->fixed_dofs()) next.v[dof] = 0;
  next.q.noalias() = now.q + dt * next.v;
  conditions_->prescribe(next.time, next.q, next.v);
  evaluate(next.time, next.q);
  next.v.noalias() -= dt / 2 * minus_acceleration_;
  driven_.book(now, work, next);
  if (conditions_->has_damping()) conditions_->damp(next.q, dt / 2, next.v, next.work);
}

void VelocityVerlet::evaluate(double time, const Eigen::VectorXd &q)
{
  if (conditions_)
    driven_.evaluate(time, q, minus_acceleration_);
  else
    system_->gradient(q, minus_acceleration_);
  if (mass_is_diagonal_)
    minus_acceleration_.array() *= inverse_mass_.array();
  else
    minus_acceleration_ = system_->solve_mass(minus_acceleration_);
  ++n_force_evaluations_;
}
}  // namespace freefall

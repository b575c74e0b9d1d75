#include <freefall/core/errors.h>
#include <freefall/systems/damping.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
/// Where 1 - z + z^2/2 still falls far enough below 1; 2 is the limit of stability.
constexpr double largest_rate_times_step = 1.5;
/// More steps than this are a slip of the finger: the viscosity is far beyond what a step resolves.
constexpr double max_steps = 1000;
}  // namespace

Damping::Damping(const Eigen::VectorXd &diagonal_mass, Span<const int> supported_dofs, const SharedDofs *shared)
  : mass_(diagonal_mass),
    inverse_mass_(diagonal_mass.cwiseInverse()),
    supported_(supported_dofs.begin(), supported_dofs.end()),
    shared_(shared)
{
  for (const int dof : supported_) inverse_mass_[dof] = 0;
}

void Damping::set_mass_proportional(const Eigen::VectorXd &alpha)
{
  if (!(alpha.array() >= 0).all()) throw InputError("damping: the mass-proportional rate alpha must not be negative");
  alpha_ = alpha;
  is_mass_proportional_ = true;
}

void Damping::use_all_ranks()
{
  if (!shared_) return;
  is_mass_proportional_ = ranks::any(is_mass_proportional_);
  if (is_mass_proportional_ && alpha_.size() == 0) alpha_.setZero(mass_.size());
  others_are_viscous_ = ranks::any(!viscous_.empty());
}

double Damping::evaluate(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &forces) const
{
  forces.setZero(v.size());
  double rate = 0;
  for (const auto &elements : viscous_) rate = std::max(rate, elements->add_forces(q, v, forces));
  if (!shared_) return rate;
  shared_->add(forces);
  return ranks::maximum(rate);
}

double Damping::support_power(const Eigen::VectorXd &forces, const Eigen::VectorXd &v) const
{
  double power = 0;
  for (const int dof : supported_)
    if (is_owned(dof)) power += forces[dof] * v[dof];
  return sum(power);
}

void Damping::damp(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const
{
  if (is_mass_proportional_)
  {
    double fed = 0;
    for (const int dof : supported_)
      if (is_owned(dof)) fed += alpha_[dof] * mass_[dof] * v[dof] * v[dof] * dt;
    double lost = fed;
    for (Eigen::Index dof = 0; dof < v.size(); ++dof)
    {
      if (inverse_mass_[dof] == 0) continue;
      // 1 - exp(-2 alpha dt) without cancellation.
      if (is_owned(static_cast<int>(dof))) lost -= 0.5 * mass_[dof] * v[dof] * v[dof] * std::expm1(-2 * alpha_[dof] * dt);
      v[dof] *= std::exp(-alpha_[dof] * dt);
    }
    work.damping += sum(lost);
    work.supports += sum(fed);
  }
  if (is_viscous()) damp_viscous(q, dt, v, work);
}

void Damping::damp_viscous(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const
{
  Eigen::VectorXd forces, second_forces, predicted, change;
  const double rate = evaluate(q, v, forces);
  const double n_steps = std::max(1., std::ceil(rate * dt / largest_rate_times_step));
  if (!(n_steps <= max_steps))
    throw StepFailed(fmt::format("viscous damping would need {:.3g} steps of its own in {:.3g} s: its fastest rate is {:.3g} 1/s. "
                                 "Lower the viscosity (beta), or shorten the time step.",
                                 n_steps, dt, rate));
  const double h = dt / n_steps;
  for (int i = 0; i < static_cast<int>(n_steps); ++i)
  {
    if (i > 0) evaluate(q, v, forces);
    predicted = v - h * inverse_mass_.cwiseProduct(forces);
    evaluate(q, predicted, second_forces);
    forces += second_forces;
    change = -h / 2 * inverse_mass_.cwiseProduct(forces);
    const double fed = h / 2 * support_power(forces, v);
    // The drop of the free kinetic energy, M (v^2 - (v + change)^2) / 2, without subtracting squares.
    const Eigen::VectorXd momentum = mass_.cwiseProduct(change), mean = v + 0.5 * change;
    work.damping += fed - (shared_ ? shared_->dot(momentum, mean) : momentum.dot(mean));
    work.supports += fed;
    v += change;
  }
}
}  // namespace freefall

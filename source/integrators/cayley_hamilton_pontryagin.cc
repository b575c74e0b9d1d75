#include <freefall/core/errors.h>
#include <freefall/integrators/cayley_hamilton_pontryagin.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>

namespace freefall
{
namespace
{
/// D(w) y.
Eigen::Vector3d transported(const Eigen::Vector3d &w, const Eigen::Vector3d &y)
{
  return y + w.cross(y) / 2 + w.dot(y) / 4 * w;
}

/// cay(w) by its closed form, orthogonal to rounding.
Eigen::Matrix3d cayley(const Eigen::Vector3d &w)
{
  const Eigen::Matrix3d W = hat(w);
  return Eigen::Matrix3d::Identity() + (W + W * W / 2) / (1 + w.squaredNorm() / 4);
}
}  // namespace

void CayleyHamiltonPontryagin::start(const System &system, const State &)
{
  body_ = dynamic_cast<const RigidBody *>(&system);
  if (!body_)
    throw InputError(fmt::format("{} moves a rigid body and nothing else: set Problem = rigid body, or choose another integrator",
                                 name()));
}

void CayleyHamiltonPontryagin::solve(const Eigen::Vector3d &momentum, double dt, Eigen::Vector3d &W)
{
  constexpr int max_iterations = 50;
  const auto J = body_->inertia().asDiagonal();
  double last_change = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < max_iterations; ++iteration)
  {
    ++n_iterations_;
    const Eigen::Vector3d JW = J * W;
    const Eigen::Matrix3d slope = Eigen::Matrix3d(J) + dt / 2 * (hat(W) * J - hat(JW)) +
                                  dt * dt / 4 * (W.dot(JW) * Eigen::Matrix3d::Identity() + 2 * W * JW.transpose());
    const Eigen::Vector3d change = slope.partialPivLu().solve(momentum - transported(dt * W, JW));
    if (!change.allFinite()) break;
    W += change;
    // Quadratic convergence ends at rounding, where the changes stop decreasing.
    const double size = change.norm(), scale = W.norm() + 1e-300;
    if (size <= 1e-16 * scale || (size <= 1e-12 * scale && size >= 0.5 * last_change)) return;
    last_change = size;
  }
  throw StepFailed(fmt::format("the angular velocity of the step was not found; the body turns by about {:.3g} rad in a step of "
                               "{:.3g} s, a shorter one helps",
                               (momentum.cwiseQuotient(body_->inertia()) * dt).norm(), dt));
}

void CayleyHamiltonPontryagin::step(const State &now, double dt, State &next)
{
  const auto J = body_->inertia().asDiagonal();
  const Eigen::Matrix3d R = RigidBody::rotation(now);
  const Eigen::Vector3d O = RigidBody::angular_velocity(now);
  Eigen::Vector3d momentum = form_ == Form::first_order ? transported(-dt * O, J * O) : Eigen::Vector3d(J * O);
  momentum += (form_ == Form::first_order ? dt : dt / 2) * body_->torque(now.q, gradient_);
  ++n_force_evaluations_;
  Eigen::Vector3d W = O;
  solve(momentum, dt, W);
  const Eigen::Matrix3d end = R * cayley(dt * W);
  RigidBody::set_state(end, W, next);
  if (form_ == Form::first_order) return;
  momentum = transported(-dt * W, J * W) + dt / 2 * body_->torque(next.q, gradient_);
  ++n_force_evaluations_;
  RigidBody::set_state(end, momentum.cwiseQuotient(body_->inertia()), next);
}
}  // namespace freefall

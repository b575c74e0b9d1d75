#include <freefall/core/errors.h>
#include <freefall/potentials/curved_contact.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
CurvedContact::CurvedContact(const RigidRound &obstacle, const std::vector<int> &nodes)
  : NodeContact(nodes),
    obstacle_(obstacle),
    projection_(Eigen::Matrix3d::Identity() - obstacle.axis * obstacle.axis.transpose())
{
  if (!(obstacle.radius > 0) || !(obstacle.stiffness > 0))
    throw InputError(fmt::format("{} {}: radius and stiffness must be positive", obstacle.is_sphere() ? "sphere" : "cylinder",
                                 obstacle.name));
  if (!obstacle.is_sphere() && std::abs(obstacle.axis.norm() - 1) > 1e-12)
    throw InputError(fmt::format("cylinder {}: the axis must have length 1", obstacle.name));
}

std::string CurvedContact::kind() const
{
  return fmt::format("contact node of {} {}", obstacle_.is_sphere() ? "sphere" : "cylinder", obstacle_.name);
}

Eigen::Vector3d CurvedContact::offset(const double *x) const
{
  const Eigen::Vector3d d = Eigen::Map<const Eigen::Vector3d>(x) - obstacle_.centre;
  if (obstacle_.is_sphere()) return d;
  return projection_ * d;
}

void CurvedContact::check(int term, double r) const
{
  if (r > 0 || obstacle_.is_hollow) return;
  throw DomainError(fmt::format("{} {} is at the centre of the obstacle, {:.4g} m deep: there is no way out of it. Use a shorter "
                                "time step or a stiffer obstacle.",
                                kind(), node(term), obstacle_.radius));
}

Eigen::Vector3d CurvedContact::normal(const double *x) const
{
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u);
  if (!(r > 0)) return projection_.col(0).norm() > 0.5 ? projection_.col(0).normalized() : projection_.col(1).normalized();
  return (obstacle_.is_hollow ? -1 : 1) * u / r;
}

double CurvedContact::value(int, const double *x) const
{
  const double g = depth(gap(radius(offset(x))));
  return obstacle_.stiffness / 2 * g * g;
}

void CurvedContact::gradient(int term, const double *x, double *gradient) const
{
  Eigen::Map<Eigen::Vector3d> result(gradient);
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u);
  if (gap(r) >= 0) return result.setZero(), void();
  check(term, r);
  result = obstacle_.stiffness * (r - obstacle_.radius) / r * u;
}

void CurvedContact::hessian(int term, const double *x, double *hessian) const
{
  Eigen::Map<Eigen::Matrix3d> result(hessian);
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u);
  if (gap(r) >= 0) return result.setZero(), void();
  check(term, r);
  const Eigen::Matrix3d along = u * u.transpose() / (r * r);
  result = obstacle_.stiffness * (along + (r - obstacle_.radius) / r * (projection_ - along));
}

void CurvedContact::third_derivative(int term, const double *x, const double *direction, double *contraction) const
{
  // From dV = stiffness (u - R n) and D2 n[w, w] = -(2 (n.w) w_t + |w_t|^2 n) / r^2, w_t the part of P w normal to n.
  Eigen::Map<Eigen::Vector3d> result(contraction);
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u);
  if (gap(r) >= 0) return result.setZero(), void();
  check(term, r);
  const Eigen::Vector3d n = u / r, w = projection_ * Eigen::Map<const Eigen::Vector3d>(direction);
  const double along = n.dot(w);
  const Eigen::Vector3d across = w - along * n;
  result = obstacle_.stiffness * obstacle_.radius / (r * r) * (2 * along * across + across.squaredNorm() * n);
}

double CurvedContact::radius_change(const Eigen::Vector3d &u, double r, int a, double s) const
{
  // |u + s P e_a|^2 - |u|^2 = s (2 u_a + s P_aa), as P u = u and P P = P.
  const double end = (u + s * projection_.col(a)).norm();
  const double sum = end + r;
  return sum > 0 ? s * (2 * u[a] + s * projection_(a, a)) / sum : 0;
}

double CurvedContact::difference(int term, const double *x, int a, double s) const
{
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u), g = gap(r);
  const double change = radius_change(u, r, a, s), end = g + (obstacle_.is_hollow ? -change : change);
  if (g < 0) check(term, r);
  return obstacle_.stiffness / 2 *
         (g < 0 && end < 0 ? (end - g) * (end + g) : difference_of_squares(depth(end), depth(g)));
}

double CurvedContact::mixed_difference(int term, const double *x, int a, double s, int b, double t) const
{
  const Eigen::Vector3d u = offset(x);
  const double r = radius(u), g = gap(r), sign = obstacle_.is_hollow ? -1 : 1;
  if (g < 0) check(term, r);
  const double r_a = radius_change(u, r, a, s), r_b = radius_change(u, r, b, t);
  // From r r = |u|^2 by the rule of products for mixed differences (see core/differences.h): the mixed difference of |u|^2 is
  // 2 s t P_ab.
  const double r_far = (u + s * projection_.col(a) + t * projection_.col(b)).norm(), sum = r_far + r + r_a + r_b;
  const double r_ab = sum > 0 ? 2 * (s * t * projection_(a, b) - r_a * r_b) / sum : 0;
  const double g_a = sign * r_a, g_b = sign * r_b, g_ab = sign * r_ab;
  const double corners[] = {g, g + g_a, g + g_b, g + g_a + g_b + g_ab};
  const auto is_open = [](double corner) { return corner >= 0; };
  if (std::all_of(corners, corners + 4, is_open)) return 0;
  if (std::none_of(corners, corners + 4, is_open))
    return obstacle_.stiffness / 2 * (g_ab * (corners[3] + g + g_a + g_b) + 2 * g_a * g_b);
  return obstacle_.stiffness / 2 *
         (difference_of_squares(depth(corners[3]), depth(corners[1])) - difference_of_squares(depth(corners[2]), depth(g)));
}

void CurvedContact::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  for (std::size_t i = 0; i < dofs_.size(); i += 3)
  {
    const Eigen::Vector3d u = offset(q.data() + dofs_[i]);
    const double r = radius(u);
    if (gap(r) >= 0) continue;
    check(static_cast<int>(i / 3), r);
    gradient.segment<3>(dofs_[i]) += obstacle_.stiffness * (r - obstacle_.radius) / r * u;
  }
}
}  // namespace freefall

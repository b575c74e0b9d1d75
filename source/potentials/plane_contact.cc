#include <freefall/potentials/plane_contact.h>

#include <algorithm>

namespace freefall
{
PlaneContact::PlaneContact(const RigidPlane &plane, const std::vector<int> &nodes) : NodeContact(nodes), plane_(plane) {}

double PlaneContact::gap(const double *x) const
{
  return (Eigen::Map<const Eigen::Vector3d>(x) - plane_.point).dot(plane_.normal);
}

double PlaneContact::value(int, const double *x) const
{
  const double g = depth(gap(x));
  return plane_.stiffness / 2 * g * g;
}

void PlaneContact::gradient(int, const double *x, double *gradient) const
{
  Eigen::Map<Eigen::Vector3d>(gradient, 3) = plane_.stiffness * depth(gap(x)) * plane_.normal;
}

void PlaneContact::hessian(int, const double *x, double *hessian) const
{
  const double stiffness = gap(x) < 0 ? plane_.stiffness : 0;
  Eigen::Map<Eigen::Matrix3d>(hessian).noalias() = stiffness * plane_.normal * plane_.normal.transpose();
}

void PlaneContact::third_derivative(int, const double *, const double *, double *contraction) const
{
  Eigen::Map<Eigen::Vector3d>(contraction).setZero();
}

void PlaneContact::discrete_gradient(int, const double *x0, const double *x1, double *gradient) const
{
  const double g0 = gap(x0), g1 = gap(x1);
  double mean_depth = 0.5 * (depth(g0) + depth(g1));
  // One inside and one outside: their difference has no cancellation.
  if ((g0 < 0) != (g1 < 0)) mean_depth = 0.5 * difference_of_squares(depth(g1), depth(g0)) / (g1 - g0);
  Eigen::Map<Eigen::Vector3d>(gradient, 3) = plane_.stiffness * mean_depth * plane_.normal;
}

double PlaneContact::difference(int, const double *x, int a, double s) const
{
  const double g = gap(x);
  return plane_.stiffness / 2 * difference_of_squares(depth(g + s * plane_.normal[a]), depth(g));
}

double PlaneContact::mixed_difference(int, const double *x, int a, double s, int b, double r) const
{
  const double g = gap(x), da = s * plane_.normal[a], db = r * plane_.normal[b];
  const double corners[] = {g, g + da, g + db, g + da + db};
  if (std::all_of(corners, corners + 4, [](double corner) { return corner >= 0; })) return 0;
  if (std::all_of(corners, corners + 4, [](double corner) { return corner < 0; })) return plane_.stiffness * da * db;
  return plane_.stiffness / 2 *
         (difference_of_squares(depth(corners[3]), depth(corners[1])) - difference_of_squares(depth(corners[2]), depth(g)));
}

void PlaneContact::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  for (std::size_t i = 0; i < dofs_.size(); i += 3)
  {
    const double g = gap(q.data() + dofs_[i]);
    if (g < 0) gradient.segment<3>(dofs_[i]) += plane_.stiffness * g * plane_.normal;
  }
}
}  // namespace freefall

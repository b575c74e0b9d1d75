#include <freefall/constraints/distance_constraint.h>
#include <freefall/potentials/radial_terms.h>
#include <freefall/systems/penalty_terms.h>

#include <array>
#include <map>
#include <utility>

namespace freefall
{
namespace
{
constexpr int max_n = Constraint::max_dofs;

/// The constraint as a distance of the form half_square whose dofs are those of whole points; null for others.
const DistanceConstraint *as_radial(const Constraint &constraint)
{
  const auto *distance = dynamic_cast<const DistanceConstraint *>(&constraint);
  if (!distance || distance->form() != DistanceConstraint::Form::half_square) return nullptr;
  const int dim = distance->dimension();
  for (int a = 0; a < distance->n_dofs(); ++a)
    if (distance->dofs()[a] != distance->dofs()[a / dim * dim] + a % dim || distance->dofs()[a / dim * dim] % dim) return nullptr;
  return distance;
}

template <int dim>
std::unique_ptr<LocalTerms> radial_terms(const std::string &kind, const std::vector<const DistanceConstraint *> &distances, double omega)
{
  using Terms = RadialTerms<laws::SquareStretch, dim>;
  std::vector<laws::SquareStretch> laws;
  std::vector<typename Terms::Term> terms;
  for (const DistanceConstraint *distance : distances)
  {
    laws.push_back({omega * omega, distance->length() * distance->length()});
    typename Terms::Term term{{distance->dofs()[0] / dim}, {1.}};
    if (distance->has_two_points())
      term = {{distance->dofs()[0] / dim, distance->dofs()[dim] / dim}, {-1., 1.}};
    else
      for (int axis = 0; axis < dim; ++axis) term.offset[axis] = -distance->centre()[axis];
    terms.push_back(term);
  }
  return std::make_unique<Terms>(kind, std::move(laws), terms);
}
}  // namespace

PenaltyTerms::PenaltyTerms(std::shared_ptr<const ConstraintSet> constraints, std::vector<int> members, double omega)
  : constraints_(std::move(constraints)),
    members_(std::move(members)),
    n_((*constraints_)[members_[0]].n_dofs()),
    stiffness_(omega * omega)
{
}

std::vector<std::unique_ptr<LocalTerms>> PenaltyTerms::of(std::shared_ptr<const ConstraintSet> constraints, double omega)
{
  std::map<int, std::vector<int>> by_size;
  std::map<std::pair<int, int>, std::vector<const DistanceConstraint *>> distances;  // by dimension and number of dofs
  for (int c = 0; c < constraints->size(); ++c)
    if (const auto *distance = as_radial((*constraints)[c]))
      distances[{distance->dimension(), distance->n_dofs()}].push_back(distance);
    else
      by_size[(*constraints)[c].n_dofs()].push_back(c);
  std::vector<std::unique_ptr<LocalTerms>> families;
  for (const auto &[which, members] : distances)
    families.push_back(which.first == 1   ? radial_terms<1>(kind_of_all, members, omega)
                       : which.first == 2 ? radial_terms<2>(kind_of_all, members, omega)
                                          : radial_terms<3>(kind_of_all, members, omega));
  for (auto &[size, members] : by_size)
    families.push_back(std::unique_ptr<LocalTerms>(new PenaltyTerms(constraints, members, omega)));
  return families;
}

double PenaltyTerms::value(int term, const double *x) const
{
  const double g = member(term).value(x);
  return 0.5 * stiffness_ * g * g;
}

void PenaltyTerms::gradient(int term, const double *x, double *gradient) const
{
  const double g = member(term).value(x);
  member(term).gradient(x, gradient);
  for (int a = 0; a < n_; ++a) gradient[a] *= stiffness_ * g;
}

void PenaltyTerms::hessian(int term, const double *x, double *hessian) const
{
  std::array<double, max_n> slope;
  const double g = member(term).value(x);
  member(term).gradient(x, slope.data());
  member(term).hessian(x, hessian);
  for (int a = 0; a < n_; ++a)
    for (int b = 0; b < n_; ++b) hessian[a * n_ + b] = stiffness_ * (slope[a] * slope[b] + g * hessian[a * n_ + b]);
}

void PenaltyTerms::third_derivative(int term, const double *x, const double *direction, double *contraction) const
{
  std::array<double, max_n> slope, curved{};
  std::array<double, max_n * max_n> hessian;
  const double g = member(term).value(x);
  member(term).gradient(x, slope.data());
  member(term).hessian(x, hessian.data());
  member(term).third_derivative(x, direction, contraction);
  double first = 0, second = 0;
  for (int a = 0; a < n_; ++a)
  {
    for (int b = 0; b < n_; ++b) curved[a] += hessian[a * n_ + b] * direction[b];
    first += slope[a] * direction[a];
    second += curved[a] * direction[a];
  }
  for (int a = 0; a < n_; ++a)
    contraction[a] = stiffness_ * (2 * first * curved[a] + second * slope[a] + g * contraction[a]);
}

double PenaltyTerms::difference(int term, const double *x, int a, double s) const
{
  const double change = member(term).difference(x, a, s);
  return 0.5 * stiffness_ * change * (2 * member(term).value(x) + change);
}

double PenaltyTerms::mixed_difference(int term, const double *x, int a, double s, int b, double r) const
{
  const Constraint &constraint = member(term);
  const double g = constraint.value(x), by_a = constraint.difference(x, a, s), by_b = constraint.difference(x, b, r);
  const double mixed = constraint.mixed_difference(x, a, s, b, r);
  // g_ab^2 - g_a^2 - g_b^2 + g^2 with g_ab = g + by_a + by_b + mixed.
  return 0.5 * stiffness_ * (2 * by_a * by_b + mixed * (mixed + 2 * (g + by_a + by_b)));
}
}  // namespace freefall

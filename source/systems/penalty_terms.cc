#include <freefall/systems/penalty_terms.h>

#include <array>
#include <map>

namespace freefall
{
namespace
{
constexpr int max_n = Constraint::max_dofs;
}

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
  for (int c = 0; c < constraints->size(); ++c) by_size[(*constraints)[c].n_dofs()].push_back(c);
  std::vector<std::unique_ptr<LocalTerms>> families;
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

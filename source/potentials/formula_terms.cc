#include <freefall/core/discrete_dual.h>
#include <freefall/core/errors.h>
#include <freefall/potentials/formula_terms.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace freefall
{
template <int n>
FormulaTerms<n>::FormulaTerms(
  std::string kind, Expression formula, FormulaVariables variables, std::vector<int> dofs, EnergyAccount account)
  : kind_(std::move(kind)), formula_(std::move(formula)), variables_(variables), dofs_(std::move(dofs)), account_(account)
{
  if (dofs_.size() % n != 0 || (variables == FormulaVariables::difference && n != 2))
    throw std::logic_error("the dofs of the terms of a formula do not fit its variables");
}

template <int n>
void FormulaTerms<n>::check(int term, const double *x) const
{
  std::array<Dual<double, n>, n> y;
  for (int a = 0; a < n; ++a)
  {
    y[a] = x[a];
    y[a].d[a] = 1;
  }
  const Dual<double, n> energy = evaluate(term, y.data());
  double sum = energy.x;
  for (int a = 0; a < n; ++a) sum += energy.d[a];
  if (std::isfinite(sum)) return;
  throw DomainError(fmt::format("{} {}: the formula '{}' or its derivative is not finite at ({})", kind_, term + 1,
                                formula_.formula(), fmt::join(x, x + n, ", ")));
}

template <int n>
void FormulaTerms<n>::discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const
{
  std::array<DiscreteDual<n>, n> y{};
  for (int a = 0; a < n; ++a)
  {
    y[a].x = Increment<double>(x0[a], x1[a] - x0[a]);
    y[a].d[a] = 1;
  }
  const auto energy = evaluate(term, y.data());
  double sum = 0;
  for (int a = 0; a < n; ++a) sum += gradient[a] = energy.d[a];
  if (!std::isfinite(sum))
    throw DomainError(fmt::format("{} {}: the formula '{}' or its derivative is not finite between ({}) and ({})", kind_, term + 1,
                                  formula_.formula(), fmt::join(x0, x0 + n, ", "), fmt::join(x1, x1 + n, ", ")));
}

template class FormulaTerms<1>;
template class FormulaTerms<2>;
template class FormulaTerms<3>;
}  // namespace freefall

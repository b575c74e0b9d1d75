#pragma once

#include <freefall/core/expression.h>
#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/smooth_terms.h>

#include <string>
#include <vector>

namespace freefall
{
/// What the variables of a formula are.
enum class FormulaVariables
{
  coordinates,  ///< the n dofs of a term, in order
  difference    ///< one variable: the second of two dofs minus the first
};

/// Terms given by a formula, the same for all of them: an external field V(x, y, z) on particles, an on-site potential V(q) or
/// a potential V(d) of neighbours d = q_(i+1) - q_i of a lattice.
///
/// The discrete gradient comes from discrete duals (see there): it has the symmetries that the formula shows.
///
/// Throws: DomainError where the formula or its gradient has no finite value
template <int n>
class FormulaTerms final : public SmoothTerms<FormulaTerms<n>, n>, public TermsWithDiscreteGradient
{
public:
  /// `dofs` holds the n dofs of each term, one term after another.
  FormulaTerms(std::string kind, Expression formula, FormulaVariables variables, std::vector<int> dofs, EnergyAccount account);

  std::string kind() const override { return kind_; }
  EnergyAccount account() const override { return account_; }
  int n_terms() const override { return static_cast<int>(dofs_.size()) / n; }
  Span<const int> dofs(int term) const override { return {dofs_.data() + n * term, n}; }
  void discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const override;

  template <typename T>
  T evaluate(int, const T *x) const
  {
    if (variables_ == FormulaVariables::coordinates) return formula_(x);
    const T difference = x[n - 1] - x[0];
    return formula_(&difference);
  }
  void check(int term, const double *x) const;

private:
  std::string kind_;
  Expression formula_;
  FormulaVariables variables_;
  std::vector<int> dofs_;
  EnergyAccount account_;
};
}  // namespace freefall

#pragma once

#include <freefall/core/span.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace freefall
{
/// One or more formulas, separated by `;`, of named variables: "0.1 * sin(pi * x); 0; 0".
///
/// * Syntax and functions are those of muparser, with the constants pi and e (unless a variable has that name); log is the
///   natural logarithm. Assignments and comma lists, which muparser knows too, are refused.
/// * The constructor compiles and throws InputError with formula, position (from 1), reason, and the names that are known.
/// * Values are given in the order of the variables; a wrong count is a programming mistake (std::logic_error).
/// * Evaluation writes to storage inside the object: use one copy for each thread.
class Formula
{
public:
  Formula(const std::string &text, const std::vector<std::string> &variables);
  Formula(const Formula &other);
  Formula(Formula &&) noexcept;
  Formula &operator=(Formula other) noexcept;
  ~Formula();

  /// The value of one component; infinite or NaN where the formula is.
  double operator()(Span<const double> values, int component = 0) const;
  double operator()(std::initializer_list<double> values, int component = 0) const;
  /// The same, but throws InputError naming formula and point when the value is infinite or NaN.
  double evaluate_finite(Span<const double> values, int component = 0) const;
  double evaluate_finite(std::initializer_list<double> values, int component = 0) const;

  int n_components() const { return static_cast<int>(components_.size()); }
  const std::string &text() const { return text_; }
  const std::vector<std::string> &variables() const { return variables_; }

private:
  struct Component;

  std::string text_;
  std::vector<std::string> variables_;
  std::vector<std::unique_ptr<Component>> components_;
};
}  // namespace freefall

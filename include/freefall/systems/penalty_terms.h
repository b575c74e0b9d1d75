#pragma once

#include <freefall/constraints/constraint_set.h>
#include <freefall/potentials/local_terms.h>

#include <memory>
#include <vector>

namespace freefall
{
/// Constraints as stiff springs, V = omega^2 / 2 g(q)^2 each (TO 1.7), for any integrator.
///
/// omega^2 has the units of energy / unit of g^2. The multiplier of the constrained system is the mean of omega^2 g over a
/// short time as omega grows, lambda of M a = -grad V - G^T lambda (TO 1.8 with the sign of the constrained schemes here).
class PenaltyTerms final : public LocalTerms
{
public:
  /// Distances of the form half_square, whose penalties are functions of a distance, as RadialTerms, which are fast and have a
  /// discrete gradient; of the others one family for each number of dofs. The set outlives them.
  static std::vector<std::unique_ptr<LocalTerms>> of(std::shared_ptr<const ConstraintSet> constraints, double omega);

  std::string kind() const override { return kind_of_all; }
  int n_terms() const override { return static_cast<int>(members_.size()); }
  int dofs_per_term() const override { return n_; }
  Span<const int> dofs(int term) const override { return member(term).dofs(); }

  double value(int term, const double *x) const override;
  void gradient(int term, const double *x, double *gradient) const override;
  void hessian(int term, const double *x, double *hessian) const override;
  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override;
  double difference(int term, const double *x, int a, double s) const override;
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override;

private:
  static constexpr char kind_of_all[] = "penalised constraint";
  PenaltyTerms(std::shared_ptr<const ConstraintSet> constraints, std::vector<int> members, double omega);
  const Constraint &member(int term) const { return (*constraints_)[members_[term]]; }

  std::shared_ptr<const ConstraintSet> constraints_;
  std::vector<int> members_;
  int n_;
  double stiffness_;
};
}  // namespace freefall

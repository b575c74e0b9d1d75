#pragma once

#include <freefall/potentials/local_terms.h>

#include <vector>

namespace freefall
{
/// Constant forces on single dofs, such as gravity on lumped masses: V = -sum_i f_i q_i, one term a dof with f_i != 0.
///
/// Guarantees: linear, so differences are exact up to one rounding.
class ConstantForces : public LocalTerms
{
public:
  /// One force for each dof of the system, N.
  explicit ConstantForces(const Eigen::VectorXd &forces, EnergyAccount account = EnergyAccount::external);

  std::string kind() const override { return "constant force"; }
  EnergyAccount account() const override { return account_; }
  bool is_linear() const override { return true; }
  int n_terms() const override { return static_cast<int>(dofs_.size()); }
  int dofs_per_term() const override { return 1; }
  Span<const int> dofs(int term) const override { return {dofs_.data() + term, 1}; }

  double value(int term, const double *x) const override { return -forces_[term] * x[0]; }
  void gradient(int term, const double *, double *gradient) const override { gradient[0] = -forces_[term]; }
  void hessian(int, const double *, double *hessian) const override { hessian[0] = 0; }
  void third_derivative(int, const double *, const double *, double *contraction) const override { contraction[0] = 0; }
  double difference(int term, const double *, int, double s) const override { return -forces_[term] * s; }
  double mixed_difference(int, const double *, int, double, int, double) const override { return 0; }

private:
  std::vector<int> dofs_;
  std::vector<double> forces_;
  EnergyAccount account_;
};
}  // namespace freefall

#pragma once

#include <freefall/potentials/radial_terms.h>

#include <string>
#include <vector>

namespace freefall
{
/// All pairs i < j of some points with one law: V = sum w_i w_j phi(|x_i - x_j|^2).
///
/// Energy and gradient of the whole run over coordinates stored axis by axis, a batch of pairs at a time, and allocate
/// nothing after the first call of a thread.
template <typename Law, int dim>
class PairTerms final : public RadialTerms<Law, dim>
{
public:
  /// `weights`, one a point: masses for gravity, charges for Coulomb, 1 for Lennard-Jones.
  PairTerms(std::string kind, const Law &law, std::vector<int> points, std::vector<double> weights);

  double energy(const Eigen::VectorXd &q) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;

private:
  using Base = RadialTerms<Law, dim>;
  /// Finds the pair for which the whole is not finite and throws DomainError for it.
  void check_pairs(const Eigen::VectorXd &q) const;

  std::vector<int> points_;
  std::vector<double> point_weights_;
};
}  // namespace freefall

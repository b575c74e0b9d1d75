#pragma once

#include <freefall/potentials/neighbour_list.h>
#include <freefall/potentials/radial_terms.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freefall
{
/// All pairs i < j of some points with one law: V = sum w_i w_j phi(|x_i - x_j|^2). Points may come in groups (the atoms of a rigid
/// molecule) within which there are no pairs.
///
/// Energy and gradient of the whole run over coordinates stored axis by axis, a batch of pairs at a time, and allocate
/// nothing after the first call of a thread.
///
/// With a neighbour list they visit only pairs that may be closer than its cut-off, with the same result bit for bit (see
/// NeighbourList) if the law is zero beyond. They are then for one thread at a time.
template <typename Law, int dim>
class PairTerms final : public RadialTerms<Law, dim>
{
public:
  /// `weights`, one a point: masses for gravity, charges for Coulomb, 1 for Lennard-Jones.
  /// `groups`, one number a point: pairs of one group are left out; empty: none are.
  PairTerms(
    std::string kind, const Law &law, std::vector<int> points, std::vector<double> weights, std::vector<int> groups = {});

  void use_neighbour_list(double cutoff, double skin) { list_ = std::make_unique<NeighbourList>(cutoff, skin); }
  const NeighbourList *neighbour_list() const { return list_.get(); }

  double energy(const Eigen::VectorXd &q) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;

private:
  using Base = RadialTerms<Law, dim>;
  /// Finds the pair for which the whole is not finite and throws DomainError for it.
  void check_pairs(const Eigen::VectorXd &q) const;

  /// Adds all pairs to `sum`, for a batch of points after another, and returns its total.
  template <typename Sum>
  double sum_over_pairs(const Eigen::VectorXd &q, Sum &sum) const;

  std::vector<int> points_;
  std::vector<double> point_weights_;
  std::vector<double> groups_;  ///< numbers that are different for points that do interact
  /// For each batch of points, the first and the last + 1 of those between which some share a group with one of them.
  std::vector<std::pair<int, int>> excluded_;
  std::unique_ptr<NeighbourList> list_;
};
}  // namespace freefall

#pragma once

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// Dofs that several ranks hold, because parts of the mesh on different ranks meet there.
///
/// Every rank moves all dofs that it holds. It can, because a gradient is summed over the ranks that share a dof before anyone
/// uses it: add() adds the contributions in the order of the ranks, so that all of them get the same bits and their copies of a
/// dof never part. One of the ranks, the lowest, owns a dof: sums over dofs count it there.
class SharedDofs
{
public:
  /// Dofs shared with one other rank. Both sides list them in the same order.
  struct Neighbour
  {
    int rank;
    std::vector<int> dofs;
  };

  /// Of a rank that holds `n_dofs` dofs.
  SharedDofs(int n_dofs, std::vector<Neighbour> neighbours);

  /// values[d] += the values of the other ranks that hold d. Collective among neighbours.
  void add(Eigen::VectorXd &values) const;

  bool is_owned(int dof) const { return is_owned_[dof]; }
  /// Sets the entries that this rank does not own to zero, so that a sum over ranks counts each dof once.
  void keep_owned(Eigen::VectorXd &values) const;
  /// Gives all ranks that hold a dof its owner's value. Collective among neighbours.
  void copy_from_owners(Eigen::VectorXd &values) const;
  /// Number of dofs of the whole system. Collective.
  int n_global_dofs() const;
  /// sum over owned dofs of a b, over all ranks. Collective.
  double dot(const Eigen::VectorXd &a, const Eigen::VectorXd &b) const;

private:
  std::vector<Neighbour> neighbours_;  ///< by rank
  std::vector<char> is_owned_;
  std::vector<int> shared_;                         ///< all shared dofs
  mutable std::vector<Eigen::VectorXd> outgoing_, incoming_;  ///< buffers, one a neighbour
  mutable Eigen::VectorXd own_;
};
}  // namespace freefall

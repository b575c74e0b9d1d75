#pragma once

#include <freefall/systems/block_matrix.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace freefall
{
/// L D L^T of a symmetric matrix that falls apart into small independent blocks (one a molecule), a batch of blocks at a time.
class IndependentBlocks
{
public:
  /// Rows of the largest block that is worth it: four points in space.
  static constexpr int largest_block = 12;

  /// Blocks of one size.
  class Group
  {
  public:
    virtual ~Group() = default;
    virtual int factorise(const double *values) = 0;
    virtual void solve(const double *b, double *x) const = 0;
  };

  /// Null unless all rows belong to such blocks.
  static std::unique_ptr<IndependentBlocks> find(const BlockMatrix &matrix);

  /// Returns the number of blocks with a pivot that is not positive.
  int factorise(const BlockMatrix &matrix);
  /// With the last factors, which have only positive pivots.
  void solve(const Eigen::VectorXd &b, Eigen::VectorXd &x) const;

private:
  std::vector<std::unique_ptr<Group>> groups_;
};
}  // namespace freefall

#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace freefall
{
/// A symmetric sparse matrix of dense blocks, of which the upper triangle is stored: rows of blocks one after another, the
/// diagonal first, then columns in order.
///
/// The block size is 3 where dofs come in triples (nodes of a solid), else 1. Block k holds its entries row by row at
/// values()[k * block_size^2]; diagonal blocks hold both their triangles. values() ends with a number that does not count.
///
/// Guarantees: the sparsity does not change; multiply() allocates nothing when y has its size.
class BlockMatrix
{
public:
  BlockMatrix() = default;
  /// `columns`: for each row of blocks its columns, sorted, the diagonal being the first.
  BlockMatrix(int block_size, const std::vector<std::vector<int>> &columns);

  int block_size() const { return block_size_; }
  int n_block_rows() const { return static_cast<int>(starts_.size()) - 1; }
  int n_rows() const { return block_size_ * n_block_rows(); }
  /// Where the blocks of a row start; n_block_rows() + 1 entries.
  const std::vector<int> &starts() const { return starts_; }
  const std::vector<int> &columns() const { return columns_; }
  std::vector<double> &values() { return values_; }
  const std::vector<double> &values() const { return values_; }

  /// The number of the block (row, column), row <= column; -1 if there is none.
  int find(int row, int column) const;
  /// The number of the diagonal block of a row.
  int diagonal(int row) const { return starts_[row]; }

  /// y = A x.
  void multiply(const Eigen::VectorXd &x, Eigen::VectorXd &y) const;

  /// Copies the lower triangle (diagonal included) into a matrix for direct solvers, whose sparsity is made on first use.
  void copy_lower_triangle(Eigen::SparseMatrix<double> &matrix) const;

  /// Mean over rows of how many columns the first block lies before the diagonal: factors have at most so many blocks a row.
  double mean_profile() const;

  /// Bytes held.
  std::size_t memory_consumption() const;

private:
  void multiply_numbers(const double *x, double *y) const;
  void multiply_triples(const double *x, double *y) const;

  int block_size_ = 1;
  std::vector<int> starts_{0}, columns_;
  std::vector<double> values_;  ///< and one more, so that four can be loaded at the last three
  mutable Eigen::VectorXd padded_x_, padded_y_;
};
}  // namespace freefall

#pragma once

#include <freefall/systems/block_matrix.h>
#include <freefall/systems/system.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

namespace freefall
{
/// L D L^T of the symmetric matrix of a system, whose ordering is found once.
///
/// Of a distributed system, whose matrix is the sum of what the ranks hold, rank 0 gathers, factorises and solves for all: right
/// for systems that are small enough for a factorisation in the first place. factorise() and solve() are then collective, and
/// results are the same on all ranks.
class SparseFactors
{
public:
  /// The system outlives the object.
  explicit SparseFactors(const System &system);

  /// `matrix` has the same sparsity in every call.
  void factorise(const BlockMatrix &matrix);
  /// Not larger than 0 for a matrix that is not positive definite; NaN when a pivot vanished.
  double smallest_pivot() const { return smallest_pivot_; }
  /// Pivots that are not positive.
  int n_bad_pivots() const { return n_bad_pivots_; }
  /// Rows of the matrix of the whole system.
  int n_rows() const { return n_rows_; }
  /// Of the triangular factor, diagonal included, where it is kept (on rank 0).
  std::int64_t n_entries() const { return factors_.matrixL().nestedExpression().nonZeros() + lower_.rows(); }
  void solve(const Eigen::VectorXd &b, Eigen::VectorXd &x) const;

private:
  void gather_sparsity(const BlockMatrix &matrix);
  void gather_values(const BlockMatrix &matrix);
  /// Everything that the factorisation tells.
  void judge();

  const System &system_;
  int n_rows_ = 0;
  Eigen::SparseMatrix<double> lower_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors_;
  bool has_ordering_ = false;
  double smallest_pivot_ = 0;
  int n_bad_pivots_ = 0;

  /// Of a distributed system: what the ranks send to rank 0, one rank after another.
  struct Layout
  {
    std::vector<int> counts, starts;
  };
  static Layout layout_of(int count);
  std::vector<int> numbers_;      ///< in the whole system, of each dof of this rank
  std::vector<int> owned_;        ///< the dofs that this rank owns, by their numbers
  std::vector<int> sent_;         ///< places in BlockMatrix::values() of the entries of this rank's lower triangle
  std::vector<int> destination_;  ///< on rank 0: the place in lower_ of each entry that arrives
  Layout entries_, rows_;
};
}  // namespace freefall

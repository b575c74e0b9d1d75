#include <freefall/core/ranks.h>
#include <freefall/systems/global_numbers.h>
#include <freefall/systems/sparse_factors.h>

#include <mpi.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace freefall
{
SparseFactors::SparseFactors(const System &system) : system_(system), n_rows_(system.n_global_dofs())
{
  if (!system.is_distributed()) return;
  numbers_ = global_numbers(system);
  for (int dof = 0; dof < system.n_dofs(); ++dof)
    if (system.is_owned(dof)) owned_.push_back(dof);
  rows_ = layout_of(static_cast<int>(owned_.size()));
}

SparseFactors::Layout SparseFactors::layout_of(int count)
{
  Layout layout;
  layout.counts.resize(ranks::size());
  layout.starts.assign(ranks::size(), 0);
  MPI_Allgather(&count, 1, MPI_INT, layout.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int rank = 1; rank < ranks::size(); ++rank) layout.starts[rank] = layout.starts[rank - 1] + layout.counts[rank - 1];
  return layout;
}

void SparseFactors::factorise(const BlockMatrix &matrix)
{
  if (!system_.is_distributed())
    matrix.copy_lower_triangle(lower_);
  else
  {
    if (!has_ordering_) gather_sparsity(matrix);
    gather_values(matrix);
  }
  if (ranks::rank() == 0 || !system_.is_distributed())
  {
    if (!has_ordering_) factors_.analyzePattern(lower_);
    factors_.factorize(lower_);
  }
  has_ordering_ = true;
  judge();
}

void SparseFactors::judge()
{
  double pivots[2] = {std::numeric_limits<double>::quiet_NaN(), 0};
  if (factors_.info() == Eigen::Success && lower_.rows() > 0) pivots[0] = factors_.vectorD().minCoeff();
  if (lower_.rows() > 0) pivots[1] = static_cast<double>((factors_.vectorD().array() <= 0).count());
  if (system_.is_distributed()) MPI_Bcast(pivots, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  smallest_pivot_ = pivots[0];
  n_bad_pivots_ = static_cast<int>(pivots[1]);
}

void SparseFactors::gather_sparsity(const BlockMatrix &matrix)
{
  const int size = matrix.block_size();
  std::vector<int> places;  // row and column of each entry, in the numbers of the whole system
  for (int row = 0; row < matrix.n_block_rows(); ++row)
    for (int k = matrix.starts()[row]; k < matrix.starts()[row + 1]; ++k)
      for (int r = 0; r < size; ++r)
        for (int c = k == matrix.diagonal(row) ? r : 0; c < size; ++c)
        {
          const int i = numbers_[size * row + r], j = numbers_[size * matrix.columns()[k] + c];
          sent_.push_back(size * size * k + size * r + c);
          places.push_back(std::max(i, j));
          places.push_back(std::min(i, j));
        }
  entries_ = layout_of(static_cast<int>(sent_.size()));
  const Layout pairs = layout_of(static_cast<int>(places.size()));
  std::vector<int> all(ranks::rank() == 0 ? pairs.starts.back() + pairs.counts.back() : 0);
  MPI_Gatherv(places.data(), static_cast<int>(places.size()), MPI_INT, all.data(), pairs.counts.data(), pairs.starts.data(),
              MPI_INT, 0, MPI_COMM_WORLD);
  if (ranks::rank() != 0) return;

  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t i = 0; i < all.size(); i += 2) triplets.emplace_back(all[i], all[i + 1], 0.);
  lower_.resize(n_rows_, n_rows_);
  lower_.setFromTriplets(triplets.begin(), triplets.end());
  for (std::size_t i = 0; i < all.size(); i += 2)
  {
    const int *begin = lower_.innerIndexPtr() + lower_.outerIndexPtr()[all[i + 1]];
    const int *end = lower_.innerIndexPtr() + lower_.outerIndexPtr()[all[i + 1] + 1];
    destination_.push_back(static_cast<int>(std::lower_bound(begin, end, all[i]) - lower_.innerIndexPtr()));
  }
}

void SparseFactors::gather_values(const BlockMatrix &matrix)
{
  std::vector<double> mine, all(destination_.size());
  mine.reserve(sent_.size());
  for (const int place : sent_) mine.push_back(matrix.values()[place]);
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), entries_.counts.data(), entries_.starts.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (ranks::rank() != 0) return;
  std::fill_n(lower_.valuePtr(), lower_.nonZeros(), 0.);
  for (std::size_t i = 0; i < all.size(); ++i) lower_.valuePtr()[destination_[i]] += all[i];
}

void SparseFactors::solve(const Eigen::VectorXd &b, Eigen::VectorXd &x) const
{
  if (!system_.is_distributed())
  {
    x = factors_.solve(b);
    return;
  }
  // The owned dofs of the ranks, one rank after another, are all dofs in the order of their numbers.
  const Eigen::VectorXd mine = b(owned_);
  Eigen::VectorXd whole(n_rows_);
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, whole.data(), rows_.counts.data(), rows_.starts.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (ranks::rank() == 0) whole = factors_.solve(whole).eval();
  MPI_Bcast(whole.data(), n_rows_, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  x = whole(numbers_);
}
}  // namespace freefall

#include <freefall/systems/block_matrix.h>

#include <algorithm>
#include <stdexcept>

namespace freefall
{
BlockMatrix::BlockMatrix(int block_size, const std::vector<std::vector<int>> &columns) : block_size_(block_size)
{
  if (block_size != 1 && block_size != 3) throw std::logic_error("blocks have 1 or 3 rows");
  std::size_t n = 0;
  for (const auto &row : columns) n += row.size();
  if (n * 9 > 0x7fffffff) throw std::length_error("the matrix has too many entries for 32-bit numbers");
  columns_.reserve(n);
  starts_.reserve(columns.size() + 1);
  for (std::size_t row = 0; row < columns.size(); ++row)
  {
    columns_.insert(columns_.end(), columns[row].begin(), columns[row].end());
    starts_.push_back(static_cast<int>(columns_.size()));
    diagonal_.push_back(find(static_cast<int>(row), static_cast<int>(row)));
    if (diagonal_.back() < 0) throw std::logic_error("a row has no diagonal block");
  }
  values_.assign(n * block_size * block_size, 0.);
}

int BlockMatrix::find(int row, int column) const
{
  const auto begin = columns_.begin() + starts_[row], end = columns_.begin() + starts_[row + 1];
  const auto place = std::lower_bound(begin, end, column);
  return place != end && *place == column ? static_cast<int>(place - columns_.begin()) : -1;
}

void BlockMatrix::multiply(const Eigen::VectorXd &x, Eigen::VectorXd &y) const
{
  y.resize(n_rows());
  const double *value = values_.data();
  const int *column = columns_.data();
  for (int row = 0; row < n_block_rows(); ++row)
  {
    const int *end = columns_.data() + starts_[row + 1];
    if (block_size_ == 1)
    {
      double sum = 0;
      for (; column != end; ++column, ++value) sum += *value * x[*column];
      y[row] = sum;
      continue;
    }
    double sum[3] = {0, 0, 0};
    for (; column != end; ++column, value += 9)
    {
      const double *part = x.data() + 3 * *column;
      for (int r = 0; r < 3; ++r)
        sum[r] += value[3 * r] * part[0] + value[3 * r + 1] * part[1] + value[3 * r + 2] * part[2];
    }
    for (int r = 0; r < 3; ++r) y[3 * row + r] = sum[r];
  }
}

void BlockMatrix::copy_lower_triangle(Eigen::SparseMatrix<double> &matrix) const
{
  const int n = block_size_;
  if (matrix.rows() != n_rows())
  {
    matrix.resize(n_rows(), n_rows());
    std::vector<int> counts(n_rows(), 0);
    for (int row = 0; row < n_block_rows(); ++row)
      for (int c = 0; c < n; ++c) counts[n * row + c] = n * (starts_[row + 1] - diagonal_[row]) - c;
    matrix.reserve(counts);
    for (int row = 0; row < n_block_rows(); ++row)
      for (int c = 0; c < n; ++c)
        for (int k = diagonal_[row]; k < starts_[row + 1]; ++k)
          for (int r = k == diagonal_[row] ? c : 0; r < n; ++r) matrix.insert(n * columns_[k] + r, n * row + c) = 0;
    matrix.makeCompressed();
  }
  // Symmetric: column c of the lower triangle is what stands right of the diagonal in row c.
  double *entry = matrix.valuePtr();
  for (int row = 0; row < n_block_rows(); ++row)
    for (int c = 0; c < n; ++c)
      for (int k = diagonal_[row]; k < starts_[row + 1]; ++k)
        for (int r = k == diagonal_[row] ? c : 0; r < n; ++r) *entry++ = values_[n * n * k + n * c + r];
}

double BlockMatrix::mean_profile() const
{
  double sum = 0;
  for (int row = 0; row < n_block_rows(); ++row) sum += row - columns_[starts_[row]];
  return n_block_rows() > 0 ? sum / n_block_rows() : 0;
}

std::size_t BlockMatrix::memory_consumption() const
{
  return sizeof(int) * (starts_.capacity() + columns_.capacity() + diagonal_.capacity()) + sizeof(double) * values_.capacity();
}
}  // namespace freefall

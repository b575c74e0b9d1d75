#include <freefall/systems/block_matrix.h>

#include <algorithm>
#include <cstring>
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
    if (columns[row].empty() || columns[row][0] != static_cast<int>(row))
      throw std::logic_error("a row of the upper triangle does not begin with its diagonal block");
    columns_.insert(columns_.end(), columns[row].begin(), columns[row].end());
    starts_.push_back(static_cast<int>(columns_.size()));
  }
  values_.assign(n * block_size * block_size + 1, 0.);
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
  if (block_size_ == 1) return multiply_numbers(x.data(), y.data());
  multiply_triples(x.data(), y.data());
}

void BlockMatrix::multiply_numbers(const double *x, double *y) const
{
  std::fill_n(y, n_rows(), 0.);
  for (int row = 0; row < n_block_rows(); ++row)
  {
    double sum = values_[starts_[row]] * x[row];
    for (int k = starts_[row] + 1; k < starts_[row + 1]; ++k)
    {
      sum += values_[k] * x[columns_[k]];
      y[columns_[k]] += values_[k] * x[row];
    }
    y[row] += sum;
  }
}

namespace
{
/// Four numbers of which three count.
using Four = double __attribute__((vector_size(32)));
inline Four load(const double *from)
{
  Four value;
  std::memcpy(&value, from, sizeof(Four));
  return value;
}
inline void store(const Four &value, double *to) { std::memcpy(to, &value, sizeof(Four)); }
inline Four all(double value) { return Four{value, value, value, value}; }
}  // namespace

void BlockMatrix::multiply_triples(const double *x, double *y) const
{
  // Vectors with four numbers a node. The fourth does not count: rows of blocks are loaded with the first number of the next.
  const int n = n_block_rows();
  padded_x_.resize(4 * n);
  padded_y_.resize(4 * n);
  double *from = padded_x_.data(), *to = padded_y_.data();
  for (int row = 0; row < n; ++row)
  {
    store(Four{x[3 * row], x[3 * row + 1], x[3 * row + 2], 0}, from + 4 * row);
    store(all(0), to + 4 * row);
  }
  const double *value = values_.data();
  for (int row = 0; row < n; ++row)
  {
    const Four mine = load(from + 4 * row), x0 = all(mine[0]), x1 = all(mine[1]), x2 = all(mine[2]);
    Four sum0 = load(value) * mine, sum1 = load(value + 3) * mine, sum2 = load(value + 6) * mine;
    value += 9;
    for (int k = starts_[row] + 1; k < starts_[row + 1]; ++k, value += 9)
    {
      const Four a0 = load(value), a1 = load(value + 3), a2 = load(value + 6);
      const Four other = load(from + 4 * columns_[k]);
      sum0 += a0 * other;
      sum1 += a1 * other;
      sum2 += a2 * other;
      double *place = to + 4 * columns_[k];
      store(load(place) + a0 * x0 + a1 * x1 + a2 * x2, place);
    }
    double *place = to + 4 * row;
    place[0] += sum0[0] + sum0[1] + sum0[2];
    place[1] += sum1[0] + sum1[1] + sum1[2];
    place[2] += sum2[0] + sum2[1] + sum2[2];
  }
  for (int row = 0; row < n; ++row)
    for (int c = 0; c < 3; ++c) y[3 * row + c] = to[4 * row + c];
}

void BlockMatrix::copy_lower_triangle(Eigen::SparseMatrix<double> &matrix) const
{
  const int n = block_size_;
  if (matrix.rows() != n_rows())
  {
    matrix.resize(n_rows(), n_rows());
    std::vector<int> counts(n_rows(), 0);
    for (int row = 0; row < n_block_rows(); ++row)
      for (int c = 0; c < n; ++c) counts[n * row + c] = n * (starts_[row + 1] - starts_[row]) - c;
    matrix.reserve(counts);
    for (int row = 0; row < n_block_rows(); ++row)
      for (int c = 0; c < n; ++c)
        for (int k = starts_[row]; k < starts_[row + 1]; ++k)
          for (int r = k == starts_[row] ? c : 0; r < n; ++r) matrix.insert(n * columns_[k] + r, n * row + c) = 0;
    matrix.makeCompressed();
  }
  // Symmetric: column c of the lower triangle is what stands right of the diagonal in row c.
  double *entry = matrix.valuePtr();
  for (int row = 0; row < n_block_rows(); ++row)
    for (int c = 0; c < n; ++c)
      for (int k = starts_[row]; k < starts_[row + 1]; ++k)
        for (int r = k == starts_[row] ? c : 0; r < n; ++r) *entry++ = values_[n * n * k + n * c + r];
}

double BlockMatrix::mean_profile() const
{
  // Rows come in order, so that the first one to reach a column is the lowest.
  std::vector<int> first(n_block_rows(), -1);
  double sum = 0;
  for (int row = 0; row < n_block_rows(); ++row)
    for (int k = starts_[row]; k < starts_[row + 1]; ++k)
      if (first[columns_[k]] < 0)
      {
        first[columns_[k]] = row;
        sum += columns_[k] - row;
      }
  return n_block_rows() > 0 ? sum / n_block_rows() : 0;
}

std::size_t BlockMatrix::memory_consumption() const
{
  return sizeof(int) * (starts_.capacity() + columns_.capacity()) +
         sizeof(double) * (values_.capacity() + padded_x_.size() + padded_y_.size());
}
}  // namespace freefall

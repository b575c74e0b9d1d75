#include <freefall/core/simd_transpose.h>
#include <freefall/systems/independent_blocks.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace freefall
{
namespace
{
/// The rows of each block, sorted.
using Blocks = std::vector<std::vector<int>>;

/// Where the entry (row, column) is in the values of a matrix; -1 for a zero.
int place_of(const BlockMatrix &matrix, int row, int column)
{
  const int size = matrix.block_size(), block = matrix.find(row / size, column / size);
  return block < 0 ? -1 : size * size * block + size * (row % size) + column % size;
}

template <int n>
class SizeGroup final : public IndependentBlocks::Group
{
public:
  SizeGroup(const BlockMatrix &matrix, const Blocks &blocks)
    : n_blocks_(static_cast<int>(blocks.size())), n_batches_((n_blocks_ + batch_size - 1) / batch_size)
  {
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      // Lanes that are left over repeat the last block.
      const auto block = [&](int lane) -> const std::vector<int> &
      { return blocks[std::min(batch * batch_size + lane, n_blocks_ - 1)]; };
      for (int i = 0; i < n; ++i)
        for (int lane = 0; lane < batch_size; ++lane) rows_.push_back(block(lane)[i]);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
          for (int lane = 0; lane < batch_size; ++lane)
          {
            // Symmetric: what the matrix stores stands above the diagonal.
            places_.push_back(place_of(matrix, block(lane)[j], block(lane)[i]));
            has_zeros_ = has_zeros_ || places_.back() < 0;
          }
    }
    is_of_points_ = matrix.block_size() == 3 && n % 3 == 0 && !has_zeros_;
    factors_.resize(static_cast<std::size_t>(n_batches_) * n_entries * batch_size);
  }

  int factorise(const double *values) override
  {
    int n_bad = 0;
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      Batch a[n][n];
      if (is_of_points_)
        load_points(batch, values, a);
      else
        load(batch, values, a);
      Batch smallest = a[0][0];
#pragma GCC unroll 12
      for (int k = 0; k < n; ++k)
      {
        smallest = xsimd::min(smallest, a[k][k]);
        a[k][k] = Batch(1.) / a[k][k];
#pragma GCC unroll 12
        for (int i = n - 1; i > k; --i)
        {
          const Batch factor = a[i][k] * a[k][k];
#pragma GCC unroll 12
          for (int j = k + 1; j <= i; ++j) a[i][j] = xsimd::fnma(factor, a[j][k], a[i][j]);
          a[i][k] = factor;
        }
      }
      double *to = factors_.data() + static_cast<std::size_t>(batch) * n_entries * batch_size;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j, to += batch_size) a[i][j].store_unaligned(to);
      alignas(64) double lanes[batch_size];
      smallest.store_aligned(lanes);
      for (int lane = 0; lane < std::min(batch_size, n_blocks_ - batch * batch_size); ++lane) n_bad += !(lanes[lane] > 0);
    }
    return n_bad;
  }

  void solve(const double *b, double *x) const override
  {
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      const int *rows = rows_.data() + batch * n * batch_size;
      const double *factors = factors_.data() + static_cast<std::size_t>(batch) * n_entries * batch_size;
      const auto factor = [&](int i, int j) { return Batch::load_unaligned(factors + (i * (i + 1) / 2 + j) * batch_size); };
      Batch y[n];
      for (int i = 0; i < n; ++i)
      {
        alignas(64) double lanes[batch_size];
        for (int lane = 0; lane < batch_size; ++lane) lanes[lane] = b[rows[i * batch_size + lane]];
        y[i] = Batch::load_aligned(lanes);
        for (int j = 0; j < i; ++j) y[i] = xsimd::fnma(factor(i, j), y[j], y[i]);
      }
      for (int i = n - 1; i >= 0; --i)
      {
        y[i] = y[i] * factor(i, i);
        for (int k = i + 1; k < n; ++k) y[i] = xsimd::fnma(factor(k, i), y[k], y[i]);
      }
      for (int i = 0; i < n; ++i)
      {
        alignas(64) double lanes[batch_size];
        y[i].store_aligned(lanes);
        for (int lane = 0; lane < batch_size; ++lane) x[rows[i * batch_size + lane]] = lanes[lane];
      }
    }
  }

private:
  static constexpr int n_entries = n * (n + 1) / 2;

  /// A matrix of blocks of three by three, none of which is missing: those of the lower triangle stand transposed above it.
  void load_points(int batch, const double *values, Batch (&a)[n][n]) const
  {
    const int *places = places_.data() + static_cast<std::size_t>(batch) * n_entries * batch_size;
    for (int i = 0; i + 2 < n; i += 3)
      for (int j = 0; j <= i; j += 3)
      {
        const int *first = places + (i * (i + 1) / 2 + j) * batch_size;
        Batch block[9];
        load_transposed<Batch, 9>([&](int lane) { return values + first[lane]; }, block);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) a[i + c][j + r] = block[3 * r + c];
      }
  }
  void load(int batch, const double *values, Batch (&a)[n][n]) const
  {
    const int *place = places_.data() + static_cast<std::size_t>(batch) * n_entries * batch_size;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j, place += batch_size)
      {
        alignas(64) double lanes[batch_size];
        for (int lane = 0; lane < batch_size; ++lane) lanes[lane] = place[lane] < 0 ? 0 : values[place[lane]];
        a[i][j] = Batch::load_aligned(lanes);
      }
  }

  int n_blocks_, n_batches_;
  bool has_zeros_ = false;     ///< some entries are not in the matrix
  bool is_of_points_ = false;  ///< blocks of three by three, all there
  std::vector<int> rows_;        ///< [batch][row][lane]
  std::vector<int> places_;      ///< of the lower triangle in the values of the matrix, [batch][entry][lane]
  std::vector<double> factors_;  ///< L below and 1/D on the diagonal, [batch][entry][lane]
};

/// The rows of blocks that each is connected with, by the number of the lowest of them.
std::vector<int> lowest_connected(const BlockMatrix &matrix)
{
  std::vector<int> lower(matrix.n_block_rows());
  std::iota(lower.begin(), lower.end(), 0);
  const auto lowest = [&](int row)
  {
    while (lower[row] != row) row = lower[row] = lower[lower[row]];
    return row;
  };
  for (int row = 0; row < matrix.n_block_rows(); ++row)
    for (int k = matrix.starts()[row]; k < matrix.starts()[row + 1]; ++k)
    {
      const int one = lowest(row), other = lowest(matrix.columns()[k]);
      lower[std::max(one, other)] = std::min(one, other);
    }
  for (int row = 0; row < matrix.n_block_rows(); ++row) lower[row] = lowest(row);
  return lower;
}

/// Rows that are connected, by number of rows; nothing when some are too many.
std::map<int, Blocks> find_blocks(const BlockMatrix &matrix)
{
  const int size = matrix.block_size();
  const std::vector<int> lowest = lowest_connected(matrix);
  std::vector<std::vector<int>> rows(matrix.n_block_rows());
  for (int row = 0; row < matrix.n_block_rows(); ++row)
    for (int r = 0; r < size; ++r)
    {
      rows[lowest[row]].push_back(size * row + r);
      if (static_cast<int>(rows[lowest[row]].size()) > IndependentBlocks::largest_block) return {};
    }
  std::map<int, Blocks> found;
  for (auto &block : rows)
    if (!block.empty()) found[static_cast<int>(block.size())].push_back(std::move(block));
  return found;
}

template <int n>
std::unique_ptr<IndependentBlocks::Group> make_group(const BlockMatrix &matrix, const Blocks &blocks)
{
  return std::make_unique<SizeGroup<n>>(matrix, blocks);
}

using MakeGroup = std::unique_ptr<IndependentBlocks::Group> (*)(const BlockMatrix &, const Blocks &);
template <int... n>
constexpr std::array<MakeGroup, sizeof...(n)> makers(std::integer_sequence<int, n...>)
{
  return {make_group<n + 1>...};
}
}  // namespace

std::unique_ptr<IndependentBlocks> IndependentBlocks::find(const BlockMatrix &matrix)
{
  const auto found = find_blocks(matrix);
  if (found.empty()) return nullptr;
  constexpr auto make = makers(std::make_integer_sequence<int, largest_block>());
  auto result = std::make_unique<IndependentBlocks>();
  for (const auto &[n, blocks] : found) result->groups_.push_back(make[n - 1](matrix, blocks));
  return result;
}

int IndependentBlocks::factorise(const BlockMatrix &matrix)
{
  int n_bad = 0;
  for (const auto &group : groups_) n_bad += group->factorise(matrix.values().data());
  return n_bad;
}

void IndependentBlocks::solve(const Eigen::VectorXd &b, Eigen::VectorXd &x) const
{
  x.resize(b.size());
  for (const auto &group : groups_) group->solve(b.data(), x.data());
}
}  // namespace freefall

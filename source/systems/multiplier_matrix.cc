#include <freefall/core/errors.h>
#include <freefall/systems/multiplier_matrix.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseQR>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace freefall
{
void MultiplierMatrix::attach(const System &system)
{
  if (!system.mass_is_diagonal()) throw InputError("constraints need a diagonal mass matrix");
  system_ = &system;
  constraints_ = system.constraints();
  const int m = constraints_->size();
  inverse_mass_ = system.diagonal_mass().cwiseInverse();
  for (const int dof : system.fixed_dofs()) inverse_mass_[dof] = 0;

  struct Touch
  {
    int constraint, entry;
  };
  std::vector<std::vector<Touch>> touches(system.n_dofs());
  for (int c = 0; c < m; ++c)
  {
    const auto dofs = (*constraints_)[c].dofs();
    for (std::size_t a = 0; a < dofs.size(); ++a)
      if (inverse_mass_[dofs[a]] > 0) touches[dofs[a]].push_back({c, constraints_->offset(c) + static_cast<int>(a)});
  }
  std::vector<std::vector<int>> neighbours(m);
  for (const auto &list : touches)
    for (const Touch &first : list)
      for (const Touch &second : list) neighbours[first.constraint].push_back(second.constraint);
  for (auto &list : neighbours)
  {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  find_order(neighbours);

  products_.clear();
  if (is_banded_)
    values_.assign(static_cast<std::size_t>(m) * (3 * bandwidth_ + 1), 0);
  else
  {
    std::vector<Eigen::Triplet<double>> pattern;
    for (int c = 0; c < m; ++c)
    {
      pattern.emplace_back(c, c, 0.);
      for (const int d : neighbours[c]) pattern.emplace_back(c, d, 0.);
    }
    sparse_.resize(m, m);
    sparse_.setFromTriplets(pattern.begin(), pattern.end());
    sparse_.makeCompressed();
    sparse_factors_ = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
    sparse_factors_->analyzePattern(sparse_);
  }
  for (std::size_t dof = 0; dof < touches.size(); ++dof)
    for (const Touch &first : touches[dof])
      for (const Touch &second : touches[dof])
      {
        int entry;
        if (is_banded_)
        {
          const int row = place_[first.constraint], column = place_[second.constraint];
          entry = row * (3 * bandwidth_ + 1) + column - row + bandwidth_;
        }
        else
        {
          const auto *begin = sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[second.constraint];
          const auto *end = sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[second.constraint + 1];
          entry = static_cast<int>(std::lower_bound(begin, end, first.constraint) - sparse_.innerIndexPtr());
        }
        products_.push_back({entry, first.entry, second.entry, static_cast<int>(dof)});
      }
  permuted_.resize(m);
}

void MultiplierMatrix::find_order(const std::vector<std::vector<int>> &neighbours)
{
  // Cuthill and McKee: breadth first from an end of each component, found by going twice to the farthest constraint.
  const int m = static_cast<int>(neighbours.size());
  std::vector<int> order, level(m, -1);
  const auto sweep = [&](int start, std::vector<int> &reached)
  {
    reached.assign(1, start);
    level[start] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
      std::vector<int> next;
      for (const int d : neighbours[reached[i]])
        if (level[d] < 0)
        {
          level[d] = level[reached[i]] + 1;
          next.push_back(d);
        }
      std::sort(next.begin(), next.end(),
                [&](int a, int b) { return std::pair(neighbours[a].size(), a) < std::pair(neighbours[b].size(), b); });
      reached.insert(reached.end(), next.begin(), next.end());
    }
  };
  std::vector<int> reached;
  for (int c = 0; c < m; ++c)
  {
    if (level[c] >= 0) continue;
    int start = c;
    for (int round = 0; round < 2; ++round)
    {
      sweep(start, reached);
      start = reached.back();
      for (const int d : reached) level[d] = -1;
    }
    sweep(start, reached);
    order.insert(order.end(), reached.begin(), reached.end());
  }
  place_.resize(m);
  for (int i = 0; i < m; ++i) place_[order[i]] = i;
  bandwidth_ = 0;
  for (int c = 0; c < m; ++c)
    for (const int d : neighbours[c]) bandwidth_ = std::max(bandwidth_, std::abs(place_[c] - place_[d]));
  is_banded_ = bandwidth_ <= largest_band;
}

void MultiplierMatrix::factorise(const Eigen::VectorXd &left, const Eigen::VectorXd &right)
{
  ++n_factorisations_;
  if (is_banded_)
  {
    std::fill(values_.begin(), values_.end(), 0.);
    for (const Product &p : products_) values_[p.entry] += left[p.left] * inverse_mass_[p.dof] * right[p.right];
    try
    {
      factorise_band();
    }
    catch (const StepFailed &)
    {
      fail_singular(left, right);
    }
    return;
  }
  double *values = sparse_.valuePtr();
  std::fill(values, values + sparse_.nonZeros(), 0.);
  for (const Product &p : products_) values[p.entry] += left[p.left] * inverse_mass_[p.dof] * right[p.right];
  sparse_factors_->factorize(sparse_);
  if (sparse_factors_->info() != Eigen::Success) fail_singular(left, right);
}

/// LU of a band matrix with exchanges of rows inside the band. Row i holds columns i - b ... i + 2 b.
void MultiplierMatrix::factorise_band()
{
  const int m = static_cast<int>(place_.size()), b = bandwidth_, width = 3 * b + 1;
  const auto at = [&](int row, int column) -> double & { return values_[static_cast<std::size_t>(row) * width + column - row + b]; };
  double largest = 0;
  for (const double value : values_) largest = std::max(largest, std::abs(value));
  pivots_.resize(m);
  for (int k = 0; k < m; ++k)
  {
    const int last_row = std::min(m - 1, k + b), last_column = std::min(m - 1, k + 2 * b);
    int pivot = k;
    for (int row = k + 1; row <= last_row; ++row)
      if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
    pivots_[k] = pivot;
    if (!(std::abs(at(pivot, k)) > 1e-14 * largest)) throw StepFailed("singular");
    if (pivot != k)
      for (int column = k; column <= last_column; ++column) std::swap(at(k, column), at(pivot, column));
    for (int row = k + 1; row <= last_row; ++row)
    {
      const double factor = at(row, k) /= at(k, k);
      if (factor != 0)
        for (int column = k + 1; column <= last_column; ++column) at(row, column) -= factor * at(k, column);
    }
  }
}

void MultiplierMatrix::solve_band(Eigen::VectorXd &x)
{
  const int m = static_cast<int>(place_.size()), b = bandwidth_, width = 3 * b + 1;
  const auto at = [&](int row, int column) { return values_[static_cast<std::size_t>(row) * width + column - row + b]; };
  for (int k = 0; k < m; ++k)
  {
    std::swap(x[k], x[pivots_[k]]);
    for (int row = k + 1; row <= std::min(m - 1, k + b); ++row) x[row] -= at(row, k) * x[k];
  }
  for (int k = m - 1; k >= 0; --k)
  {
    for (int column = k + 1; column <= std::min(m - 1, k + 2 * b); ++column) x[k] -= at(k, column) * x[column];
    x[k] /= at(k, k);
  }
}

void MultiplierMatrix::solve(Eigen::VectorXd &b)
{
  ++n_solves_;
  if (!is_banded_)
  {
    permuted_ = sparse_factors_->solve(b);
    b.swap(permuted_);
    return;
  }
  for (std::size_t c = 0; c < place_.size(); ++c) permuted_[place_[c]] = b[c];
  solve_band(permuted_);
  for (std::size_t c = 0; c < place_.size(); ++c) b[c] = permuted_[place_[c]];
}

void MultiplierMatrix::archive(Archive &archive)
{
  archive("n_factorisations", n_factorisations_);
  archive("n_solves", n_solves_);
}

void MultiplierMatrix::fail_singular(const Eigen::VectorXd &left, const Eigen::VectorXd &right) const
{
  auto dependent = dependent_constraints(*system_, left);
  if (dependent.empty()) dependent = dependent_constraints(*system_, right);
  if (dependent.empty()) throw StepFailed("the matrix of the multipliers is singular; a shorter step may help");
  throw StepFailed(fmt::format("the constraints have become dependent: {}", fmt::join(dependent, "; ")));
}

namespace
{
/// Whether the pivots of A^T A, columns of A of length 1, are far above rounding. Their cost is linear for a chain of any length,
/// which that of an orthogonal factorisation is not; they cannot tell nearly dependent columns from dependent ones.
bool are_clearly_independent(const Eigen::SparseMatrix<double> &A)
{
  constexpr double smallest_clear_pivot = 1e-8;
  const Eigen::SparseMatrix<double> products = A.transpose() * A;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(products);
  return products.rows() == 0 || (factors.info() == Eigen::Success && factors.vectorD().minCoeff() > smallest_clear_pivot);
}
}  // namespace

std::vector<std::string> dependent_constraints(const System &system, const Eigen::VectorXd &entries)
{
  const ConstraintSet &constraints = *system.constraints();
  Eigen::VectorXd scale = system.diagonal_mass().cwiseSqrt().cwiseInverse();
  for (const int dof : system.fixed_dofs()) scale[dof] = 0;
  std::vector<std::string> messages;
  std::vector<Eigen::Triplet<double>> triplets;
  std::vector<int> columns;  // constraints that can move anything
  for (int c = 0; c < constraints.size(); ++c)
  {
    const auto dofs = constraints[c].dofs();
    Eigen::VectorXd column(static_cast<Eigen::Index>(dofs.size()));
    for (std::size_t a = 0; a < dofs.size(); ++a) column[a] = entries[constraints.offset(c) + a] * scale[dofs[a]];
    const double norm = column.norm();
    if (!(norm > 0))
    {
      messages.push_back(constraints[c].name() + " acts on nothing that can move, or its gradient vanishes");
      continue;
    }
    for (std::size_t a = 0; a < dofs.size(); ++a)
      if (column[a] != 0) triplets.emplace_back(dofs[a], static_cast<int>(columns.size()), column[a] / norm);
    columns.push_back(c);
  }
  const int n = static_cast<int>(columns.size());
  Eigen::SparseMatrix<double> transposed(system.n_dofs(), n);
  transposed.setFromTriplets(triplets.begin(), triplets.end());
  transposed.makeCompressed();
  if (are_clearly_independent(transposed)) return messages;
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  // Columns have length 1: what is left of a dependent one is rounding.
  qr.setPivotThreshold(1e-10);
  qr.compute(transposed);
  const int rank = static_cast<int>(qr.rank());
  if (rank == n) return messages;
  const Eigen::MatrixXd r = Eigen::SparseMatrix<double>(qr.matrixR()).topRows(rank);
  const Eigen::MatrixXd part =
    r.leftCols(rank).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd(r.rightCols(n - rank)));
  const auto order = qr.colsPermutation().indices();
  for (int j = 0; j < n - rank; ++j)
  {
    std::vector<std::string> others;
    for (int i = 0; i < rank; ++i)
      if (std::abs(part(i, j)) > 1e-6) others.push_back(constraints[columns[order[i]]].name());
    const std::size_t n_others = others.size();
    if (n_others > 5) others.resize(5);
    messages.push_back(fmt::format("{} depends on {}{}", constraints[columns[order[rank + j]]].name(), fmt::join(others, ", "),
                                   n_others > 5 ? fmt::format(" and {} more", n_others - 5) : ""));
  }
  return messages;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/systems/dense_hessian.h>
#include <freefall/systems/shifted_matrix.h>

#include <fmt/format.h>
#include <algorithm>

namespace freefall
{
namespace
{
/// Terms whose Hessians are computed before they are added: with twelve dofs each these are 18 kB, within the first-level cache.
constexpr int terms_at_a_time = 16;

/// Whether the dofs of every term come in triples 3 k, 3 k + 1, 3 k + 2.
bool comes_in_triples(const LocalTerms &terms)
{
  if (terms.dofs_per_term() % 3) return false;
  for (int term = 0; term < terms.n_terms(); ++term)
  {
    const auto dofs = terms.dofs(term);
    for (std::size_t a = 0; a < dofs.size(); a += 3)
      if (dofs[a] % 3 || dofs[a + 1] != dofs[a] + 1 || dofs[a + 2] != dofs[a] + 2) return false;
  }
  return true;
}

/// Calls f(i, j) with the rows of blocks of every pair of nodes a <= b of every term.
template <typename Family, typename Function>
void for_each_pair(const Family &family, int block_size, const Function &f)
{
  for (int term = 0; term < family.terms->n_terms(); ++term)
  {
    const auto dofs = family.terms->dofs(term);
    for (int a = 0; a < family.nodes_per_term; ++a)
      for (int b = a; b < family.nodes_per_term; ++b) f(dofs[block_size * a] / block_size, dofs[block_size * b] / block_size);
  }
}
}  // namespace

ShiftedMatrix::ShiftedMatrix(const System &system, const Selection &selection)
  : system_(system), diagonal_mass_(system.diagonal_mass())
{
  // Of a dof that several ranks hold, one of them has the mass.
  for (Eigen::Index dof = 0; dof < diagonal_mass_.size(); ++dof)
    if (!system.is_owned(static_cast<int>(dof))) diagonal_mass_[dof] = 0;
  for (const auto &family : system.terms())
    if (!family->is_linear() && (!selection || selection(*family))) families_.push_back({family.get(), 0, {}});
  Eigen::MatrixXd mass;
  if (!system.mass_is_diagonal())
  {
    if (system.is_distributed())
      throw InputError("implicit methods take a mass matrix that is not diagonal in one process only. Use a lumped mass, explicit "
                       "Newmark, or leave out mpirun.");
    if (system.n_dofs() > max_dense_rows)
      throw InputError(fmt::format("implicit methods take a mass matrix that is not diagonal up to {} degrees of freedom, not {}",
                                   max_dense_rows, system.n_dofs()));
    mass = dense_mass(system);
  }
  build_sparsity(mass);
}

void ShiftedMatrix::build_sparsity(const Eigen::MatrixXd &mass)
{
  const int n_dofs = system_.n_dofs();
  const bool in_triples = n_dofs % 3 == 0 && mass.size() == 0 &&
                          std::all_of(families_.begin(), families_.end(),
                                      [](const Family &family) { return comes_in_triples(*family.terms); });
  const int size = in_triples ? 3 : 1;
  std::vector<std::vector<int>> columns(n_dofs / size);
  for (std::size_t row = 0; row < columns.size(); ++row) columns[row].push_back(static_cast<int>(row));
  for (int i = 0; i < mass.cols(); ++i)
    for (int j = i; j < mass.rows(); ++j)
      if (mass(j, i) != 0) columns[i].push_back(j);
  const auto make_unique = [](std::vector<int> &row)
  {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  };
  for (auto &family : families_)
  {
    family.nodes_per_term = family.terms->dofs_per_term() / size;
    for_each_pair(family, size,
                  [&](int i, int j)
                  {
                    auto &row = columns[std::min(i, j)];
                    row.push_back(std::max(i, j));
                    // Neighbours come again with every element around a node: drop repetitions before they fill the memory.
                    if (row.size() > 512) make_unique(row);
                  });
  }
  for (auto &row : columns) make_unique(row);
  matrix_ = BlockMatrix(size, columns);

  for (auto &family : families_)
  {
    const auto n = static_cast<std::size_t>(family.nodes_per_term);
    family.blocks.reserve(n * (n + 1) / 2 * family.terms->n_terms());
    for_each_pair(family, size,
                  [&](int i, int j) { family.blocks.push_back(i <= j ? matrix_.find(i, j) : ~matrix_.find(j, i)); });
  }
  for (int i = 0; i < mass.cols(); ++i)
    for (int j = i + 1; j < mass.rows(); ++j)
      if (mass(i, j) != 0) other_mass_.emplace_back(matrix_.find(i, j), mass(i, j));
  find_fixed();
}

void ShiftedMatrix::find_fixed()
{
  const int size = matrix_.block_size();
  std::vector<char> is_fixed(system_.n_dofs(), 0);
  for (const int dof : system_.fixed_dofs())
  {
    is_fixed[dof] = 1;
    fixed_.emplace_back(dof, size * size * matrix_.diagonal(dof / size) + (size + 1) * (dof % size));
  }
  if (fixed_.empty()) return;
  for (int row = 0; row < matrix_.n_block_rows(); ++row)
    for (int k = matrix_.starts()[row]; k < matrix_.starts()[row + 1]; ++k)
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c)
          if (is_fixed[size * row + r] || is_fixed[size * matrix_.columns()[k] + c])
            cleared_.push_back(size * size * k + size * r + c);
}

void ShiftedMatrix::assemble(const Eigen::VectorXd &q, double mass_factor, double shift)
{
  auto &values = matrix_.values();
  std::fill(values.begin(), values.end(), 0.);
  const int size = matrix_.block_size();
  for (const auto &family : families_) add(family, q, shift);
  for (int row = 0; row < matrix_.n_block_rows(); ++row)
    for (int r = 0; r < size; ++r)
      values[size * size * matrix_.diagonal(row) + (size + 1) * r] += mass_factor * diagonal_mass_[size * row + r];
  for (const auto &[place, entry] : other_mass_) values[place] += mass_factor * entry;
  for (const int place : cleared_) values[place] = 0;
  for (const auto &[dof, place] : fixed_) values[place] = mass_factor * diagonal_mass_[dof];
}

void ShiftedMatrix::add(const Family &family, const Eigen::VectorXd &q, double shift)
{
  const int n_dofs = family.terms->dofs_per_term(), n = family.nodes_per_term;
  hessians_.resize(static_cast<std::size_t>(terms_at_a_time) * n_dofs * n_dofs);
  double *values = matrix_.values().data();
  const int *block = family.blocks.data();
  for (int first = 0; first < family.terms->n_terms(); first += terms_at_a_time)
  {
    const int count = std::min(terms_at_a_time, family.terms->n_terms() - first);
    family.terms->hessians(first, count, q, hessians_.data());
    for (int i = 0; i < count; ++i)
    {
      const double *hessian = hessians_.data() + i * n_dofs * n_dofs;
      for (int a = 0; a < n; ++a)
        for (int b = a; b < n; ++b, ++block)
          if (matrix_.block_size() == 1)
            values[*block < 0 ? ~*block : *block] += shift * hessian[a * n_dofs + b];
          else
          {
            // Hessians are symmetric: the block (b, a) stands there too.
            double *to = values + 9 * (*block < 0 ? ~*block : *block);
            const double *from = hessian + (*block < 0 ? 3 * b * n_dofs + 3 * a : 3 * a * n_dofs + 3 * b);
            for (int r = 0; r < 3; ++r)
              for (int c = 0; c < 3; ++c) to[3 * r + c] += shift * from[r * n_dofs + c];
          }
    }
  }
}

std::size_t ShiftedMatrix::memory_consumption() const
{
  std::size_t bytes = matrix_.memory_consumption() + sizeof(int) * cleared_.capacity();
  for (const auto &family : families_) bytes += sizeof(int) * family.blocks.capacity();
  return bytes;
}
}  // namespace freefall

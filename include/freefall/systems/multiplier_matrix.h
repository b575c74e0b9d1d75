#pragma once

#include <freefall/constraints/constraint_set.h>
#include <freefall/core/archive.h>
#include <freefall/systems/system.h>

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <cstdint>
#include <memory>
#include <vector>

namespace freefall
{
/// A = G_1 M^-1 G_2^T, the matrix of the multipliers, with M^-1 = 0 in fixed dofs; diagonal masses.
///
/// Two constraints are coupled when they share a dof that can move. When an order of the constraints with a small band is
/// found (chains: band 1) A is factorised there, at a cost linear in their number; else by a sparse LU.
///
/// Throws: InputError for a mass that is not diagonal; StepFailed when A is singular, naming constraints that depend on others
class MultiplierMatrix
{
public:
  /// The system has constraints and outlives this object.
  void attach(const System &system);

  /// M^-1, zero in fixed dofs.
  const Eigen::VectorXd &inverse_mass() const { return inverse_mass_; }
  bool is_banded() const { return is_banded_; }
  int bandwidth() const { return bandwidth_; }

  /// With the entries of G_1 and G_2 (see ConstraintSet).
  void factorise(const Eigen::VectorXd &left, const Eigen::VectorXd &right);
  /// b becomes A^-1 b.
  void solve(Eigen::VectorXd &b);

  std::int64_t n_factorisations() const { return n_factorisations_; }
  std::int64_t n_solves() const { return n_solves_; }
  /// Saves or loads the counts.
  void archive(Archive &archive);

private:
  /// Entry (row, column) of A is the sum over `products`: left[first] M^-1[dof] right[second].
  struct Product
  {
    int entry, left, right, dof;
  };
  void find_order(const std::vector<std::vector<int>> &neighbours);
  void factorise_band();
  void solve_band(Eigen::VectorXd &b);
  [[noreturn]] void fail_singular(const Eigen::VectorXd &left, const Eigen::VectorXd &right) const;

  static constexpr int largest_band = 12;

  const System *system_ = nullptr;
  const ConstraintSet *constraints_ = nullptr;
  Eigen::VectorXd inverse_mass_;
  std::vector<Product> products_;
  std::vector<double> values_;  ///< of A: banded rows of 3 b + 1 (room for the fill of row exchanges), or those of sparse_
  std::vector<int> place_;      ///< of each constraint in the order of small band
  std::vector<int> pivots_;
  bool is_banded_ = false;
  int bandwidth_ = 0;
  Eigen::SparseMatrix<double> sparse_;
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> sparse_factors_;
  Eigen::VectorXd permuted_;
  std::int64_t n_factorisations_ = 0, n_solves_ = 0;
};

/// The constraints whose gradients (the rows of G M^-1/2 at these entries) depend on those of others, each with the names of
/// these others: "Distance 'c' depends on Distance 'a', Distance 'b'". Empty when G has full rank.
std::vector<std::string> dependent_constraints(const System &system, const Eigen::VectorXd &entries);
}  // namespace freefall

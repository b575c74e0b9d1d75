#pragma once

#include <freefall/systems/block_matrix.h>
#include <freefall/systems/system.h>

#include <functional>
#include <vector>

namespace freefall
{
/// m M + c Hess V(q) as a sparse matrix, Hess V taken over all families of terms or some of them.
///
/// Of a distributed system this rank's part: products with it, added over the ranks that hold a dof, are those with the whole.
///
/// Rows and columns of fixed dofs are those of a diagonal matrix with m times the mass. The sparsity and the place in it of
/// every block of every term are found once.
class ShiftedMatrix
{
public:
  using Selection = std::function<bool(const LocalTerms &)>;

  /// The system outlives the object. Without a selection all families count.
  explicit ShiftedMatrix(const System &system, const Selection &selection = {});

  /// Overwrites the matrix. Lets DomainError pass.
  void assemble(const Eigen::VectorXd &q, double mass_factor, double shift);

  const BlockMatrix &matrix() const { return matrix_; }
  /// Bytes held.
  std::size_t memory_consumption() const;

private:
  struct Family
  {
    const LocalTerms *terms;
    int nodes_per_term;       ///< blocks of dofs
    std::vector<int> blocks;  ///< [term][pair of nodes a <= b]: the number of the block (a, b), or ~ that of the block (b, a)
  };

  void build_sparsity(const Eigen::MatrixXd &dense_mass);
  void find_fixed();
  void add(const Family &family, const Eigen::VectorXd &q, double shift);

  const System &system_;
  BlockMatrix matrix_;
  std::vector<Family> families_;
  Eigen::VectorXd diagonal_mass_;
  std::vector<std::pair<int, double>> other_mass_;  ///< of a mass that is not diagonal: place in values(), entry
  std::vector<int> cleared_;                        ///< places in values() of rows and columns of fixed dofs
  std::vector<std::pair<int, int>> fixed_;          ///< fixed dof, place of its diagonal entry
  std::vector<double> hessians_;
};
}  // namespace freefall

#include <freefall/core/ranks.h>
#include <freefall/systems/fem/trilinos_multigrid.h>
#include <freefall/systems/global_numbers.h>
#include <freefall/systems/system.h>

#include <mpi.h>

#include <Epetra_FECrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Vector.h>
#include <Teuchos_ParameterList.hpp>
#include <ml_MultiLevelPreconditioner.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace freefall
{
namespace
{
void start_mpi()
{
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized) return;
  MPI_Init(nullptr, nullptr);
  std::atexit(
    []
    {
      int is_finalized = 0;
      MPI_Finalized(&is_finalized);
      if (!is_finalized) MPI_Finalize();
    });
}

class TrilinosMultigrid final : public Multigrid
{
public:
  explicit TrilinosMultigrid(const System &system) : system_(system)
  {
    start_mpi();
    numbers_ = global_numbers(system);
    for (int dof = 0; dof < system.n_dofs(); ++dof)
      if (system.is_owned(dof)) owned_.push_back(dof);
    std::vector<int> rows;
    for (const int dof : owned_) rows.push_back(numbers_[dof]);
    const Epetra_MpiComm comm(system.is_distributed() ? MPI_COMM_WORLD : MPI_COMM_SELF);
    map_ = std::make_unique<Epetra_Map>(-1, static_cast<int>(rows.size()), rows.data(), 0, comm);
    from_ = std::make_unique<Epetra_Vector>(*map_);
    to_ = std::make_unique<Epetra_Vector>(*map_);
  }

  void build(const BlockMatrix &matrix, const Eigen::VectorXd &q) override
  {
    if (matrix.block_size() != 3) throw std::logic_error("this multigrid is for solids: blocks of three");
    levels_.reset();
    copy(matrix);
    Eigen::MatrixXd modes = rigid_motions(q);
    Teuchos::ParameterList list;
    ML_Epetra::SetDefaults("SA", list);
    list.set("ML output", 0);
    list.set("PDE equations", 3);
    list.set("null space: type", "pre-computed");
    list.set("null space: dimension", 6);
    list.set("null space: vectors", modes.data());
    list.set("null space: add default vectors", false);
    list.set("aggregation: type", "Uncoupled");
    list.set("aggregation: threshold", 0.01);
    list.set("smoother: type", "Chebyshev");
    list.set("smoother: sweeps", 2);
    list.set("smoother: pre or post", "both");
    list.set("coarse: type", "Amesos-KLU");
    list.set("coarse: max size", 1000);
    levels_ = std::make_unique<ML_Epetra::MultiLevelPreconditioner>(*matrix_, list, true);
    if (!levels_->IsPreconditionerComputed()) throw std::runtime_error("Trilinos ML could not build its levels");
  }

  void apply(const Eigen::VectorXd &r, Eigen::VectorXd &z) const override
  {
    for (std::size_t i = 0; i < owned_.size(); ++i) (*from_)[static_cast<int>(i)] = r[owned_[i]];
    levels_->ApplyInverse(*from_, *to_);
    z.setZero(r.size());
    for (std::size_t i = 0; i < owned_.size(); ++i) z[owned_[i]] = (*to_)[static_cast<int>(i)];
    system_.add_other_ranks(z);
  }

  int n_levels() const override { return levels_ ? levels_->GetML()->ML_num_actual_levels : 0; }

private:
  /// Translations and rotations about the centre at the dofs of this rank's rows, one column each: rotations are scaled to the
  /// size of the body.
  Eigen::MatrixXd rigid_motions(const Eigen::VectorXd &q) const
  {
    const auto n = static_cast<Eigen::Index>(owned_.size() / 3);
    Eigen::Matrix3Xd positions(3, n);
    for (Eigen::Index node = 0; node < n; ++node) positions.col(node) = q.segment<3>(owned_[3 * node]);
    const bool is_shared = system_.is_distributed();
    Eigen::VectorXd sums(4);
    sums << positions.rowwise().sum(), static_cast<double>(n);
    if (is_shared) ranks::sum(sums);
    positions.colwise() -= sums.head<3>() / sums[3];
    const double extent = n > 0 ? positions.cwiseAbs().maxCoeff() : 0;
    positions /= std::max(is_shared ? ranks::maximum(extent) : extent, 1e-300);
    // ML takes modes without an address, those of a rank without rows, for no modes.
    Eigen::MatrixXd modes = Eigen::MatrixXd::Zero(std::max<Eigen::Index>(3 * n, 1), 6);
    for (Eigen::Index node = 0; node < n; ++node)
    {
      modes.block<3, 3>(3 * node, 0).setIdentity();
      const auto x = positions.col(node);
      modes.block<3, 3>(3 * node, 3) << 0, x[2], -x[1], -x[2], 0, x[0], x[1], -x[0], 0;
    }
    return modes;
  }

  /// Every rank gives its part of all rows that it holds; Epetra adds them on the owner.
  void copy(const BlockMatrix &matrix)
  {
    // The blocks below the diagonal, which are those above it turned over: [row] -> numbers of blocks, rows in order.
    std::vector<std::vector<std::pair<int, int>>> below(matrix.n_block_rows());
    for (int row = 0; row < matrix.n_block_rows(); ++row)
      for (int k = matrix.starts()[row] + 1; k < matrix.starts()[row + 1]; ++k) below[matrix.columns()[k]].emplace_back(row, k);
    std::vector<int> counts;
    for (const int dof : owned_)
    {
      const int row = dof / 3;
      counts.push_back(3 * (matrix.starts()[row + 1] - matrix.starts()[row] + static_cast<int>(below[row].size())));
    }
    matrix_ = std::make_unique<Epetra_FECrsMatrix>(Copy, *map_, counts.data());
    std::vector<int> columns;
    std::vector<double> values;
    for (int i = 0; i < matrix.n_rows(); ++i)
    {
      const int row = i / 3, r = i % 3;
      columns.clear();
      values.clear();
      const auto append = [&](int column, int k, int entry, int stride)
      {
        for (int c = 0; c < 3; ++c)
        {
          columns.push_back(numbers_[3 * column + c]);
          values.push_back(matrix.values()[9 * k + entry + stride * c]);
        }
      };
      for (const auto &[column, k] : below[row]) append(column, k, r, 3);
      for (int k = matrix.starts()[row]; k < matrix.starts()[row + 1]; ++k) append(matrix.columns()[k], k, 3 * r, 1);
      matrix_->InsertGlobalValues(numbers_[i], static_cast<int>(values.size()), values.data(), columns.data());
    }
    if (matrix_->GlobalAssemble() != 0) throw std::runtime_error("Trilinos could not add the rows that ranks share");
  }

  const System &system_;
  std::vector<int> numbers_;  ///< in the whole system, of each dof of this rank
  std::vector<int> owned_;    ///< the dofs of this rank's rows
  std::unique_ptr<Epetra_Map> map_;
  std::unique_ptr<Epetra_FECrsMatrix> matrix_;
  std::unique_ptr<Epetra_Vector> from_, to_;
  std::unique_ptr<ML_Epetra::MultiLevelPreconditioner> levels_;
};
}  // namespace

std::unique_ptr<Multigrid> make_trilinos_multigrid(const System &system) { return std::make_unique<TrilinosMultigrid>(system); }
}  // namespace freefall

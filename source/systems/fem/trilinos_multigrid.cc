#include <freefall/systems/fem/trilinos_multigrid.h>

#include <mpi.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Vector.h>
#include <Teuchos_ParameterList.hpp>
#include <ml_MultiLevelPreconditioner.h>

#include <cstdlib>
#include <stdexcept>
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

/// Translations and rotations about the centre, one column each: rotations are scaled to the size of the body.
Eigen::MatrixXd rigid_motions(const Eigen::VectorXd &q)
{
  const Eigen::Index n = q.size() / 3;
  const Eigen::Map<const Eigen::Matrix3Xd> positions(q.data(), 3, n);
  const Eigen::Vector3d centre = positions.rowwise().mean();
  const double size = std::max((positions.colwise() - centre).cwiseAbs().maxCoeff(), 1e-300);
  Eigen::MatrixXd modes = Eigen::MatrixXd::Zero(q.size(), 6);
  for (Eigen::Index node = 0; node < n; ++node)
  {
    modes.block<3, 3>(3 * node, 0).setIdentity();
    const Eigen::Vector3d x = (positions.col(node) - centre) / size;
    modes.block<3, 3>(3 * node, 3) << 0, x[2], -x[1], -x[2], 0, x[0], x[1], -x[0], 0;
  }
  return modes;
}

class TrilinosMultigrid final : public Multigrid
{
public:
  void build(const BlockMatrix &matrix, const Eigen::VectorXd &q) override
  {
    if (matrix.block_size() != 3) throw std::logic_error("this multigrid is for solids: blocks of three");
    start_mpi();
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
    z.resize(r.size());
    const Epetra_Vector from(View, matrix_->RowMap(), const_cast<double *>(r.data()));
    Epetra_Vector to(View, matrix_->RowMap(), z.data());
    levels_->ApplyInverse(from, to);
  }

  int n_levels() const override { return levels_ ? levels_->GetML()->ML_num_actual_levels : 0; }

private:
  void copy(const BlockMatrix &matrix)
  {
    const Epetra_MpiComm comm(MPI_COMM_SELF);
    const Epetra_Map map(matrix.n_rows(), 0, comm);
    std::vector<int> counts(matrix.n_rows());
    for (int i = 0; i < matrix.n_rows(); ++i) counts[i] = 3 * (matrix.starts()[i / 3 + 1] - matrix.starts()[i / 3]);
    matrix_ = std::make_unique<Epetra_CrsMatrix>(Copy, map, map, counts.data(), true);
    std::vector<int> columns;
    std::vector<double> values;
    for (int i = 0; i < matrix.n_rows(); ++i)
    {
      columns.clear();
      values.clear();
      for (int k = matrix.starts()[i / 3]; k < matrix.starts()[i / 3 + 1]; ++k)
        for (int c = 0; c < 3; ++c)
        {
          columns.push_back(3 * matrix.columns()[k] + c);
          values.push_back(matrix.values()[9 * k + 3 * (i % 3) + c]);
        }
      matrix_->InsertMyValues(i, static_cast<int>(values.size()), values.data(), columns.data());
    }
    matrix_->FillComplete();
  }

  std::unique_ptr<Epetra_CrsMatrix> matrix_;
  std::unique_ptr<ML_Epetra::MultiLevelPreconditioner> levels_;
};
}  // namespace

std::unique_ptr<Multigrid> make_trilinos_multigrid() { return std::make_unique<TrilinosMultigrid>(); }
}  // namespace freefall

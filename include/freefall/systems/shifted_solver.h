#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/errors.h>
#include <freefall/core/named_value.h>
#include <freefall/core/parameters.h>
#include <freefall/systems/shifted_matrix.h>

#include <Eigen/Core>
#include <cstdint>
#include <memory>

namespace freefall
{
class IndependentBlocks;
class Multigrid;
class SparseFactors;

/// m M + c Hess V(q) is not positive definite: V is not convex here and the step is too long for the mass to outweigh it.
class IndefiniteOperator : public StepFailed
{
public:
  using StepFailed::StepFailed;
};

/// What a solver counted and measured.
struct ShiftedSolverStatistics
{
  std::int64_t n_assemblies = 0;
  std::int64_t n_factorisations = 0;  ///< or set-ups of the multigrid
  std::int64_t n_solves = 0;
  std::int64_t n_iterations = 0;     ///< of conjugate gradients
  std::int64_t n_factor_entries = 0; ///< of the triangular factor, diagonal included; 0 without one
  std::int64_t n_switches = 0;       ///< of the method automatic to multigrid
  std::int64_t n_rebuilds = 0;       ///< of levels of the multigrid that had become too old
  double assembly_seconds = 0;       ///< processor time of this process, as the next two; wall time for blocks
  double factorisation_seconds = 0;  ///< or set-up of the preconditioner
  double solve_seconds = 0;
};

/// Solves (m M + c Hess V(q)) x = b for a system, small or large: the one linear solve of all implicit integrators.
///
/// direct: sparse LDL^T. blocks: LDL^T of one small independent block after another, of which the whole matrix must consist: the
/// stiff terms within molecules. jacobi: conjugate gradients with the inverse diagonal blocks. multigrid: conjugate gradients with the
/// system's algebraic multigrid, built when first needed and kept while it works: until the iterations grow by half.
/// automatic: blocks where the matrix consists of such; else direct up to a few thousand dofs, and for banded matrices (chains) of
/// any size; above, conjugate gradients that begin with jacobi and go over to multigrid (if the system has one) when jacobi needs
/// more than some 100 iterations.
///
/// Of a distributed system solve() and assemble() are collective; direct then means that one rank does it for all.
///
/// Guarantees: an operator that is found not to be positive definite (a pivot or a curvature of conjugate gradients that is not
/// positive) is an IndefiniteOperator, never a solution; conjugate gradients that do not converge are a StepFailed. Entries of
/// x in fixed dofs are those of b divided by m times the mass.
class ShiftedSolver
{
public:
  enum class Method
  {
    automatic,
    blocks,
    direct,
    jacobi,
    multigrid
  };
  struct Settings
  {
    Method method = Method::automatic;
    int max_iterations = 2000;           ///< of conjugate gradients
    ShiftedMatrix::Selection selection;  ///< the families whose Hessian counts; empty: all
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  /// The system outlives the object. Throws InputError when it has no multigrid or no independent blocks and they are asked for.
  ShiftedSolver(const System &system, const Settings &settings);
  ~ShiftedSolver();

  /// Sets the operator m M + c Hess V(q). Lets DomainError pass.
  void assemble(const Eigen::VectorXd &q, double mass_factor, double shift);
  /// Where conjugate gradients begin.
  enum class Start
  {
    zero,
    guess  ///< in x
  };
  /// Solves for x, whose residual in the norm of the preconditioner is at most `tolerance` times that of b. A direct solution
  /// is as good as rounding allows.
  void solve(const Eigen::VectorXd &b, double tolerance, Eigen::VectorXd &x, Start start = Start::zero);

  /// Saves or loads what the next solution depends on, to the last bit, and the counts, but no times. Levels of a multigrid are built again
  /// from the matrix that they were made of: loading is collective.
  void archive(Archive &archive);

  const BlockMatrix &matrix() const { return matrix_.matrix(); }
  /// What automatic has become; multigrid may still follow jacobi.
  Method method() const { return settings_.method; }
  const ShiftedSolverStatistics &statistics() const { return statistics_; }
  /// The statistics for summary.json.
  NamedValues summary() const;
  /// Bytes of matrix and scatter, without factors or levels.
  std::size_t memory_consumption() const { return matrix_.memory_consumption(); }

private:
  bool is_cheap_to_factorise() const;
  void solve_by_blocks(const Eigen::VectorXd &b, Eigen::VectorXd &x);
  void solve_directly(const Eigen::VectorXd &b, Eigen::VectorXd &x);
  void solve_with_jacobi(const Eigen::VectorXd &b, double tolerance, Start start, Eigen::VectorXd &x);
  void solve_with_multigrid(const Eigen::VectorXd &b, double tolerance, Start start, Eigen::VectorXd &x);
  void build_multigrid();
  void archive_levels(Archive &archive);
  void invert_diagonal();
  /// Makes the diagonal blocks in inverse_diagonal_, not inverted yet, those of the whole system.
  void add_blocks_of_other_ranks();
  /// Conjugate gradients. Returns whether they converged within the number of iterations.
  template <typename Precondition>
  bool iterate(const Eigen::VectorXd &b,
               double tolerance,
               int max_iterations,
               const Precondition &precondition,
               Start start,
               Eigen::VectorXd &x);

  Settings settings_;
  const System &system_;
  ShiftedMatrix matrix_;
  std::unique_ptr<SparseFactors> direct_;
  std::unique_ptr<IndependentBlocks> blocks_;
  std::unique_ptr<Multigrid> multigrid_;
  bool prefers_multigrid_ = false;
  bool factors_are_current_ = false, diagonal_is_current_ = false, multigrid_is_current_ = false;
  bool has_multigrid_levels_ = false;
  int good_iterations_ = 0;  ///< of the first solve with new levels
  /// What the operator is made of.
  struct Origin
  {
    Eigen::VectorXd q;
    double mass_factor = 0, shift = 0;
  };
  Origin operator_, levels_;  ///< of the matrix; of the levels of multigrid
  Eigen::VectorXd inverse_diagonal_, r_, z_, p_, Ap_;
  int last_iterations_ = 0;
  ShiftedSolverStatistics statistics_;
};
}  // namespace freefall

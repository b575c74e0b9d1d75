#include <freefall/core/ranks.h>
#include <freefall/systems/independent_blocks.h>
#include <freefall/systems/multigrid.h>
#include <freefall/systems/name_of_largest.h>
#include <freefall/systems/shifted_solver.h>
#include <freefall/systems/sparse_factors.h>

#include <fmt/format.h>
#include <time.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
/// Up to here a factorisation is faster than some ten iterative solves, and its answer does not depend on a tolerance.
constexpr int max_rows_of_automatic_direct = 6000;
/// Rows of a chain or a lattice in one dimension: the cost of factors within such a profile is linear in the number of rows, and
/// below that of ten iterations.
constexpr double max_profile_of_automatic_direct = 32;
/// From here on one iteration with multigrid, which costs about ten with the diagonal, saves more than it costs.
constexpr int max_cheap_iterations = 120;

/// Adds the time of its life to a sum: the processor's, or that of the wall where reading the former would take longer than what is
/// measured.
class Stopwatch
{
public:
  Stopwatch(double &sum, bool is_short) : sum_(sum), clock_(is_short ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID), start_(now()) {}
  Stopwatch(const Stopwatch &) = delete;
  ~Stopwatch() { sum_ += now() - start_; }

private:
  double now() const
  {
    timespec time;
    clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double &sum_;
  clockid_t clock_;
  double start_;
};
}  // namespace

void ShiftedSolver::declare_parameters(ParameterSection &section)
{
  section.declare("Linear solver", "automatic", Pattern::choice({"automatic", "blocks", "direct", "jacobi", "multigrid"}),
                  "blocks: one small independent block after another, of which the matrix must consist (stiff terms within "
                  "molecules). direct: sparse factorisation. jacobi: conjugate gradients with the inverse diagonal blocks. multigrid: "
                  "conjugate gradients with smoothed aggregation (solids). automatic: by size and number of iterations.");
  section.declare("Maximum linear iterations", "2000", Pattern::integer(1), "Of conjugate gradients in one solve.");
}

ShiftedSolver::Settings ShiftedSolver::parse_parameters(const ParameterSection &section)
{
  Settings settings;
  const std::string method = section.text("Linear solver");
  if (method == "blocks") settings.method = Method::blocks;
  if (method == "direct") settings.method = Method::direct;
  if (method == "jacobi") settings.method = Method::jacobi;
  if (method == "multigrid") settings.method = Method::multigrid;
  settings.max_iterations = section.integer("Maximum linear iterations");
  return settings;
}

ShiftedSolver::ShiftedSolver(const System &system, const Settings &settings)
  : settings_(settings), system_(system), matrix_(system, settings.selection)
{
  if (settings_.method == Method::automatic || settings_.method == Method::blocks)
  {
    if (!system.is_distributed()) blocks_ = IndependentBlocks::find(matrix());
    if (blocks_)
      settings_.method = Method::blocks;
    else if (settings_.method == Method::blocks)
      throw InputError(fmt::format("Linear solver = blocks: the terms of this problem couple more than {} degrees of freedom with each "
                                   "other, or it runs on several processes. Use automatic or direct.",
                                   IndependentBlocks::largest_block));
  }
  if (settings_.method == Method::automatic && is_cheap_to_factorise()) settings_.method = Method::direct;
  if (settings_.method == Method::direct) direct_ = std::make_unique<SparseFactors>(system);
  if (settings_.method == Method::multigrid || settings_.method == Method::automatic) multigrid_ = system.make_multigrid();
  if (matrix().block_size() != 3) multigrid_.reset();
  if (settings_.method == Method::multigrid && !multigrid_)
    throw InputError("Linear solver = multigrid: this problem has no multigrid (only solids with a lumped mass have). Use automatic, direct or jacobi.");
}

ShiftedSolver::~ShiftedSolver() = default;

bool ShiftedSolver::is_cheap_to_factorise() const
{
  if (system_.n_global_dofs() <= max_rows_of_automatic_direct) return true;
  return !system_.is_distributed() && matrix().block_size() * matrix().mean_profile() <= max_profile_of_automatic_direct;
}

void ShiftedSolver::assemble(const Eigen::VectorXd &q, double mass_factor, double shift)
{
  const Stopwatch watch(statistics_.assembly_seconds, blocks_ != nullptr);
  factors_are_current_ = diagonal_is_current_ = multigrid_is_current_ = false;
  operator_.q = q;
  operator_.mass_factor = mass_factor;
  operator_.shift = shift;
  system_.together([&] { matrix_.assemble(q, mass_factor, shift); });
  ++statistics_.n_assemblies;
}

void ShiftedSolver::solve(const Eigen::VectorXd &b, double tolerance, Eigen::VectorXd &x, Start start)
{
  ++statistics_.n_solves;
  if (settings_.method == Method::blocks) return solve_by_blocks(b, x);
  if (settings_.method == Method::direct) return solve_directly(b, x);
  if (settings_.method == Method::multigrid || prefers_multigrid_) return solve_with_multigrid(b, tolerance, start, x);
  solve_with_jacobi(b, tolerance, start, x);
}

void ShiftedSolver::solve_by_blocks(const Eigen::VectorXd &b, Eigen::VectorXd &x)
{
  if (!factors_are_current_)
  {
    const Stopwatch watch(statistics_.factorisation_seconds, blocks_ != nullptr);
    const int n_bad = blocks_->factorise(matrix());
    ++statistics_.n_factorisations;
    if (n_bad > 0)
      throw IndefiniteOperator(
        fmt::format("the operator M + c Hess V is not positive definite at c = {:.4g}: {} of its independent blocks are not. The "
                    "potential is not convex here; a shorter step helps",
                    operator_.shift / operator_.mass_factor, n_bad));
    factors_are_current_ = true;
  }
  const Stopwatch watch(statistics_.solve_seconds, blocks_ != nullptr);
  blocks_->solve(b, x);
}

void ShiftedSolver::solve_directly(const Eigen::VectorXd &b, Eigen::VectorXd &x)
{
  if (!factors_are_current_)
  {
    const Stopwatch watch(statistics_.factorisation_seconds, blocks_ != nullptr);
    direct_->factorise(matrix());
    ++statistics_.n_factorisations;
    if (!(direct_->smallest_pivot() > 0))
      throw IndefiniteOperator(
        fmt::format("the operator M + c Hess V is not positive definite at c = {:.4g}: {} of {} pivots are not positive. The "
                    "potential is not convex here; a shorter step helps",
                    operator_.shift / operator_.mass_factor, direct_->n_bad_pivots(), direct_->n_rows()));
    statistics_.n_factor_entries = direct_->n_entries();
    factors_are_current_ = true;
  }
  const Stopwatch watch(statistics_.solve_seconds, blocks_ != nullptr);
  direct_->solve(b, x);
}

void ShiftedSolver::solve_with_jacobi(const Eigen::VectorXd &b, double tolerance, Start start, Eigen::VectorXd &x)
{
  if (!diagonal_is_current_) invert_diagonal();
  const auto precondition = [&](const Eigen::VectorXd &r, Eigen::VectorXd &z)
  {
    if (matrix().block_size() == 1)
      z = inverse_diagonal_.cwiseProduct(r);
    else
      for (int row = 0; row < matrix().n_block_rows(); ++row)
        z.segment<3>(3 * row).noalias() =
          Eigen::Map<const Eigen::Matrix3d>(inverse_diagonal_.data() + 9 * row) * r.segment<3>(3 * row);
  };
  const int limit = multigrid_ ? std::min(max_cheap_iterations, settings_.max_iterations) : settings_.max_iterations;
  bool converged;
  {
    const Stopwatch watch(statistics_.solve_seconds, blocks_ != nullptr);
    converged = iterate(b, tolerance, limit, precondition, start, x);
  }
  if (converged) return;
  if (multigrid_)
  {
    prefers_multigrid_ = true;
    ++statistics_.n_switches;
    return solve_with_multigrid(b, tolerance, Start::guess, x);
  }
  throw StepFailed(fmt::format("conjugate gradients did not converge to {:.2g} in {} iterations, the residual is largest at {}; a "
                               "shorter step, more iterations (Maximum linear iterations) or another Linear solver helps",
                               tolerance, limit, name_of_largest(system_, r_)));
}

void ShiftedSolver::solve_with_multigrid(const Eigen::VectorXd &b, double tolerance, Start start, Eigen::VectorXd &x)
{
  if (!has_multigrid_levels_) build_multigrid();
  const auto precondition = [&](const Eigen::VectorXd &r, Eigen::VectorXd &z) { multigrid_->apply(r, z); };
  // Old levels are given up when they need half as many iterations again as new ones did, for the same gain.
  const double digits = std::max(1., -std::log10(tolerance));
  const int patience = multigrid_is_current_ || good_iterations_ == 0
                         ? settings_.max_iterations
                         : std::min(settings_.max_iterations, static_cast<int>(5 + 0.15 * good_iterations_ * digits));
  const auto attempt = [&](int limit)
  {
    const Stopwatch watch(statistics_.solve_seconds, blocks_ != nullptr);
    return iterate(b, tolerance, limit, precondition, start, x);
  };
  if (attempt(patience))
  {
    // Iterations for ten digits.
    if (multigrid_is_current_ && good_iterations_ == 0) good_iterations_ = static_cast<int>(std::ceil(10 * last_iterations_ / digits));
    return;
  }
  if (!multigrid_is_current_)
  {
    build_multigrid();
    ++statistics_.n_rebuilds;
    start = Start::guess;
    if (attempt(settings_.max_iterations))
    {
      good_iterations_ = static_cast<int>(std::ceil(10 * last_iterations_ / digits));
      return;
    }
  }
  throw StepFailed(fmt::format("conjugate gradients with multigrid did not converge to {:.2g} in {} iterations, the residual is "
                               "largest at {}; a shorter step, more iterations (Maximum linear iterations) or Linear solver = "
                               "direct helps",
                               tolerance, settings_.max_iterations, name_of_largest(system_, r_)));
}

void ShiftedSolver::build_multigrid()
{
  const Stopwatch watch(statistics_.factorisation_seconds, blocks_ != nullptr);
  multigrid_->build(matrix(), operator_.q);
  levels_ = operator_;
  has_multigrid_levels_ = multigrid_is_current_ = true;
  good_iterations_ = 0;
  ++statistics_.n_factorisations;
}

void ShiftedSolver::invert_diagonal()
{
  const Stopwatch watch(statistics_.factorisation_seconds, blocks_ != nullptr);
  const int size = matrix().block_size();
  inverse_diagonal_.resize(size * matrix().n_rows());
  for (int row = 0; row < matrix().n_block_rows(); ++row)
    std::copy_n(matrix().values().data() + size * size * matrix().diagonal(row), size * size,
                inverse_diagonal_.data() + size * size * row);
  add_blocks_of_other_ranks();
  int first_bad = -1;
  for (int row = matrix().n_block_rows() - 1; row >= 0; --row)
  {
    double *block = inverse_diagonal_.data() + size * size * row;
    if (size == 1)
    {
      if (!(block[0] > 0)) first_bad = row;
      block[0] = 1 / block[0];
      continue;
    }
    Eigen::Map<Eigen::Matrix3d> A(block);
    if (Eigen::LLT<Eigen::Matrix3d>(A).info() != Eigen::Success) first_bad = row;
    A = A.inverse().eval();
  }
  if (system_.is_distributed() ? ranks::any(first_bad >= 0) : first_bad >= 0)
  {
    Eigen::VectorXd place = Eigen::VectorXd::Zero(matrix().n_rows());
    if (first_bad >= 0) place[size * first_bad] = 1;
    throw IndefiniteOperator(
      fmt::format("the operator M + c Hess V is not positive definite at c = {:.4g}: its diagonal block of {} is not. The "
                  "potential is not convex here; a shorter step helps",
                  operator_.shift / operator_.mass_factor, name_of_largest(system_, place)));
  }
  diagonal_is_current_ = true;
}

void ShiftedSolver::add_blocks_of_other_ranks()
{
  if (!system_.is_distributed()) return;
  // Entry k of the rows of all blocks is a vector with one number a dof.
  const int size = matrix().block_size();
  Eigen::VectorXd column(matrix().n_rows());
  for (int k = 0; k < size; ++k)
  {
    for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = inverse_diagonal_[size * i + k];
    system_.add_other_ranks(column);
    for (Eigen::Index i = 0; i < column.size(); ++i) inverse_diagonal_[size * i + k] = column[i];
  }
}

template <typename Precondition>
bool ShiftedSolver::iterate(const Eigen::VectorXd &b,
                            double tolerance,
                            int max_iterations,
                            const Precondition &precondition,
                            Start start,
                            Eigen::VectorXd &x)
{
  last_iterations_ = 0;
  r_ = b;
  z_.resize(b.size());
  precondition(r_, z_);
  double rz = system_.dot(r_, z_);
  const double goal = tolerance * tolerance * rz;
  if (start == Start::zero || rz == 0)
    x.setZero(b.size());
  else
  {
    matrix().multiply(x, Ap_);
    system_.add_other_ranks(Ap_);
    r_ -= Ap_;
    precondition(r_, z_);
    rz = system_.dot(r_, z_);
  }
  if (std::abs(rz) <= goal) return true;
  p_ = z_;
  for (int iteration = 1; iteration <= max_iterations; ++iteration)
  {
    matrix().multiply(p_, Ap_);
    system_.add_other_ranks(Ap_);
    const double curvature = system_.dot(p_, Ap_);
    last_iterations_ = iteration;
    ++statistics_.n_iterations;
    if (!(curvature > 0) || !(rz > 0))
      throw IndefiniteOperator(
        fmt::format("the operator M + c Hess V is not positive definite at c = {:.4g}: conjugate gradients met the curvature "
                    "{:.4g} in iteration {}, along a motion that is largest at {}. The potential is not convex here; a shorter "
                    "step helps",
                    operator_.shift / operator_.mass_factor, curvature / system_.dot(p_, p_), iteration, name_of_largest(system_, p_)));
    const double alpha = rz / curvature;
    x += alpha * p_;
    r_ -= alpha * Ap_;
    precondition(r_, z_);
    const double next = system_.dot(r_, z_);
    if (std::abs(next) <= goal) return true;
    p_ = z_ + next / rz * p_;
    rz = next;
  }
  return false;
}

void ShiftedSolver::archive(Archive &archive)
{
  const Archive::Part part(archive, "linear_solver");
  archive("prefers_multigrid", prefers_multigrid_);
  archive_levels(archive);
  archive("good_iterations", good_iterations_);
  archive("n_assemblies", statistics_.n_assemblies);
  archive("n_factorisations", statistics_.n_factorisations);
  archive("n_solves", statistics_.n_solves);
  archive("n_iterations", statistics_.n_iterations);
  archive("n_factor_entries", statistics_.n_factor_entries);
  archive("n_switches", statistics_.n_switches);
  archive("n_rebuilds", statistics_.n_rebuilds);
}

void ShiftedSolver::archive_levels(Archive &archive)
{
  bool has_levels = has_multigrid_levels_;
  archive("has_levels", has_levels);
  if (!has_levels) return;
  archive.list("levels_q", levels_.q);
  archive("levels_mass_factor", levels_.mass_factor);
  archive("levels_shift", levels_.shift);
  if (!archive.is_loading()) return;
  if (!multigrid_ || levels_.q.size() != system_.n_dofs()) throw ArchiveError("it was made by another linear solver");
  const Eigen::VectorXd q = levels_.q;
  assemble(q, levels_.mass_factor, levels_.shift);
  build_multigrid();
}

NamedValues ShiftedSolver::summary() const
{
  return {{"n_matrix_assemblies", static_cast<double>(statistics_.n_assemblies)},
          {"n_factorisations", static_cast<double>(statistics_.n_factorisations)},
          {"n_linear_solves", static_cast<double>(statistics_.n_solves)},
          {"n_factor_entries", static_cast<double>(statistics_.n_factor_entries)},
          {"n_linear_iterations", static_cast<double>(statistics_.n_iterations)},
          {"n_switches_to_multigrid", static_cast<double>(statistics_.n_switches)},
          {"n_multigrid_rebuilds", static_cast<double>(statistics_.n_rebuilds)},
          {"assembly_seconds", statistics_.assembly_seconds},
          {"factorisation_seconds", statistics_.factorisation_seconds},
          {"linear_solve_seconds", statistics_.solve_seconds}};
}
}  // namespace freefall

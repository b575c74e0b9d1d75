#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/named_value.h>

#include <cstdint>

namespace freefall
{
/// What the simplified Newton iterations of a run did, for summary.json.
struct NewtonCounts
{
  std::int64_t n_iterations = 0;
  std::int64_t n_refreshes = 0;  ///< of matrices with which an iteration became too slow

  void archive(Archive &archive)
  {
    archive("n_newton_iterations", n_iterations);
    archive("n_refreshed_matrices", n_refreshes);
  }
  NamedValues summary() const
  {
    return {{"n_newton_iterations", static_cast<double>(n_iterations)},
            {"n_refreshed_matrices", static_cast<double>(n_refreshes)}};
  }
};

/// Decides when a simplified Newton iteration is done: at rounding, so that the conservation laws of an implicit method hold
/// to rounding and not to a tolerance.
class NewtonProgress
{
public:
  enum class Verdict
  {
    go_on,
    refresh_matrix,  ///< converges too slowly with this matrix
    converged,
    failed
  };

  /// `scale`: the size of the unknown, against which rounding is measured.
  explicit NewtonProgress(double scale) : scale_(scale) {}

  /// After each iteration, with the largest entry of the change that it made.
  Verdict judge(double change)
  {
    ++n_iterations_;
    if (!(change < 1e300)) return Verdict::failed;
    if (change <= 1e-16 * scale_) return Verdict::converged;
    // At the level of rounding the changes stop decreasing.
    if (n_iterations_ > 1 && change >= 0.5 * previous_ && previous_ <= 1e-13 * scale_) return Verdict::converged;
    if (n_iterations_ >= max_iterations) return Verdict::failed;
    const bool is_slow = n_iterations_ > 1 && change > 0.25 * previous_;
    previous_ = change;
    return is_slow ? Verdict::refresh_matrix : Verdict::go_on;
  }

  int n_iterations() const { return n_iterations_; }

private:
  static constexpr int max_iterations = 50;
  double scale_;
  double previous_ = 0;
  int n_iterations_ = 0;
};
}  // namespace freefall

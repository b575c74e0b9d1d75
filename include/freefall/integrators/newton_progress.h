#pragma once

namespace freefall
{
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

#pragma once

#include <freefall/integrators/force_stepping/engine.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>
#include <freefall/systems/system.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

namespace freefall::force_stepping
{
/// GSO Algorithms 1 and 2 as printed: the reference. O(d^2) and one evaluation of the whole potential a crossing; any symmetric
/// positive definite mass; of the potential only its value is used.
///
/// The symbols are those of the paper. Two liberties, neither of which changes a number that the paper defines:
/// * z is counted from the cell of the start, so that the entries of Z and Z^-1 are small integers and exact. Positions are
///   good to rounding of the number of cells travelled since.
/// * The columns of Z stay where they are (the remark after GSO (21)): column[r] says which one holds vertex z^r.
/// On the mirrored grids the vertex that replaces z^0 or z^d is the mirror image instead of z^1 + z^d - z^0.
class ShermanMorrisonEngine : public Engine
{
public:
  ShermanMorrisonEngine(const System &system, const SimplicialGrid &grid, const Location &start, const State &state);

  double next_event_time() override { return t_next_; }
  Event apply_next_event() override;
  Event pending_event() override;
  void evaluate(double time, State &state) const override;
  void gradient(Eigen::VectorXd &gradient) const override;
  double time_scale() const override;
  std::int64_t n_possible_crossings() const override { return std::int64_t(d_) * (d_ + 1) / 2; }
  bool visits_all_crossings() const override { return true; }
  std::int64_t n_force_changes() const override { return n_crossings_; }
  std::size_t memory_bytes() const override { return 2 * sizeof(double) * Z_.size(); }
  void archive(Archive &archive) override;

private:
  /// TIME-STEP (GSO Proposition 3.1): t_{k+1} and the boundary B_s.
  void time_step();
  /// UPDATE (GSO Algorithm 2): the simplex on the other side of B_s and its gradient.
  void update();
  /// V at vertex z^r of a simplex.
  double vertex_potential(const Simplex &simplex, int r) const;
  /// z^r counted from the origin.
  Eigen::VectorXd vertex(int r) const;
  void compute_gradient();

  const System &system_;
  const SimplicialGrid &grid_;
  const int d_;
  Eigen::VectorXd fixed_;             ///< q with the fixed dofs
  std::vector<std::int64_t> origin_;  ///< by free dof: base of the cell of the start
  Eigen::LLT<Eigen::MatrixXd> mass_;  ///< of the free dofs, when the mass is not diagonal
  Eigen::VectorXd diagonal_mass_;
  Eigen::VectorXd h_;             ///< T^-1 by free dof
  std::vector<int> free_number_;  ///< of each dof

  double t_k_, t_next_ = 0;
  double tau_ = 0;         ///< the step, of which t_next_ - t_k_ is a rounding
  int s_ = -1;             ///< boundary that is crossed next
  int just_crossed_ = -1;  ///< column whose barycentric coordinate is zero by definition
  Eigen::VectorXd z_, z_dot_;
  Eigen::VectorXd half_z_ddot_;  ///< -T M^-1 grad V_k / 2
  Eigen::VectorXd grad_V_;       ///< in q
  Simplex simplex_;
  std::vector<int> column_;  ///< of vertex z^r
  Eigen::RowVectorXd V_;     ///< V_Delta
  Eigen::MatrixXd Z_, Z_inverse_;
  Eigen::MatrixXd trajectory_, mu_;  ///< scratch of TIME-STEP
  std::int64_t n_crossings_ = 0;
};
}  // namespace freefall::force_stepping

#pragma once

#include <freefall/integrators/force_stepping/couplings.h>
#include <freefall/integrators/force_stepping/motion_records.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>
#include <freefall/integrators/force_stepping/term_orders.h>

#include <vector>

namespace freefall::force_stepping
{
/// One parabola a dof, re-based only when that dof's own force changes. Needs a diagonal mass.
///
/// In units of the cell:  d2w/dt2 = -G / (m h^2),  G = dV_h/dw (see TermOrders). Dofs are those of Couplings.
///
/// Event times are rounded, so at the time of an event a dof is up to (dw/dt) (rounding of t) away from the boundary. It is put
/// there along its own parabola, with the velocity it has there: each dof's energy 1/2 m v^2 + G w is kept to rounding of its
/// own size, whatever the size of t. (Moving w alone would change the energy by G dw at each event: 1e-8 for a comet of e =
/// 0.99.)
class DofMotions
{
public:
  DofMotions(const System &system, const SimplicialGrid &grid, const Location &start, const State &state);

  const Couplings &couplings() const { return couplings_; }
  const TermOrders &orders() const { return orders_; }
  Parabola parabola(int dof) const { return records_.parabola(couplings_.block_of(dof), lane_of(dof)); }
  const MotionRecords &records() const { return records_; }
  /// For engines that watch dofs: kept beside the parabola.
  void set_watch(int dof, double time) { records_.set_watch(couplings_.block_of(dof), lane_of(dof), time); }
  double watch(int dof) const { return records_.watch(couplings_.block_of(dof), lane_of(dof)); }
  int n_free() const { return couplings_.n_free(); }

  /// Two coupled dofs change places at `time`; both forces change. They meet: both are given the same w.
  /// Returns -1, or the dof that stands between them in a term and must go first; then nothing has changed.
  int swap(int pair, int ahead, int behind, double time);
  /// A dof leaves its cell at `time`; its force is computed anew. w is 0 or 1 by definition. Returns whether it turned round.
  bool leave_cell(int dof, bool upward, double time);

  void evaluate(double time, State &state) const;
  void gradient(Eigen::VectorXd &gradient) const;
  double time_scale() const;
  std::size_t memory_bytes() const;
  void archive(Archive &archive);

  /// The number of a dof within its block.
  int lane_of(int dof) const { return dof - couplings_.block_begin(couplings_.block_of(dof)); }

private:
  void set_parabola(int dof, const Parabola &parabola)
  {
    records_.set_parabola(couplings_.block_of(dof), lane_of(dof), parabola);
  }

  Couplings couplings_;
  const SimplicialGrid &grid_;
  TermOrders orders_;
  MotionRecords records_;
  /// Force G in energy units and its factor to half the acceleration, -1 / (2 m h^2).
  struct Force
  {
    double value = 0;
    double to_half_acceleration = 0;
  };
  LargeVector<Force> forces_;
};
}  // namespace freefall::force_stepping

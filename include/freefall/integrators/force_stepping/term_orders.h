#pragma once

#include <freefall/integrators/force_stepping/couplings.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>

#include <cstdint>
#include <vector>

namespace freefall::force_stepping
{
/// Every term's own Kuhn simplex: the forces of the grid, term by term.
///
/// The Kuhn interpolant of a sum of terms is the sum of the terms' own interpolants over their own dofs (METHODS.md 2). A
/// term's simplex is the lower corner of its cell and the order of its dofs, kept as one rank (a byte) a dof. A dof stands at
/// the upper corner in vertex r of the term if its rank is below r.
///
/// Force of a dof on its grid:  G_i = sum over its terms of V(p + i) - V(p), p the term's vertex just below i (energy units;
/// dV_h/dw_i). Swap of i ahead of j:  D = sum over shared terms of V(p+i+j) - V(p+i) - V(p+j) + V(p);  G_i += D, G_j -= D.
///
/// Dofs are those of Couplings. Nothing is allocated after construction. Where a term throws DomainError nothing has changed.
class TermOrders
{
public:
  TermOrders(const Couplings &couplings, const SimplicialGrid &grid, const Simplex &simplex, const Eigen::VectorXd &q);

  Cell cell(int dof) const { return cells_[dof].unpack(); }

  /// G_i from the terms of i.
  double force(int dof);

  /// Whether i stands before j, which shares a term with it.
  bool is_ahead(int pair, int i, int j) const;
  /// A dof that stands before (`upward`) or after i in one of the terms of i, -1 if there is none.
  int beyond(int dof, bool upward) const;

  /// `ahead` and `behind`, neighbours in every shared term, change places. Where a third dof stands between them in a term
  /// (three that meet at one instant) nothing changes, and that dof is the blocker.
  struct Swap
  {
    double mixed_difference;  ///< D
    int blocker;              ///< -1 if there is none
  };
  Swap swap(int pair, int ahead, int behind);

  /// The dof, first (`upward`) or last in all its terms, leaves its cell. Returns its new G_i and whether w turned round.
  struct NewCell
  {
    double force;
    bool reflected;
  };
  NewCell leave_cell(int dof, bool upward);

  /// Asks for the segments and ranks of the terms of a pair.
  void prefetch(int pair) const;
  std::size_t memory_bytes() const;
  void archive(Archive &archive);

private:
  static constexpr std::uint8_t fixed_rank = 255;

  template <typename Function>
  void for_each_run(Span<const int> terms, Function &&function) const;

  /// The vertex of a term in which exactly the dofs with a rank below `rank` stand at their upper corners.
  void gather_vertex(
    const Couplings::Family &family, const int *segments, const std::uint8_t *ranks, int rank, double *x) const;
  /// Of V(p + i) - V(p) over terms of i.
  double sum_of_forces(int dof, Span<const int> terms);
  void set_corners(int dof);
  void rotate(int dof, bool upward);

  const Couplings &couplings_;
  const SimplicialGrid &grid_;
  /// A Cell in one number: twice the base, plus one if the direction is negative.
  class PackedCell
  {
  public:
    PackedCell() = default;
    static void archive(Archive &archive, LargeVector<PackedCell> &cells)
    {
      std::vector<std::int64_t> bits(cells.size());
      for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = cells[i].bits_;
      archive("cells", bits);
      for (std::size_t i = 0; i < bits.size(); ++i) cells[i].bits_ = bits[i];
    }
    explicit PackedCell(const Cell &cell) : bits_(2 * cell.base + (cell.direction < 0)) {}
    Cell unpack() const { return {(bits_ - (bits_ & 1)) / 2, bits_ & 1 ? -1 : 1}; }

  private:
    std::int64_t bits_ = 0;
  };
  LargeVector<PackedCell> cells_;
  /// q at w = 0 and at w = 1; twice the same for fixed dofs.
  struct Corners
  {
    double at[2] = {0, 0};
  };
  LargeVector<Corners> corners_;
  LargeVector<double> steps_;        ///< from the one to the other
  LargeVector<std::uint8_t> ranks_;  ///< by entry of the terms
  bool has_fixed_dofs_;
  // Scratch of a batch: values of the terms, and places of the dofs in them.
  std::vector<double> x_;
  std::vector<int> place_i_, place_j_, terms_;
};
}  // namespace freefall::force_stepping

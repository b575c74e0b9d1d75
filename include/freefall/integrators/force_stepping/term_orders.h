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

  const Cell &cell(int dof) const { return cells_[dof]; }

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

  std::size_t memory_bytes() const;
  void archive(Archive &archive);

private:
  static constexpr std::uint8_t fixed_rank = 255;

  template <typename Function>
  void for_each_run(Span<const int> terms, Function &&function) const;

  static std::size_t entry_of(const Couplings::Family &family, int term)
  {
    return family.first_entry + static_cast<std::size_t>(term - family.first_term) * family.dofs_per_term;
  }
  /// The vertex of a term in which exactly the dofs with a rank below `rank` stand at their upper corners.
  void gather_vertex(std::size_t entry, int n, int rank, double *x) const;
  double coupling_force(int dof);
  double single_force(int dof);
  void set_corners(int dof);
  void rotate(int dof, bool upward);

  const Couplings &couplings_;
  const SimplicialGrid &grid_;
  std::vector<Cell> cells_;
  /// q at w = 0 and at w = 1; twice the same for fixed dofs.
  struct Corners
  {
    double at[2] = {0, 0};
  };
  std::vector<Corners> corners_;
  std::vector<double> steps_;        ///< from the one to the other
  std::vector<std::uint8_t> ranks_;  ///< like Couplings::term_dofs()
  bool has_fixed_dofs_;
  // Scratch of a batch: values of the terms, and places of the dofs in them.
  std::vector<double> x_;
  std::vector<int> place_i_, place_j_, terms_;
};
}  // namespace freefall::force_stepping

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
/// Dofs are those of Couplings. Nothing is allocated after construction. Functions that evaluate terms pass DomainError on
/// and have then changed nothing.
class TermOrders
{
public:
  TermOrders(const Couplings &couplings, const SimplicialGrid &grid, const Simplex &simplex, const Eigen::VectorXd &q);

  const Cell &cell(int dof) const { return cells_[dof]; }

  /// G_i from the terms of i.
  double force(int dof);
  /// The sum of mixed differences over the shared terms of a coupled pair, `ahead` directly before `behind` in each.
  /// Where a third dof stands between them in a term (three that meet at one instant), that dof is the blocker and the value
  /// is meaningless.
  struct MixedDifference
  {
    double value;
    int blocker;  ///< -1 if there is none
  };
  MixedDifference mixed_difference(int pair, int ahead, int behind);

  /// Whether i stands before j in the terms of their pair.
  bool is_ahead(int pair, int i, int j) const;
  /// A dof that stands before (`upward`) or after i in one of the terms of i, -1 if there is none.
  int beyond(int dof, bool upward) const;

  /// `ahead` and `behind`, neighbours in every shared term, change places.
  void swap(int pair, int ahead, int behind);
  /// The dof, first (`upward`) or last in all its terms, leaves its cell. Returns its new G_i and whether w turned round.
  struct NewCell
  {
    double force;
    bool reflected;
  };
  NewCell leave_cell(int dof, bool upward);

  std::size_t memory_bytes() const;

private:
  static constexpr std::uint8_t fixed_rank = 255;

  template <typename Function>
  void for_each_run(Span<const int> terms, Function &&function) const;
  /// Position of a dof in a term.
  static int find(const int *dofs, int dof);
  static std::size_t entry_of(const Couplings::Family &family, int term)
  {
    return family.first_entry + static_cast<std::size_t>(term - family.first_term) * family.dofs_per_term;
  }
  /// The vertex of a term in which exactly the dofs ahead of local dof a stand at their upper corners.
  void gather_vertex(std::size_t entry, int n, int a, double *x) const;
  double sum_of_differences(Span<const int> terms, int dof);
  void set_corner(int dof);
  void rotate(int dof, bool upward);

  const Couplings &couplings_;
  const SimplicialGrid &grid_;
  std::vector<Cell> cells_;
  /// Lower corner and step to the upper one, in the coordinates q; fixed dofs have step zero.
  struct Corner
  {
    double lower = 0;
    double step = 0;
  };
  std::vector<Corner> corners_;
  std::vector<std::uint8_t> ranks_;  ///< like Couplings::term_dofs()
  std::vector<double> x_;            ///< scratch: values of the terms of one batch
  std::vector<int> local_i_, local_j_, local_terms_;
};
}  // namespace freefall::force_stepping

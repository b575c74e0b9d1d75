#pragma once

#include <freefall/core/span.h>

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace freefall::force_stepping
{
/// How the cells of the grid are cut into simplices.
enum class GridKind
{
  kuhn,           ///< every cell alike (GSO 3): invariant under q -> -q
  mirrored_kuhn,  ///< the Kuhn simplex of |z|, signs put back (GSO Figure 4): invariant under flipping one coordinate as well
  union_jack      ///< Kuhn with y_i reflected in every cell of odd k_i (GSO Figure 4): likewise
};

/// Where one dof is: z = base + direction * w with the folded fraction w in [0, 1]. Integers, so nothing is lost far away.
struct Cell
{
  std::int64_t base = 0;  ///< the vertex at w = 0
  int direction = 1;      ///< +1 or -1: from the vertex at w = 0 to the one at w = 1
};

/// One simplex of the grid: its vertices are z^0 = base, z^r = z^(r-1) + direction[p_r] e[p_r].
struct Simplex
{
  std::vector<Cell> cells;  ///< by dof; of fixed dofs unused
  std::vector<int> order;   ///< p: the free dofs by descending w
};

/// A simplex and the place in it.
struct Location
{
  Simplex simplex;
  Eigen::VectorXd fractions;  ///< w by dof; zero for fixed dofs
};

/// A simplicial grid of configuration space (GSO 3): z = q / h + shift, cells of unit size, each cut into simplices.
///
/// All three kinds are the plain Kuhn grid of folded coordinates: in each cell a dof is measured as w from one of the two
/// ends, and the simplex is the order of the w. The kinds differ in what happens when a dof leaves its cell: in the Kuhn
/// grid it moves to the other end of the order; at a mirror plane it stays where it is in the order and w turns round.
///
/// Barycentric coordinates: 1 - w[p_1], w[p_1] - w[p_2], ..., w[p_d]. V_h is linear in each simplex, equal to V at vertices.
///
/// Fixed dofs are not coordinates of the grid: every vertex has them where they are.
class SimplicialGrid
{
public:
  /// spacing h in the unit of q and shift in units of h, both by dof.
  SimplicialGrid(GridKind kind, Eigen::VectorXd spacing, Eigen::VectorXd shift, Span<const int> fixed_dofs);

  /// The simplex that holds q, or that q enters: ties in w are decided by the folded velocity, then by the lower dof.
  /// (Where that ties too, the acceleration decides: the engines make the crossing as a step of length zero.)
  Location locate(const Eigen::VectorXd &q, const Eigen::VectorXd &v) const;

  /// Vertex z^r in the coordinates q; the fixed dofs keep the value they have in `fixed`.
  Eigen::VectorXd vertex(const Simplex &simplex, int r, const Eigen::VectorXd &fixed) const;
  /// The n_free() + 1 weights of the vertices.
  Eigen::VectorXd barycentric(const Location &location) const;
  /// The replacement rule (GSO Lemma 3.3): the simplex on the other side of the boundary without vertex z^s.
  /// Returns the number r of the new vertex: s, or, where the order shifts, d for s = 0 and 0 for s = d.
  int replace(Simplex &simplex, int s) const;

  using Potential = std::function<double(const Eigen::VectorXd &)>;
  /// V_h(q) = sum of barycentric coordinates times V at the vertices: n_free() + 1 evaluations.
  double interpolate(const Potential &potential, const Location &location, const Eigen::VectorXd &fixed) const;
  /// dV_h/dq, constant in a simplex; zero in fixed dofs.
  Eigen::VectorXd gradient(const Potential &potential, const Simplex &simplex, const Eigen::VectorXd &fixed) const;

  /// One dof leaves its cell at w = 1 (`upward`) or w = 0. Returns whether w turned round (a mirror plane: w stays, dw/dt
  /// changes sign, the order stays); otherwise w jumps to the other end, and so does the dof in the order.
  bool leave_cell(Cell &cell, bool upward) const;

  /// The cell of z and the fraction in it.
  Cell cell_of(double z, double &fraction) const;
  /// z = q / h + shift of one dof.
  double grid_coordinate(int dof, double q) const { return q / spacing_[dof] + shift_[dof]; }
  /// q at the vertex with integer coordinate k.
  double vertex_coordinate(int dof, std::int64_t k) const { return (static_cast<double>(k) - shift_[dof]) * spacing_[dof]; }
  /// q at fraction w of a cell.
  double coordinate(int dof, const Cell &cell, double w) const
  {
    return ((static_cast<double>(cell.base) - shift_[dof]) + cell.direction * w) * spacing_[dof];
  }

  GridKind kind() const { return kind_; }
  int n_dofs() const { return static_cast<int>(spacing_.size()); }
  int n_free() const { return static_cast<int>(free_dofs_.size()); }
  const std::vector<int> &free_dofs() const { return free_dofs_; }
  double spacing(int dof) const { return spacing_[dof]; }

private:
  GridKind kind_;
  Eigen::VectorXd spacing_;
  Eigen::VectorXd shift_;
  std::vector<int> free_dofs_;
};
}  // namespace freefall::force_stepping

#include <freefall/core/errors.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace freefall::force_stepping
{
SimplicialGrid::SimplicialGrid(GridKind kind, Eigen::VectorXd spacing, Eigen::VectorXd shift, Span<const int> fixed_dofs)
  : kind_(kind), spacing_(std::move(spacing)), shift_(std::move(shift))
{
  for (int dof = 0; dof < n_dofs(); ++dof)
  {
    if (!(spacing_[dof] > 0) || !std::isfinite(spacing_[dof]))
      throw InputError(
        fmt::format("force-stepping: the grid spacing of dof {} is {}; it must be positive and finite", dof, spacing_[dof]));
    if (!std::binary_search(fixed_dofs.begin(), fixed_dofs.end(), dof)) free_dofs_.push_back(dof);
  }
}

Cell SimplicialGrid::cell_of(double z, double &fraction) const
{
  if (!(std::fabs(z) < 4e18))
    throw InputError(
      fmt::format("force-stepping: {} grid cells from the origin are too many to count; enlarge the spacing", z));
  const double below = std::floor(z);
  Cell cell{static_cast<std::int64_t>(below), 1};
  fraction = z - below;
  const bool reflected = (kind_ == GridKind::union_jack && cell.base % 2 != 0) || (kind_ == GridKind::mirrored_kuhn && z < 0);
  if (reflected)
  {
    cell = {cell.base + 1, -1};
    fraction = 1 - fraction;
  }
  return cell;
}

bool SimplicialGrid::leave_cell(Cell &cell, bool upward) const
{
  if (kind_ == GridKind::union_jack)
  {
    if (upward) cell.base += 2 * cell.direction;
    cell.direction = -cell.direction;
    return true;
  }
  if (kind_ == GridKind::mirrored_kuhn && !upward && cell.base == 0)
  {
    cell.direction = -cell.direction;
    return true;
  }
  cell.base += upward ? cell.direction : -cell.direction;
  return false;
}

Location SimplicialGrid::locate(const Eigen::VectorXd &q, const Eigen::VectorXd &v) const
{
  Location location{{std::vector<Cell>(n_dofs()), free_dofs_}, Eigen::VectorXd::Zero(n_dofs())};
  Eigen::VectorXd folded_velocity = Eigen::VectorXd::Zero(n_dofs());
  for (const int dof : free_dofs_)
  {
    Cell &cell = location.simplex.cells[dof];
    cell = cell_of(grid_coordinate(dof, q[dof]), location.fractions[dof]);
    folded_velocity[dof] = cell.direction * v[dof] / spacing_[dof];
  }
  const auto ahead = [&](int i, int j)
  {
    if (location.fractions[i] != location.fractions[j]) return location.fractions[i] > location.fractions[j];
    if (folded_velocity[i] != folded_velocity[j]) return folded_velocity[i] > folded_velocity[j];
    return i < j;
  };
  std::sort(location.simplex.order.begin(), location.simplex.order.end(), ahead);
  return location;
}

Eigen::VectorXd SimplicialGrid::vertex(const Simplex &simplex, int r, const Eigen::VectorXd &fixed) const
{
  Eigen::VectorXd q = fixed;
  for (int position = 0; position < n_free(); ++position)
  {
    const int dof = simplex.order[position];
    const Cell &cell = simplex.cells[dof];
    q[dof] = vertex_coordinate(dof, position < r ? cell.base + cell.direction : cell.base);
  }
  return q;
}

Eigen::VectorXd SimplicialGrid::barycentric(const Location &location) const
{
  const int d = n_free();
  Eigen::VectorXd weights(d + 1);
  double previous = 1;
  for (int r = 0; r < d; ++r)
  {
    const double w = location.fractions[location.simplex.order[r]];
    weights[r] = previous - w;
    previous = w;
  }
  weights[d] = previous;
  return weights;
}

int SimplicialGrid::replace(Simplex &simplex, int s) const
{
  auto &order = simplex.order;
  const int d = n_free();
  if (s > 0 && s < d)
  {
    std::swap(order[s - 1], order[s]);
    return s;
  }
  const bool upward = s == 0;
  if (leave_cell(simplex.cells[upward ? order.front() : order.back()], upward)) return s;
  std::rotate(order.begin(), upward ? order.begin() + 1 : order.end() - 1, order.end());
  return d - s;
}

double SimplicialGrid::interpolate(const Potential &potential, const Location &location, const Eigen::VectorXd &fixed) const
{
  const Eigen::VectorXd weights = barycentric(location);
  double sum = 0;
  for (int r = 0; r <= n_free(); ++r) sum += weights[r] * potential(vertex(location.simplex, r, fixed));
  return sum;
}

Eigen::VectorXd SimplicialGrid::gradient(const Potential &potential, const Simplex &simplex, const Eigen::VectorXd &fixed) const
{
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n_dofs());
  double below = potential(vertex(simplex, 0, fixed));
  for (int r = 1; r <= n_free(); ++r)
  {
    const int dof = simplex.order[r - 1];
    const double above = potential(vertex(simplex, r, fixed));
    gradient[dof] = (above - below) / (simplex.cells[dof].direction * spacing_[dof]);
    below = above;
  }
  return gradient;
}
}  // namespace freefall::force_stepping

#include <freefall/integrators/force_stepping/interpolated_energy.h>

#include <algorithm>

namespace freefall::force_stepping
{
double interpolated_energy(const System &system, const SimplicialGrid &grid, const Eigen::VectorXd &q)
{
  std::vector<Cell> cells(grid.n_dofs());
  std::vector<double> fractions(grid.n_dofs(), -1);  // fixed dofs keep -1
  for (const int dof : grid.free_dofs()) cells[dof] = grid.cell_of(grid.grid_coordinate(dof, q[dof]), fractions[dof]);

  double sum = 0;
  for (const auto &family : system.terms())
  {
    const int n = family->dofs_per_term();
    std::vector<double> x(n);
    std::vector<int> order;
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      order.clear();
      for (int a = 0; a < n; ++a)
      {
        const bool is_free = fractions[dofs[a]] >= 0;
        x[a] = is_free ? grid.vertex_coordinate(dofs[a], cells[dofs[a]].base) : q[dofs[a]];
        if (is_free) order.push_back(a);
      }
      std::sort(order.begin(), order.end(), [&](int a, int b) { return fractions[dofs[a]] > fractions[dofs[b]]; });
      sum += family->value(term, x.data());
      for (const int a : order)
      {
        const double step = cells[dofs[a]].direction * grid.spacing(dofs[a]);
        sum += fractions[dofs[a]] * family->difference(term, x.data(), a, step);
        x[a] += step;
      }
    }
  }
  return sum;
}
}  // namespace freefall::force_stepping

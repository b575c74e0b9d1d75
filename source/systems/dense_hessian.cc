#include <freefall/systems/dense_hessian.h>

#include <vector>

namespace freefall
{
void dense_hessian(const System &system, const Eigen::VectorXd &q, Eigen::MatrixXd &hessian)
{
  hessian.setZero(system.n_dofs(), system.n_dofs());
  std::vector<double> x, local;
  for (const auto &family : system.terms())
  {
    const int n = family->dofs_per_term();
    x.resize(n);
    local.resize(n * n);
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (int a = 0; a < n; ++a) x[a] = q[dofs[a]];
      family->hessian(term, x.data(), local.data());
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) hessian(dofs[a], dofs[b]) += local[a * n + b];
    }
  }
  for (const int dof : system.fixed_dofs())
  {
    hessian.row(dof).setZero();
    hessian.col(dof).setZero();
  }
}

Eigen::MatrixXd dense_mass(const System &system)
{
  if (system.mass_is_diagonal()) return system.diagonal_mass().asDiagonal();
  Eigen::MatrixXd mass(system.n_dofs(), system.n_dofs());
  for (int dof = 0; dof < system.n_dofs(); ++dof)
    mass.col(dof) = system.apply_mass(Eigen::VectorXd::Unit(system.n_dofs(), dof));
  return mass;
}
}  // namespace freefall

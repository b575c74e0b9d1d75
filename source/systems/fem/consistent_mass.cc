#include <freefall/core/errors.h>
#include <freefall/systems/fem/consistent_mass.h>

#include <utility>

namespace freefall
{
ConsistentMass::ConsistentMass(Eigen::SparseMatrix<double> matrix) : matrix_(std::move(matrix)) { hold({}); }

void ConsistentMass::hold(Span<const int> dofs)
{
  for (auto &held : is_held_) held.assign(matrix_.rows(), false);
  for (const int dof : dofs) is_held_[dof % 3][dof / 3] = true;
  for (int c = 0; c < 3; ++c)
  {
    factors_[c].reset();
    for (int earlier = 0; earlier < c; ++earlier)
      if (is_held_[earlier] == is_held_[c]) factors_[c] = factors_[earlier];
    if (!factors_[c]) factors_[c] = factorise(is_held_[c]);
  }
}

std::shared_ptr<const ConsistentMass::Factors> ConsistentMass::factorise(const std::vector<bool> &is_held) const
{
  // Rows and columns of held nodes become those of the identity.
  Eigen::SparseMatrix<double> free = matrix_;
  for (int column = 0; column < free.outerSize(); ++column)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(free, column); entry; ++entry)
      if (is_held[entry.row()] || is_held[column]) entry.valueRef() = entry.row() == column ? 1 : 0;
  auto factors = std::make_shared<Factors>(free);
  if (factors->info() != Eigen::Success)
    throw InputError("the consistent mass is not positive definite: the mesh has bad elements. Use Mass = lumped.");
  return factors;
}

Eigen::VectorXd ConsistentMass::apply(const Eigen::VectorXd &v) const
{
  const Eigen::Map<const Eigen::Matrix3Xd> components(v.data(), 3, matrix_.rows());
  const Eigen::Matrix3Xd product = (matrix_ * components.transpose()).transpose();
  return product.reshaped();
}

Eigen::VectorXd ConsistentMass::solve(const Eigen::VectorXd &f) const
{
  const Eigen::Map<const Eigen::Matrix3Xd> forces(f.data(), 3, matrix_.rows());
  Eigen::Matrix3Xd accelerations(3, matrix_.rows());
  for (int c = 0; c < 3; ++c)
  {
    Eigen::VectorXd component = forces.row(c);
    for (Eigen::Index node = 0; node < component.size(); ++node)
      if (is_held_[c][node]) component[node] = 0;
    accelerations.row(c) = factors_[c]->solve(component);
  }
  return accelerations.reshaped();
}
}  // namespace freefall

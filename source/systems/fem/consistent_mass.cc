#include <freefall/core/errors.h>
#include <freefall/systems/fem/consistent_mass.h>
#include <fmt/format.h>

#include <utility>

namespace freefall
{
ConsistentMass::ConsistentMass(Eigen::SparseMatrix<double> matrix, const SharedDofs *shared)
  : matrix_(std::move(matrix)), shared_(shared)
{
  if (shared_)
  {
    inverse_diagonal_ = Eigen::VectorXd(matrix_.diagonal()).transpose().replicate(3, 1).reshaped();
    shared_->add(inverse_diagonal_);
    inverse_diagonal_ = inverse_diagonal_.cwiseInverse().eval();
  }
  hold({});
}

void ConsistentMass::hold(Span<const int> dofs)
{
  for (auto &held : is_held_) held.assign(matrix_.rows(), false);
  for (const int dof : dofs) is_held_[dof % 3][dof / 3] = true;
  if (shared_) return;
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
  Eigen::VectorXd momenta = product.reshaped();
  if (shared_) shared_->add(momenta);
  return momenta;
}

void ConsistentMass::clear_held(Eigen::VectorXd &values) const
{
  for (Eigen::Index dof = 0; dof < values.size(); ++dof)
    if (is_held_[dof % 3][dof / 3]) values[dof] = 0;
}

Eigen::VectorXd ConsistentMass::solve_on_ranks(const Eigen::VectorXd &f) const
{
  // At a condition number of 27 an iteration gains a factor of 1.5 at least, so that 1e-15 takes 90; and no mesh is so bad.
  constexpr int most_iterations = 1000;
  constexpr double tolerance = 1e-15;
  Eigen::VectorXd a = Eigen::VectorXd::Zero(f.size()), residual = f;
  clear_held(residual);
  Eigen::VectorXd scaled = inverse_diagonal_.cwiseProduct(residual), direction = scaled;
  double square = shared_->dot(residual, scaled);
  const double goal = tolerance * tolerance * square;
  for (int iteration = 0; square > goal; ++iteration)
  {
    if (iteration == most_iterations)
      throw StepFailed(fmt::format("the consistent mass is not solved within {} iterations: the mesh has bad elements. Use Mass = "
                                   "lumped.",
                                   most_iterations));
    Eigen::VectorXd image = apply(direction);
    clear_held(image);
    const double step = square / shared_->dot(direction, image);
    a += step * direction;
    residual -= step * image;
    scaled = inverse_diagonal_.cwiseProduct(residual);
    const double next = shared_->dot(residual, scaled);
    direction = scaled + next / square * direction;
    square = next;
  }
  return a;
}

Eigen::VectorXd ConsistentMass::solve(const Eigen::VectorXd &f) const
{
  if (shared_) return solve_on_ranks(f);
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

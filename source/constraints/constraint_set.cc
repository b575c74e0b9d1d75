#include <freefall/constraints/constraint_set.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace freefall
{
namespace
{
using Values = std::array<double, Constraint::max_dofs>;

/// The entries of q that a constraint touches.
inline void gather(const Constraint &constraint, const Eigen::VectorXd &q, Values &x)
{
  const auto dofs = constraint.dofs();
  for (std::size_t a = 0; a < dofs.size(); ++a) x[a] = q[dofs[a]];
}
}  // namespace

void ConstraintSet::add(std::unique_ptr<Constraint> constraint)
{
  if (constraint->n_dofs() > Constraint::max_dofs) throw std::logic_error("a constraint touches too many dofs");
  offsets_.push_back(offsets_.back() + constraint->n_dofs());
  constraints_.push_back(std::move(constraint));
}

void ConstraintSet::value(const Eigen::VectorXd &q, Eigen::VectorXd &g) const
{
  g.resize(size());
  Values x;
  for (int c = 0; c < size(); ++c)
  {
    gather(*constraints_[c], q, x);
    g[c] = constraints_[c]->value(x.data());
  }
}

void ConstraintSet::jacobian(const Eigen::VectorXd &q, Eigen::VectorXd &entries) const
{
  entries.resize(offsets_.back());
  Values x;
  for (int c = 0; c < size(); ++c)
  {
    gather(*constraints_[c], q, x);
    constraints_[c]->gradient(x.data(), entries.data() + offsets_[c]);
  }
}

void ConstraintSet::discrete_jacobian(const Eigen::VectorXd &q0, const Eigen::VectorXd &q1, Eigen::VectorXd &entries) const
{
  entries.resize(offsets_.back());
  Values x0, x1;
  for (int c = 0; c < size(); ++c)
  {
    gather(*constraints_[c], q0, x0);
    gather(*constraints_[c], q1, x1);
    constraints_[c]->discrete_gradient(x0.data(), x1.data(), entries.data() + offsets_[c]);
  }
}

void ConstraintSet::apply(const Eigen::VectorXd &entries, const Eigen::VectorXd &v, Eigen::VectorXd &product) const
{
  product.resize(size());
  for (int c = 0; c < size(); ++c)
  {
    const auto dofs = constraints_[c]->dofs();
    double sum = 0;
    for (std::size_t a = 0; a < dofs.size(); ++a) sum += entries[offsets_[c] + a] * v[dofs[a]];
    product[c] = sum;
  }
}

void ConstraintSet::add_transpose(const Eigen::VectorXd &entries,
                                  const Eigen::VectorXd &lambda,
                                  double factor,
                                  Eigen::VectorXd &result) const
{
  for (int c = 0; c < size(); ++c)
  {
    const auto dofs = constraints_[c]->dofs();
    for (std::size_t a = 0; a < dofs.size(); ++a) result[dofs[a]] += factor * lambda[c] * entries[offsets_[c] + a];
  }
}

void ConstraintSet::second_derivative(const Eigen::VectorXd &q,
                                      const Eigen::VectorXd &v,
                                      const Eigen::VectorXd &w,
                                      Eigen::VectorXd &contraction) const
{
  contraction.resize(size());
  Values x;
  std::array<double, Constraint::max_dofs * Constraint::max_dofs> hessian;
  for (int c = 0; c < size(); ++c)
  {
    const auto dofs = constraints_[c]->dofs();
    const std::size_t n = dofs.size();
    gather(*constraints_[c], q, x);
    constraints_[c]->hessian(x.data(), hessian.data());
    double sum = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) sum += hessian[a * n + b] * v[dofs[a]] * w[dofs[b]];
    contraction[c] = sum;
  }
}

void ConstraintSet::add_hessian_product(const Eigen::VectorXd &q,
                                        const Eigen::VectorXd &lambda,
                                        const Eigen::VectorXd &v,
                                        double factor,
                                        Eigen::VectorXd &result) const
{
  Values x;
  std::array<double, Constraint::max_dofs * Constraint::max_dofs> hessian;
  for (int c = 0; c < size(); ++c)
  {
    const auto dofs = constraints_[c]->dofs();
    const std::size_t n = dofs.size();
    gather(*constraints_[c], q, x);
    constraints_[c]->hessian(x.data(), hessian.data());
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) result[dofs[a]] += factor * lambda[c] * hessian[a * n + b] * v[dofs[b]];
  }
}

void ConstraintSet::add_third_derivative(const Eigen::VectorXd &q,
                                         const Eigen::VectorXd &lambda,
                                         const Eigen::VectorXd &v,
                                         double factor,
                                         Eigen::VectorXd &result) const
{
  Values x, direction, contraction;
  for (int c = 0; c < size(); ++c)
  {
    const auto dofs = constraints_[c]->dofs();
    gather(*constraints_[c], q, x);
    gather(*constraints_[c], v, direction);
    constraints_[c]->third_derivative(x.data(), direction.data(), contraction.data());
    for (std::size_t a = 0; a < dofs.size(); ++a) result[dofs[a]] += factor * lambda[c] * contraction[a];
  }
}

const Constraint &ConstraintSet::largest(const Eigen::VectorXd &values) const
{
  Eigen::Index c = 0;
  values.cwiseAbs().maxCoeff(&c);
  return *constraints_[c];
}
}  // namespace freefall

#include <freefall/constraints/product_constraint.h>

#include <algorithm>
#include <stdexcept>

namespace freefall
{
namespace
{
constexpr int dim = 3;
/// The entry that a dof is multiplied with.
int partner(int a) { return a < dim ? a + dim : a - dim; }
}  // namespace

ProductConstraint::ProductConstraint(std::string name, std::vector<int> dofs) : Constraint(std::move(name), std::move(dofs))
{
  if (n_dofs() != 2 * dim) throw std::logic_error("a product is one of two vectors in space");
}

double ProductConstraint::value(const double *x) const
{
  double sum = 0;
  for (int axis = 0; axis < dim; ++axis) sum += x[axis] * x[dim + axis];
  return sum;
}

void ProductConstraint::gradient(const double *x, double *gradient) const
{
  for (int a = 0; a < 2 * dim; ++a) gradient[a] = x[partner(a)];
}

void ProductConstraint::hessian(const double *, double *hessian) const
{
  for (int a = 0; a < 2 * dim; ++a)
    for (int b = 0; b < 2 * dim; ++b) hessian[a * 2 * dim + b] = b == partner(a) ? 1 : 0;
}

void ProductConstraint::third_derivative(const double *, const double *, double *contraction) const
{
  std::fill_n(contraction, 2 * dim, 0.);
}

double ProductConstraint::difference(const double *x, int a, double s) const { return s * x[partner(a)]; }

double ProductConstraint::mixed_difference(const double *, int a, double s, int b, double r) const
{
  return b == partner(a) ? s * r : 0;
}

void ProductConstraint::discrete_gradient(const double *x0, const double *x1, double *gradient) const
{
  for (int a = 0; a < 2 * dim; ++a) gradient[a] = (x0[partner(a)] + x1[partner(a)]) / 2;
}
}  // namespace freefall

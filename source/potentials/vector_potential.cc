#include <freefall/core/dual.h>
#include <freefall/core/errors.h>
#include <freefall/potentials/vector_potential.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <cmath>

namespace freefall
{
VectorPotential::VectorPotential(int dimension, const Eigen::Vector3d &field, const std::vector<std::string> &formulas)
  : dimension_(dimension)
{
  if (dimension < 2) throw InputError("a magnetic field needs two dimensions or three");
  if (dimension == 2 && field.head(2).norm() != 0)
    throw InputError(fmt::format("a magnetic field that acts in the plane has only a z component, not {}, {}", field[0], field[1]));
  if (!formulas.empty() && static_cast<int>(formulas.size()) != dimension)
    throw InputError(fmt::format("a vector potential has {} formulas, one for each dimension, not {}", dimension, formulas.size()));
  linear_ << 0, -field[2], field[1], field[2], 0, -field[0], -field[1], field[0], 0;
  linear_ *= 0.5;
  std::vector<std::string> variables;
  for (int axis = 0; axis < dimension; ++axis) variables.push_back(std::string(1, "xyz"[axis]));
  for (const auto &formula : formulas) formulas_.emplace_back(formula, variables);
}

void VectorPotential::evaluate(const double *x, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::MatrixXd> derivative) const
{
  const int n = dimension_;
  derivative = linear_.topLeftCorner(n, n);
  value = derivative * Eigen::Map<const Eigen::VectorXd>(x, n);
  if (formulas_.empty()) return;
  std::array<Dual<double, 3>, 3> y{};
  for (int a = 0; a < n; ++a)
  {
    y[a] = x[a];
    y[a].d[a] = 1;
  }
  for (int i = 0; i < n; ++i)
  {
    const auto component = formulas_[i](y.data());
    value[i] += component.x;
    for (int j = 0; j < n; ++j) derivative(i, j) += component.d[j];
  }
  if (!value.allFinite() || !derivative.allFinite())
    throw DomainError(fmt::format("the vector potential or its derivative is not finite at ({})", fmt::join(x, x + n, ", ")));
}
}  // namespace freefall

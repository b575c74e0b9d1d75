#pragma once

#include <freefall/core/expression.h>

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

namespace freefall
{
/// Supported dofs of points that move by formulas of the reference position and time: q = X + u(x, y, z, t), with the exact
/// velocity du/dt.
///
/// At a kink of u (min, max, abs) the velocity is that of one of the two sides.
class PrescribedMotion
{
public:
  /// The formula must be one of x, y, z and t; InputError otherwise.
  struct Dof
  {
    int dof;
    Eigen::Vector3d place;  ///< reference position X of the point, m
    double reference;       ///< what u is added to: the component of X along the dof
  };
  /// Lets these dofs follow the formula. A dof must not be given twice.
  void add(const std::string &displacement, const std::vector<Dof> &dofs);

  /// Gives every dof the number that the function returns, and forgets those with -1. A motion of which no dof is left is not
  /// empty: other ranks may have its dofs.
  void renumber(const std::function<int(int)> &number);

  bool is_empty() const { return groups_.empty(); }
  /// Sets q and v of the dofs; DomainError with formula, place and time where u or du/dt is not finite.
  void prescribe(double time, Eigen::VectorXd &q, Eigen::VectorXd &v) const;

private:
  struct Group
  {
    Expression displacement;
    bool depends_on_place;
    std::vector<Dof> dofs;
  };
  std::vector<Group> groups_;
};
}  // namespace freefall

#pragma once

#include <freefall/integrators/refuse_conditions.h>
#include <freefall/systems/system.h>

#include <cstdint>

namespace freefall
{
/// a(q) = -M^-1 grad V(q), zero in fixed dofs, for methods that need nothing else of a system.
class Acceleration
{
public:
  /// InputError in the name of `method` when the system has more than a potential.
  void attach(const System &system, const std::string &method)
  {
    refuse_conditions(system, method);
    system_ = &system;
    inverse_mass_ = system.diagonal_mass().cwiseInverse();
  }

  void operator()(const Eigen::VectorXd &q, Eigen::VectorXd &acceleration)
  {
    system_->gradient(q, gradient_);
    ++n_evaluations_;
    if (system_->mass_is_diagonal())
      acceleration = -inverse_mass_.cwiseProduct(gradient_);
    else
      acceleration = -system_->solve_mass(gradient_);
    for (const int dof : system_->fixed_dofs()) acceleration[dof] = 0;
  }

  std::int64_t n_evaluations() const { return n_evaluations_; }

private:
  const System *system_ = nullptr;
  Eigen::VectorXd inverse_mass_, gradient_;
  std::int64_t n_evaluations_ = 0;
};
}  // namespace freefall

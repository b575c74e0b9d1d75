#include <freefall/potentials/constant_forces.h>

namespace freefall
{
ConstantForces::ConstantForces(const Eigen::VectorXd &forces, EnergyAccount account) : account_(account)
{
  for (Eigen::Index i = 0; i < forces.size(); ++i)
    if (forces[i] != 0)
    {
      dofs_.push_back(static_cast<int>(i));
      forces_.push_back(forces[i]);
    }
}
}  // namespace freefall

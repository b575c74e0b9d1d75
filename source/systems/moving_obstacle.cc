#include <freefall/core/errors.h>
#include <freefall/systems/moving_obstacle.h>

#include <fmt/format.h>
#include <cmath>
#include <utility>

namespace freefall
{
MovingObstacle::MovingObstacle(std::unique_ptr<NodeContact> contact, const std::string &motion)
  : contact_(std::move(contact)), motion_(motion, {"t"})
{
  if (motion_.n_components() != 3)
    throw InputError(fmt::format("the motion '{}' of an obstacle must be three formulas of t, separated by ;", motion));
}

Eigen::Vector3d MovingObstacle::shift(double time) const
{
  Eigen::Vector3d shift;
  for (int c = 0; c < 3; ++c) shift[c] = motion_({time}, c);
  if (!shift.allFinite())
    throw DomainError(fmt::format("the motion '{}' of an obstacle is not finite at t = {:.6g}", motion_.text(), time));
  return shift;
}

void MovingObstacle::add_forces(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const
{
  const Eigen::Vector3d by = shift(time);
  Eigen::Vector3d x, gradient;
  for (int term = 0; term < contact_->n_terms(); ++term)
  {
    const int dof = 3 * contact_->node(term);
    x = q.segment<3>(dof) - by;
    contact_->gradient(term, x.data(), gradient.data());
    forces.segment<3>(dof) -= gradient;
  }
}

double MovingObstacle::energy(double time, const Eigen::VectorXd &q) const
{
  const Eigen::Vector3d by = shift(time);
  Eigen::Vector3d x;
  double sum = 0;
  for (int term = 0; term < contact_->n_terms(); ++term)
  {
    x = q.segment<3>(3 * contact_->node(term)) - by;
    sum += contact_->value(term, x.data());
  }
  return sum;
}
}  // namespace freefall

#include <freefall/core/errors.h>
#include <freefall/systems/prescribed_motion.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace freefall
{
namespace
{
using Time = Dual<double, 1>;

Time displacement_at(const Expression &formula, const Eigen::Vector3d &place, double time)
{
  std::array<Time, 4> variables{Time(place[0]), Time(place[1]), Time(place[2]), Time(time)};
  variables[3].d[0] = 1;
  const Time u = formula(variables.data());
  if (!std::isfinite(u.x) || !std::isfinite(u.d[0]))
    throw DomainError(fmt::format("the formula '{}' of a support, or its derivative, is not finite at ({:.6g}, {:.6g}, {:.6g}) "
                                  "and t = {:.6g}",
                                  formula.formula(), place[0], place[1], place[2], time));
  return u;
}
}  // namespace

void PrescribedMotion::add(const std::string &displacement, const std::vector<Dof> &dofs)
{
  Expression formula(displacement, {"x", "y", "z", "t"}, Expression::Functions::with_kinks);
  const bool depends_on_place = formula.depends_on(0) || formula.depends_on(1) || formula.depends_on(2);
  groups_.push_back({std::move(formula), depends_on_place, dofs});
}

void PrescribedMotion::renumber(const std::function<int(int)> &number)
{
  for (auto &group : groups_)
  {
    for (auto &dof : group.dofs) dof.dof = number(dof.dof);
    group.dofs.erase(std::remove_if(group.dofs.begin(), group.dofs.end(), [](const Dof &dof) { return dof.dof < 0; }),
                     group.dofs.end());
  }
}

void PrescribedMotion::prescribe(double time, Eigen::VectorXd &q, Eigen::VectorXd &v) const
{
  for (const auto &group : groups_)
  {
    if (group.dofs.empty()) continue;
    Time u = displacement_at(group.displacement, group.dofs.front().place, time);
    for (const auto &dof : group.dofs)
    {
      if (group.depends_on_place) u = displacement_at(group.displacement, dof.place, time);
      q[dof.dof] = dof.reference + u.x;
      v[dof.dof] = u.d[0];
    }
  }
}
}  // namespace freefall

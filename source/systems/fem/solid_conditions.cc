#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/solid_conditions.h>

#include <fmt/format.h>
#include <map>

namespace freefall
{
namespace
{
/// Which support says what about a dof.
struct Claim
{
  const SupportSettings *support;
  std::string displacement;
};
}  // namespace

SupportedDofs find_supports(const SolidMesh &mesh,
                            const std::vector<std::string> &body_names,
                            const std::vector<SupportSettings> &supports)
{
  std::map<int, Claim> claims;
  for (const auto &support : supports)
  {
    const auto nodes = nodes_of_faces(mesh, select_boundary_faces(mesh, body_names, support.boundaries));
    for (const int node : nodes)
      for (int c = 0; c < 3; ++c)
      {
        const std::string &displacement = support.displacement[c];
        if (displacement == "free") continue;
        const auto [known, is_new] = claims.insert({3 * node + c, {&support, displacement}});
        if (!is_new && known->second.displacement != displacement)
          throw InputError(fmt::format("the supports {} and {} share the node at ({:.6g}, {:.6g}, {:.6g}) and say different things "
                                       "about its {} displacement: '{}' and '{}'. Let them agree there.",
                                       known->second.support->name, support.name, mesh.nodes(0, node), mesh.nodes(1, node),
                                       mesh.nodes(2, node), "xyz"[c], known->second.displacement, displacement));
      }
  }
  SupportedDofs supported;
  std::map<std::string, std::vector<PrescribedMotion::Dof>> moving;
  for (const auto &[dof, claim] : claims)
  {
    supported.dofs.push_back(dof);
    const Eigen::Vector3d place = mesh.nodes.col(dof / 3);
    if (claim.displacement != "fixed") moving[claim.displacement].push_back({dof, place, place[dof % 3]});
  }
  for (const auto &[displacement, dofs] : moving) supported.motion.add(displacement, dofs);
  return supported;
}

void SolidConditions::prescribe(double time, Eigen::VectorXd &q, Eigen::VectorXd &v) const
{
  if (!moves_supports()) return;
  if (!shared_) return motion.prescribe(time, q, v);
  ranks::together([&] { motion.prescribe(time, q, v); });
}

void SolidConditions::add_loads(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const
{
  const auto add = [&](Eigen::VectorXd &sum)
  {
    loads.add_forces(time, q, sum);
    for (const auto &obstacle : obstacles) obstacle.add_forces(time, q, sum);
  };
  if (!shared_) return add(forces);
  Eigen::VectorXd here = Eigen::VectorXd::Zero(forces.size());
  ranks::together([&] { add(here); });
  shared_->add(here);
  forces += here;
}

double SolidConditions::obstacle_energy(double time, const Eigen::VectorXd &q) const
{
  double sum = 0;
  for (const auto &obstacle : obstacles) sum += obstacle.energy(time, q);
  return shared_ && !obstacles.empty() ? ranks::sum(sum) : sum;
}

void SolidConditions::damp(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const
{
  if (damping) damping->damp(q, dt, v, work);
}
}  // namespace freefall

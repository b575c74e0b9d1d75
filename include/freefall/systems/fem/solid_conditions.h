#pragma once

#include <freefall/systems/conditions.h>
#include <freefall/systems/damping.h>
#include <freefall/systems/fem/condition_settings.h>
#include <freefall/systems/fem/surface_loads.h>
#include <freefall/systems/moving_obstacle.h>
#include <freefall/systems/prescribed_motion.h>
#include <freefall/systems/shared_dofs.h>

#include <memory>
#include <string>
#include <vector>

namespace freefall
{
/// Supported dofs of a solid, by settings.
struct SupportedDofs
{
  std::vector<int> dofs;    ///< all of them, sorted
  PrescribedMotion motion;  ///< of those that move
};
/// InputError when a boundary does not exist, or two supports say different things about a dof.
SupportedDofs find_supports(const SolidMesh &mesh,
                            const std::vector<std::string> &body_names,
                            const std::vector<SupportSettings> &supports);

/// The parts that make the Conditions of a solid; each may be empty.
///
/// Of a distributed solid (`shared` is not null, and outlives the object) the parts are those of this rank, the forces, energies
/// and work those of the whole; all functions that take a time are then collective.
class SolidConditions final : public Conditions
{
public:
  explicit SolidConditions(const SolidMesh &mesh, const SharedDofs *shared = nullptr) : loads(mesh), shared_(shared) {}

  PrescribedMotion motion;
  SurfaceLoads loads;
  std::vector<MovingObstacle> obstacles;
  std::unique_ptr<Damping> damping;

  bool is_empty() const { return !moves_supports() && !has_loads() && !has_damping(); }

  bool moves_supports() const override { return !motion.is_empty(); }
  bool has_loads() const override { return loads.is_varying() || !obstacles.empty(); }
  bool has_damping() const override { return damping && !damping->is_empty(); }
  void prescribe(double time, Eigen::VectorXd &q, Eigen::VectorXd &v) const override;
  void add_loads(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const override;
  double obstacle_energy(double time, const Eigen::VectorXd &q) const override;
  void damp(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const override;

private:
  const SharedDofs *shared_;
};
}  // namespace freefall

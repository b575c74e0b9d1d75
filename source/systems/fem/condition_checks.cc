#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/condition_checks.h>
#include <freefall/systems/fem/condition_parameters.h>
#include <freefall/systems/moving_obstacle.h>

#include <fmt/format.h>
#include <memory>

namespace freefall
{
namespace
{
template <typename Setting>
void check_boundaries(const std::vector<const ParameterSection *> &sections,
                      const std::vector<Setting> &settings,
                      const std::vector<std::string> &body_names,
                      const SolidMesh &mesh)
{
  for (std::size_t i = 0; i < sections.size(); ++i) try
    {
      select_boundary_faces(mesh, body_names, settings[i].boundaries);
    }
    catch (const InputError &error)
    {
      throw sections[i]->error("Boundary", error.what());
    }
}

/// An obstacle that bodies overlap at the start is a mistake: the penalty energy would come from nowhere.
void check_start(const ParameterSection &section,
                 const std::string &key,
                 const NodeContact &contact,
                 const Eigen::Vector3d &shift,
                 const SolidMesh &mesh)
{
  const double tolerance = 1e-9 * (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
  double deepest = 0;
  for (int term = 0; term < contact.n_terms(); ++term)
  {
    const Eigen::Vector3d x = mesh.nodes.col(contact.node(term)) - shift;
    deepest = std::min(deepest, contact.distance(x.data()));
  }
  if (deepest < -tolerance)
    throw section.error(key, fmt::format("a body begins {:.4g} m deep in {}. Move the obstacle or the body, or choose its other "
                                         "side.",
                                         -deepest, section.name()));
}
}  // namespace

void check_conditions(const ParameterSection &root, const SolidSettings &settings, const SolidMesh &mesh)
{
  const auto names = settings.body_names();
  const auto &conditions = settings.conditions;
  const auto &loads = root.section("Loads"), &contact = root.section("Contact");
  check_boundaries(root.list("Support"), conditions.supports, names, mesh);
  check_boundaries(loads.list("Traction"), conditions.tractions, names, mesh);
  check_boundaries(loads.list("Pressure"), conditions.pressures, names, mesh);

  const auto nodes = nodes_of_faces(mesh, select_boundary_faces(mesh, names, settings.contact_boundaries));
  const auto shift_of = [](std::unique_ptr<NodeContact> terms, const std::string &motion)
  { return motion.empty() ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : MovingObstacle(std::move(terms), motion).shift(0); };
  std::size_t i = 0;
  for (const char *list : {"Sphere", "Cylinder"})
    for (const auto *section : contact.list(list))
    {
      auto round = conditions.rounds[i++];
      round.shape.stiffness = 1;  // only the geometry counts here, and it may not be chosen yet
      const Eigen::Vector3d shift = shift_of(std::make_unique<CurvedContact>(round.shape, nodes), round.motion);
      check_start(*section, round.shape.is_sphere() ? "Centre" : "Point", CurvedContact(round.shape, nodes), shift, mesh);
    }
  i = 0;
  for (const auto *section : contact.list("Plane"))
  {
    if (parse_motion(*section).empty()) continue;
    const auto &plane = conditions.moving_planes[i++];
    const Eigen::Vector3d shift = shift_of(std::make_unique<PlaneContact>(plane.shape, nodes), plane.motion);
    check_start(*section, "Point", PlaneContact(plane.shape, nodes), shift, mesh);
  }
}
}  // namespace freefall

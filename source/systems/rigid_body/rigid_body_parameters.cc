#include <freefall/systems/rigid_body/rigid_body.h>
#include <freefall/systems/rigid_body/rigid_body_parameters.h>

#include <Eigen/Geometry>

namespace freefall
{
namespace
{
Eigen::Vector3d direction(const ParameterSection &section, const std::string &key)
{
  const Eigen::Vector3d vector = section.vector3(key);
  if (!(vector.norm() > 0)) throw section.error(key, "must not be zero: it is a direction; its length does not matter.");
  return vector.normalized();
}
}  // namespace

void declare_rigid_body_parameters(ParameterSection &root)
{
  auto &section = root.section("Rigid body",
                               "A rigid body that turns about its fixed centre, for Problem = rigid body: a motion on SO(3) "
                               "(TO 4.5). Any consistent set of units.");
  section.declare("Inertia", "1, 1, 1", Pattern::vector(3, "", Bounds::positive()),
                  "Principal moments of inertia, each less than the sum of the other two.");
  section.declare("Rotation", "0, 0, 0", Pattern::vector(3),
                  "Orientation at the start: a rotation vector, in rad, from the axes of space to those of the body.");
  section.declare("Angular velocity", "0, 0, 0", Pattern::vector(3, "rad/s"), "At the start, in the axes of the body.");
  section.declare("Formulation", "constrained", Pattern::choice({"constrained", "penalised"}),
                  "constrained: R^T R = I exactly, for integrators that keep constraints and for Cayley Hamilton-Pontryagin. "
                  "penalised: by Penalty, for all others.");
  section.declare("Penalty", "10", Pattern::number("", Bounds::positive()),
                  "omega of the potential omega^2/2 tr (R^T R - I)^2 (TO 4.14).");
  auto &field = section.section("Field", "A uniform field that turns a dipole of the body: V = Strength (Direction . R Dipole).");
  field.declare("Strength", "0", Pattern::number(), "B mu, energy.");
  field.declare("Direction", "0, 0, 1", Pattern::vector(3), "Of the field, in space.");
  field.declare("Dipole", "0, 0, 1", Pattern::vector(3), "Direction of the dipole, in the axes of the body.");
}

std::unique_ptr<System> parse_rigid_body_parameters(const ParameterSection &root)
{
  const auto &section = root.section("Rigid body"), &field = section.section("Field");
  RigidBody::Settings settings;
  settings.inertia = section.vector3("Inertia");
  const Eigen::Vector3d turn = section.vector3("Rotation");
  if (turn.norm() > 0) settings.rotation = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  settings.angular_velocity = section.vector3("Angular velocity");
  settings.strength = field.number("Strength");
  settings.field = direction(field, "Direction");
  settings.dipole = direction(field, "Dipole");
  if (section.text("Formulation") == "penalised") settings.penalty = section.number("Penalty");
  try
  {
    return std::make_unique<RigidBody>(settings);
  }
  catch (const InputError &error)
  {
    throw section.error("Inertia", error.what());
  }
}
}  // namespace freefall

#include <freefall/core/formula.h>
#include <freefall/systems/fem/solid_parameters.h>

#include <fmt/format.h>
#include <set>

namespace freefall
{
namespace
{
/// A mesh beyond this would not fit the memory that such a machine has; the limit catches slips of the finger.
constexpr double max_hexahedra = 5e6;

void declare_body(ParameterSection &body)
{
  body.declare("Velocity", "0; 0; 0", Pattern::formula(3, {"x", "y", "z"}, "m/s"),
               "Initial velocity, three formulas of the reference position x, y, z (m), such as 1000; 0; 20*sin(pi*x).");
  auto &mesh = body.section("Mesh", "The tetrahedra of the body.");
  mesh.declare("Type", "box", Pattern::choice(mesh_names()),
               "box: Subdivisions hexahedra, each cut into tetrahedra. cube I, cube II, cube III: the cube of edge 0.1 m of "
               "GSO Figure 23 with 192, 320 and 1536 elements (71, 125, 429 nodes); of the other keys of this section only "
               "Corner applies to them.");
  mesh.declare("Corner", "0, 0, 0", Pattern::vector(3, "m"), "Lowest corner of the box.");
  mesh.declare("Size", "1, 1, 1", Pattern::vector(3, "m", Bounds::positive()), "Edge lengths of the box.");
  mesh.declare("Subdivisions", "4, 4, 4", Pattern::integers(1), "Hexahedra along x, y and z.");
  mesh.declare("Cut", "24", Pattern::choice({"5", "24"}),
               "Tetrahedra a hexahedron: 24 with new nodes at the centres of cells and faces, which keeps all symmetries, or 5 "
               "without new nodes.");
  auto &material = body.section("Material", "Defaults: the aluminium of GSO 6.3.");
  material.declare("Model", "neo-Hookean", Pattern::choice(material_names()),
                   "neo-Hookean: W = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr F^T F - 3), GSO (74).");
  material.declare("Lame lambda", "60.5e9", Pattern::number("Pa", Bounds::non_negative()), "Lame's first constant, lambda.");
  material.declare("Lame mu", "26e9", Pattern::number("Pa", Bounds::positive()), "Shear modulus, mu.");
  material.declare("Density", "2700", Pattern::number("kg/m3", Bounds::positive()), "Mass per reference volume, rho.");
}

void declare_plane(ParameterSection &plane)
{
  plane.declare("Point", "0, 0, 0", Pattern::vector(3, "m"), "A point O of the plane.");
  plane.declare("Normal", "0, 0, 1", Pattern::vector(3), "Direction n away from the obstacle, into the free half space.");
  plane.declare(
    "Normalise normal", "true", Pattern::boolean(),
    "true: only the direction of Normal counts, and the penalty acts on distances. false: the penalty acts on "
    "(x - O).n with the normal as typed, as GSO (77) does: a normal of length sqrt(2) makes the wall twice as stiff.");
  plane.declare("Stiffness", "1e14", Pattern::number("N/m", Bounds::positive()),
                "Penalty stiffness 1/epsilon of each node in GSO (76): energy Stiffness/2 gap^2.");
}

BoxMesh parse_mesh(const ParameterSection &section)
{
  const std::string type = section.text("Type");
  BoxMesh mesh;
  if (type == "box")
  {
    mesh.size = section.vector3("Size");
    const auto subdivisions = section.integers("Subdivisions");
    if (subdivisions.size() != 3) throw section.error("Subdivisions", "must be three positive integers, such as 4, 4, 4.");
    double hexahedra = 1;
    for (int c = 0; c < 3; ++c)
    {
      mesh.subdivisions[c] = subdivisions[c];
      hexahedra *= subdivisions[c];
    }
    if (hexahedra > max_hexahedra)
      throw section.error("Subdivisions",
                          fmt::format("makes {:.3g} hexahedra; at most {:.3g} are allowed.", hexahedra, max_hexahedra));
    mesh.cut = section.text("Cut") == "5" ? HexahedronCut::five : HexahedronCut::twenty_four;
  }
  else
  {
    // A run's own parameters.prm gives every key: only a value that would be ignored is a mistake.
    const std::set<std::string> box_keys{"Size", "Subdivisions", "Cut"};
    for (const auto &parameter : section.parameters())
      if (box_keys.count(parameter.key) && parameter.value != parameter.default_value)
        throw section.error(parameter.key,
                            fmt::format("does not apply to the mesh type {}. Remove it, or choose Type = box.", type));
    mesh = gso_cube(type.substr(std::string("cube ").size()));
  }
  mesh.corner = section.vector3("Corner");
  return mesh;
}

SolidBody parse_body(const ParameterSection &section)
{
  SolidBody body;
  body.name = section.label().empty() ? "body" : section.label();
  body.mesh = parse_mesh(section.section("Mesh"));
  const auto &material = section.section("Material");
  body.material = {material.number("Lame lambda"), material.number("Lame mu")};
  body.density = material.number("Density");
  const Formula velocity(section.text("Velocity"), {"x", "y", "z"});
  body.initial_velocity = [velocity](const Eigen::Vector3d &x)
  {
    Eigen::Vector3d v;
    for (int c = 0; c < 3; ++c) v[c] = velocity.evaluate_finite({x[0], x[1], x[2]}, c);
    return v;
  };
  return body;
}

RigidPlane parse_plane(const ParameterSection &section)
{
  RigidPlane plane;
  plane.name = section.label().empty() ? "plane" : section.label();
  plane.point = section.vector3("Point");
  plane.normal = section.vector3("Normal");
  plane.stiffness = section.number("Stiffness");
  if (!(plane.normal.norm() > 0))
    throw section.error("Normal", "must not be the zero vector; it points away from the obstacle.");
  if (section.boolean("Normalise normal")) plane.normal.normalize();
  return plane;
}

/// A plane that bodies overlap at the start is a mistake: the penalty energy would come from nowhere.
void check_start(const ParameterSection &section, const RigidPlane &plane, const std::vector<SolidBody> &bodies)
{
  for (const auto &body : bodies)
    for (int corner = 0; corner < 8; ++corner)
    {
      Eigen::Vector3d x = body.mesh.corner;
      for (int c = 0; c < 3; ++c)
        if (corner >> c & 1) x[c] += body.mesh.size[c];
      const double gap = (x - plane.point).dot(plane.normal.normalized());
      if (gap < -1e-9 * body.mesh.size.norm())
        throw section.error("Point",
                            fmt::format("body {} begins {:.4g} m deep in plane {}. Move the plane or the body, or turn "
                                        "Normal round: it must point from the obstacle to the body.",
                                        body.name, -gap, plane.name));
    }
}
}  // namespace

std::vector<std::string> material_names() { return {"neo-Hookean"}; }

std::vector<std::string> mesh_names() { return {"box", "cube I", "cube II", "cube III"}; }

void declare_solid_parameters(ParameterSection &root)
{
  root.declare_list("Body", "An elastic body: 'subsection Body NAME'. At least one; bodies do not touch each other.",
                    declare_body);
  auto &contact = root.section("Contact", "Frictionless penalty contact with rigid obstacles, GSO (76)-(77).");
  contact.declare(
    "Boundary ids", "all", Pattern::integers(0).or_word("all"),
    "Sides of the bodies whose nodes can touch: 0 and 1 are the lower and upper side in x, 2 and 3 in y, 4 and 5 in "
    "z.");
  contact.declare_list("Plane", "A rigid plane: 'subsection Plane NAME'. Any number.", declare_plane);
  auto &loads = root.section("Loads", "Forces that do not depend on the motion.");
  loads.declare("Gravity", "0, 0, 0", Pattern::vector(3, "m/s2"), "Acceleration of gravity.");
  root.declare_list("Point", "A point whose nearest node is recorded in history.csv: 'subsection Point NAME'.",
                    [](ParameterSection &point)
                    { point.declare("Position", "0, 0, 0", Pattern::vector(3, "m"), "Position in the undeformed bodies."); });
}

SolidSettings parse_solid_parameters(const ParameterSection &root)
{
  SolidSettings settings;
  for (const auto *body : root.list("Body")) settings.bodies.push_back(parse_body(*body));
  if (settings.bodies.empty())
    throw root.error("", "a solid needs at least one body. Add 'subsection Body cube' with a mesh and a material.");
  const auto &contact = root.section("Contact");
  for (const auto *section : contact.list("Plane"))
  {
    settings.planes.push_back(parse_plane(*section));
    check_start(*section, settings.planes.back(), settings.bodies);
  }
  if (!contact.is_word("Boundary ids", "all"))
  {
    settings.contact_boundary_ids = contact.integers("Boundary ids");
    if (settings.contact_boundary_ids.empty())
      throw contact.error("Boundary ids", "must name at least one side, or be the word all.");
    for (const int id : settings.contact_boundary_ids)
      if (id > 5)
        throw contact.error("Boundary ids", fmt::format("the sides of a box have the ids 0 to 5; there is no {}.", id));
  }
  settings.gravity = root.section("Loads").vector3("Gravity");
  for (const auto *point : root.list("Point"))
    settings.history_points.push_back({point->label().empty() ? "observed" : point->label(), point->vector3("Position")});
  return settings;
}
}  // namespace freefall

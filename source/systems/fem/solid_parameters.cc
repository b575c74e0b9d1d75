#include <freefall/core/formula.h>
#include <freefall/core/text.h>
#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/condition_checks.h>
#include <freefall/systems/fem/condition_parameters.h>
#include <freefall/systems/fem/mesh_parameters.h>
#include <freefall/systems/fem/solid_parameters.h>

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace freefall
{
namespace
{
void declare_body(ParameterSection &body)
{
  body.declare("Velocity", "0; 0; 0", Pattern::formula(3, {"x", "y", "z"}, "m/s"),
               "Initial velocity, three formulas of the reference position x, y, z (m), such as 1000; 0; 20*sin(pi*x).");
  body.declare("Spin", "0, 0, 0", Pattern::vector(3, "rad/s"),
               "Initial angular velocity about the centre of mass of the body, added to Velocity.");
  declare_mesh_parameters(body.section("Mesh", "The elements of the body and their place."));
  declare_material_parameters(
    body.section("Material", "Of the whole body, or of what its regions leave. Defaults: the aluminium of GSO 6.3."));
  declare_damping_parameters(body.section("Damping", "Forces against the motion of the whole body."));
  body.declare_list("Region",
                    "A part of the body with a material of its own: 'subsection Region NAME', NAME the name or number that the "
                    "mesh file gives to a material (a Gmsh physical volume, an Abaqus element set, the VTK cell array "
                    "material_id). Keys as in Material.",
                    declare_material_parameters);
}

void declare_plane(ParameterSection &plane)
{
  plane.declare("Point", "0, 0, 0", Pattern::vector(3, "m"), "A point O of the plane.");
  plane.declare("Normal", "0, 0, 1", Pattern::vector(3), "Direction n away from the obstacle, into the free half space.");
  plane.declare(
    "Normalise normal", "true", Pattern::boolean(),
    "true: only the direction of Normal counts, and the penalty acts on distances. false: the penalty acts on "
    "(x - O).n with the normal as typed, as GSO (77) does: a normal of length sqrt(2) makes the wall twice as stiff.");
  plane.declare(
    "Stiffness", "auto", Pattern::number("N/m", Bounds::positive()).or_word("auto"),
    "Penalty stiffness 1/epsilon of each node in GSO (76): energy Stiffness/2 gap^2. auto: (lambda + 2 mu) A / h, A the area "
    "of the surface that a node stands for and h the height of the element behind it (the largest value on the surface): a "
    "pressure p enters the plane by p / (lambda + 2 mu) of that height, and the explicit step hardly suffers. summary.json "
    "tells the value, the deepest penetration, and the critical step with and without contact.");
  declare_motion(plane);
}

SolidBody parse_body(const ParameterSection &section)
{
  SolidBody body;
  body.name = section.label().empty() ? "body" : section.label();
  body.mesh = parse_mesh_parameters(section.section("Mesh"));
  const MaterialSettings material = parse_material_parameters(section.section("Material"));
  body.material = material.material;
  body.density = material.density;
  for (const auto *region : section.list("Region"))
  {
    if (region->label().empty())
      throw region->error("", "a region needs a name: 'subsection Region NAME', NAME a material of the mesh file.");
    body.regions.push_back({region->label(), parse_material_parameters(*region)});
  }
  const Formula velocity(section.text("Velocity"), {"x", "y", "z"});
  body.initial_velocity = [velocity](const Eigen::Vector3d &x)
  {
    Eigen::Vector3d v;
    for (int c = 0; c < 3; ++c) v[c] = velocity.evaluate_finite({x[0], x[1], x[2]}, c);
    return v;
  };
  body.spin = section.vector3("Spin");
  body.damping = parse_damping_parameters(section.section("Damping"));
  return body;
}

RigidPlane parse_plane(const ParameterSection &section)
{
  RigidPlane plane;
  plane.name = section.label().empty() ? "plane" : section.label();
  plane.point = section.vector3("Point");
  plane.normal = section.vector3("Normal");
  plane.stiffness = section.number_unless_word("Stiffness").value_or(0);
  if (!(plane.normal.norm() > 0))
    throw section.error("Normal", "must not be the zero vector; it points away from the obstacle.");
  if (section.boolean("Normalise normal")) plane.normal.normalize();
  return plane;
}

/// A plane that bodies overlap at the start is a mistake: the penalty energy would come from nowhere.
void check_start(const ParameterSection &section, const RigidPlane &plane, const SolidSettings &settings, const SolidMesh &mesh)
{
  const auto faces = select_boundary_faces(mesh, settings.body_names(), settings.contact_boundaries);
  const double tolerance = 1e-9 * (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
  double deepest = 0;
  int body = 0;
  for (const int face : faces)
    for (const int node : mesh.face_nodes(face))
    {
      const double gap = (mesh.nodes.col(node) - plane.point).dot(plane.normal.normalized());
      if (gap >= deepest) continue;
      deepest = gap;
      body = mesh.bodies[mesh.boundary_faces[face].cell];
    }
  if (deepest < -tolerance)
    throw section.error("Point", fmt::format("body {} begins {:.4g} m deep in plane {}. Move the plane or the body, or turn "
                                             "Normal round: it must point from the obstacle to the body.",
                                             settings.bodies[body].name, -deepest, plane.name));
}

/// Regions must be those of the mesh, and cover it unless the body's own material was given on purpose.
void check_regions(const ParameterSection &section, int number, const SolidBody &body, const SolidMesh &mesh)
{
  std::vector<std::vector<int>> ids;
  try
  {
    ids = material_ids_of_regions(mesh, number, body);
  }
  catch (const InputError &error)
  {
    throw section.error("", error.what());
  }
  const auto &keys = section.section("Material").parameters();
  const bool is_given =
    std::any_of(keys.begin(), keys.end(), [](const Parameter &parameter) { return !parameter.origin.is_default(); });
  if (!body.regions.empty() && !ids.back().empty() && !is_given)
    throw section.error("", fmt::format("the material id {} of the mesh has no Region. Add 'subsection Region {}', or give "
                                        "the rest of the body a Material.",
                                        ids.back().front(), ids.back().front()));
}
}  // namespace

void declare_solid_parameters(ParameterSection &root)
{
  root.declare_list("Body", "An elastic body: 'subsection Body NAME'. At least one; bodies do not touch each other.",
                    declare_body);
  auto &elements =
    root.section("Finite elements", "How bodies become masses and forces; the elements are those of the meshes.");
  elements.declare(
    "Mass", "lumped", Pattern::choice({"lumped", "consistent"}),
    "lumped: diagonal, the row sums of linear elements, the scaled diagonal (Hinton, Rock and Zienkiewicz) of quadratic "
    "ones. consistent: int rho N_a N_b, factorised once; every step solves with it.");
  auto &contact = root.section("Contact", "Frictionless penalty contact with rigid obstacles, GSO (76)-(77).");
  contact.declare("Boundary ids", "all", Pattern::text(),
                  "Boundaries of the bodies whose nodes can touch: all, or names and numbers separated by commas, such as "
                  "left, 3. A name or number counts for every body that has it; BODY/NAME for one body. See Mesh/Type for the "
                  "boundaries of shapes.");
  contact.declare_list("Plane", "A rigid plane: 'subsection Plane NAME'. Any number.", declare_plane);
  auto &loads = root.section("Loads", "Forces from outside.");
  loads.declare("Gravity", "0, 0, 0", Pattern::vector(3, "m/s2"), "Acceleration of gravity.");
  declare_condition_parameters(root);
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
  if (root.section("Finite elements").text("Mass") == "consistent") settings.mass = MassMatrix::consistent;
  const auto &contact = root.section("Contact");
  settings.conditions = parse_condition_parameters(root);
  for (const auto *section : contact.list("Plane"))
  {
    const std::string motion = parse_motion(*section);
    if (motion.empty())
      settings.planes.push_back(parse_plane(*section));
    else
      settings.conditions.moving_planes.push_back({parse_plane(*section), motion});
  }
  if (contact.text("Boundary ids") != "all")
  {
    settings.contact_boundaries = split(contact.text("Boundary ids"), ',');
    if (settings.contact_boundaries.empty())
      throw contact.error("Boundary ids", "must name at least one boundary, or be the word all.");
  }
  settings.gravity = root.section("Loads").vector3("Gravity");
  for (const auto *point : root.list("Point"))
    settings.history_points.push_back({point->label().empty() ? "observed" : point->label(), point->vector3("Position")});
  return settings;
}

std::unique_ptr<SolidSystem> make_solid(const ParameterSection &root)
{
  const SolidSettings settings = parse_solid_parameters(root);
  SolidMesh mesh = mesh_of_bodies(settings);
  const auto bodies = root.list("Body");
  for (std::size_t body = 0; body < bodies.size(); ++body)
    check_regions(*bodies[body], static_cast<int>(body), settings.bodies[body], mesh);
  const auto &contact = root.section("Contact");
  try
  {
    select_boundary_faces(mesh, settings.body_names(), settings.contact_boundaries);
  }
  catch (const InputError &error)
  {
    throw contact.error("Boundary ids", error.what());
  }
  std::size_t i = 0;
  for (const auto *plane : contact.list("Plane"))
    if (parse_motion(*plane).empty()) check_start(*plane, settings.planes[i++], settings, mesh);
  check_conditions(root, settings, mesh);
  return std::make_unique<SolidSystem>(settings, std::move(mesh));
}
}  // namespace freefall

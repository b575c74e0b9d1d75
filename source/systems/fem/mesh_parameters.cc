#include <fmt/format.h>
#include <freefall/systems/fem/mesh_parameters.h>

#include <filesystem>
#include <map>
#include <set>

namespace freefall
{
namespace
{
/// A mesh beyond this would not fit the memory that such a machine has; the limit catches slips of the finger.
constexpr double max_hexahedra = 5e6;

/// The keys that count for each type, besides Type, Element and those of Placement.
const std::map<std::string, std::set<std::string>> &keys_of_types()
{
  static const std::map<std::string, std::set<std::string>> keys{
    {"box", {"Corner", "Size", "Subdivisions", "Cut"}},
    {"cube I", {"Corner"}},
    {"cube II", {"Corner"}},
    {"cube III", {"Corner"}},
    {"cylinder", {"Centre", "Radius", "Length", "Subdivisions", "Cut"}},
    {"ball", {"Centre", "Radius", "Subdivisions", "Cut"}},
    {"file", {"File"}}};
  return keys;
}

/// A run's own parameters.prm gives every key: only a value that would be ignored is a mistake.
void check_keys(const ParameterSection &section, const std::string &type)
{
  const auto &allowed = keys_of_types().at(type);
  std::vector<std::string> others;
  for (const auto &parameter : section.parameters())
  {
    if (parameter.key == "Type" || parameter.key == "Element" || allowed.count(parameter.key)) continue;
    if (parameter.value == parameter.default_value) continue;
    for (const auto &[other, keys] : keys_of_types())
      if (keys.count(parameter.key)) others.push_back(other);
    std::string remedy;
    for (const auto &other : others) remedy += (remedy.empty() ? "" : other == others.back() ? " or " : ", ") + other;
    throw section.error(parameter.key,
                        fmt::format("does not apply to the mesh type {}. Remove it, or choose Type = {}.", type, remedy));
  }
}

std::optional<ElementType> parse_element(const ParameterSection &section)
{
  for (const ElementType type : element_types())
    if (section.text("Element") == shape_of(type).name) return type;
  return {};
}

void parse_subdivisions(const ParameterSection &section, MeshSettings &settings)
{
  if (section.is_word("Subdivisions", "auto"))
  {
    settings.box.subdivisions = {4, 4, 4};
    return;
  }
  const auto n = section.integers("Subdivisions");
  const bool is_ball = settings.kind == MeshSettings::Kind::ball;
  if (n.size() != (is_ball ? 2 : 3))
    throw section.error("Subdivisions",
                        settings.kind == MeshSettings::Kind::box ? "must be three positive integers, such as 4, 4, 4."
                        : is_ball
                          ? "of a ball must be two positive integers: cells along an edge of the core and layers around it, "
                            "such as 4, 2."
                          : "of a cylinder must be three positive integers: cells along an edge of the core, layers around "
                            "it and cells along the axis, such as 4, 2, 8.");
  settings.core_subdivisions = n[0];
  settings.layers = n[1];
  if (is_ball) return;
  settings.length_subdivisions = n[2];
  settings.box.subdivisions = {n[0], n[1], n[2]};
}

/// Beside the parameter file, or else in the working directory.
std::string find_file(const ParameterSection &section)
{
  namespace fs = std::filesystem;
  const std::string name = section.text("File");
  if (name.empty()) throw section.error("File", "must name the mesh of Type = file, such as meshes/plate.msh.");
  fs::path folder;
  for (const auto &parameter : section.parameters())
    if (parameter.key == "File" && !parameter.origin.is_command_line())
      folder = fs::path(parameter.origin.source).parent_path();
  std::error_code ignored;
  for (const fs::path &candidate : {folder / name, fs::path(name)})
    if (fs::is_regular_file(candidate, ignored)) return candidate.string();
  if (fs::path(name).is_absolute()) throw section.error("File", "there is no such file.");
  throw section.error("File", fmt::format("there is no such file, neither in the folder of the parameter file ({}) nor in the "
                                          "working directory.",
                                          folder.empty() ? "." : folder.string()));
}

Placement parse_placement(const ParameterSection &section)
{
  Placement placement;
  placement.scale = section.number("Scale");
  placement.axis = section.vector3("Axis");
  placement.angle = section.number("Angle");
  placement.shift = section.vector3("Shift");
  if (!(placement.axis.norm() > 0)) throw section.error("Axis", "must not be the zero vector.");
  return placement;
}
}  // namespace

std::vector<std::string> mesh_type_names() { return {"box", "cube I", "cube II", "cube III", "cylinder", "ball", "file"}; }

void declare_mesh_parameters(ParameterSection &mesh)
{
  std::vector<std::string> elements;
  for (const ElementType type : element_types()) elements.push_back(shape_of(type).name);
  mesh.declare(
    "Type", "box", Pattern::choice(mesh_type_names()),
    "box: boundary ids 0 to 5 for the sides lower x, upper x, lower y, upper y, lower z, upper z. cube I, cube II, cube "
    "III: the cube of edge 0.1 m of GSO Figure 23 with 192, 320 and 1536 tetrahedra (71, 125, 429 nodes), ids as of a "
    "box; of the other keys of this section only Corner and Element apply to them. cylinder: along z, ids 0 lower end, "
    "1 upper end, 2 side. ball: id 0, surface. file: ids and names of the file, 0 for faces without.");
  mesh.declare(
    "Element", "auto", Pattern::choice(elements).or_word("auto"),
    "All bodies of a run have the same. auto: linear tetrahedra, or what a file holds. A file's elements change their "
    "degree when asked: new nodes lie in the middles of straight edges.");
  mesh.declare(
    "File", "", Pattern::text(),
    "Mesh file of Type = file, beside the parameter file or in the working directory: Gmsh .msh (2.x, 4.0, 4.1), Abaqus "
    ".inp, VTK .vtk or .vtu. Coordinates in m; see Scale.");
  mesh.declare("Corner", "0, 0, 0", Pattern::vector(3, "m"), "Lowest corner of the box.");
  mesh.declare("Size", "1, 1, 1", Pattern::vector(3, "m", Bounds::positive()), "Edge lengths of the box.");
  mesh.declare("Centre", "0, 0, 0", Pattern::vector(3, "m"), "Centre of the cylinder or ball.");
  mesh.declare("Radius", "0.5", Pattern::number("m", Bounds::positive()), "Radius of the cylinder or ball.");
  mesh.declare("Length", "1", Pattern::number("m", Bounds::positive()), "Length of the cylinder, along z.");
  mesh.declare(
    "Subdivisions", "auto", Pattern::integers(1).or_word("auto"),
    "Box: hexahedra along x, y and z (auto: 4, 4, 4). Cylinder: hexahedra along an edge of its square core, layers from "
    "there to the surface, hexahedra along the axis (auto: 4, 2, 8). Ball: hexahedra along an edge of its cubic core, "
    "layers (auto: 4, 2).");
  mesh.declare("Cut", "24", Pattern::choice({"5", "24"}),
               "Tetrahedra a hexahedron: 24 with new nodes at the centres of cells and faces, which keeps all symmetries, or 5 "
               "without new nodes.");
  auto &placement = mesh.section("Placement", "The mesh is scaled, then turned about the origin, then shifted.");
  placement.declare("Scale", "1", Pattern::number("", Bounds::positive()), "Factor of all coordinates; 1e-3 for files in mm.");
  placement.declare("Axis", "0, 0, 1", Pattern::vector(3), "Axis of the rotation, of any length.");
  placement.declare("Angle", "0", Pattern::number("degrees"), "Angle of the rotation, right-handed.");
  placement.declare("Shift", "0, 0, 0", Pattern::vector(3, "m"), "Translation.");
}

MeshSettings parse_mesh_parameters(const ParameterSection &section)
{
  const std::string type = section.text("Type");
  check_keys(section, type);
  MeshSettings settings;
  settings.element = parse_element(section);
  settings.box.cut = section.text("Cut") == "5" ? HexahedronCut::five : HexahedronCut::twenty_four;
  const bool is_cube = type.rfind("cube ", 0) == 0;
  if (is_cube)
  {
    if (settings.element && !shape_of(*settings.element).is_tetrahedron)
      throw section.error("Element", fmt::format("the mesh {} has tetrahedra. Choose Type = box for hexahedra.", type));
    settings.box = gso_cube(type.substr(std::string("cube ").size()));
  }
  else if (type == "box")
    settings.box.size = section.vector3("Size");
  settings.box.corner = section.vector3("Corner");
  settings.kind = type == "cylinder" ? MeshSettings::Kind::cylinder
                  : type == "ball"   ? MeshSettings::Kind::ball
                  : type == "file"   ? MeshSettings::Kind::file
                                     : MeshSettings::Kind::box;
  settings.centre = section.vector3("Centre");
  settings.radius = section.number("Radius");
  settings.length = section.number("Length");
  if (type == "file")
    settings.file = find_file(section);
  else if (!is_cube)
    parse_subdivisions(section, settings);
  if (n_hexahedra(settings) > max_hexahedra)
    throw section.error(
      "Subdivisions", fmt::format("makes {:.3g} hexahedra; at most {:.3g} are allowed.", n_hexahedra(settings), max_hexahedra));
  settings.placement = parse_placement(section.section("Placement"));
  return settings;
}
}  // namespace freefall

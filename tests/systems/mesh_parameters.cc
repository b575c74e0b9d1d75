#include <freefall/core/parameter_file.h>
#include <freefall/systems/fem/mesh_parameters.h>

#include <boost/test/unit_test.hpp>

#include "core/thrown_text.h"

using namespace freefall;

namespace
{
MeshSettings parse(const std::string &text, const std::string &file = "a.prm")
{
  ParameterSection root;
  declare_mesh_parameters(root);
  read_prm(text, file, root);
  return parse_mesh_parameters(root);
}

std::string error_of(const std::string &text)
{
  return thrown_text([&] { parse(text); });
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_parameters)

BOOST_AUTO_TEST_CASE(defaults_are_a_box_of_tetrahedra)
{
  const MeshSettings settings = parse("");
  BOOST_TEST((settings.kind == MeshSettings::Kind::box));
  BOOST_TEST(!settings.element);
  BOOST_TEST(settings.box.subdivisions[2] == 4);
  BOOST_TEST(make_solid_mesh({settings}).n_cells() == 64 * 24);
}

BOOST_AUTO_TEST_CASE(every_type_is_parsed)
{
  const MeshSettings cube = parse("set Type = cube II\nset Corner = 1, 2, 3\nset Element = quadratic tetrahedra");
  BOOST_TEST(make_solid_mesh({cube}).n_cells() == 320);
  BOOST_TEST(cube.box.corner[2] == 3);
  const MeshSettings cylinder =
    parse("set Type = cylinder\nset Radius = 2\nset Length = 5\nset Subdivisions = 3, 1, 7\nset Element = quadratic hexahedra");
  BOOST_TEST(n_hexahedra(cylinder) == (9 + 12) * 7);
  BOOST_TEST((cylinder.element == ElementType::hex27));
  BOOST_TEST(cylinder.length == 5);
  const MeshSettings ball = parse(
    "set Type = ball\nset Centre = 1, 0, 0\nset Subdivisions = 2, 3\nset Cut = 5\nsubsection Placement\nset Scale = 2\nset "
    "Axis = "
    "1, 0, 0\nset Angle = 30\nset Shift = 4, 5, 6\nend");
  BOOST_TEST(n_hexahedra(ball) == 8 + 24 * 3);
  BOOST_TEST((ball.box.cut == HexahedronCut::five));
  BOOST_TEST(ball.placement.angle == 30);
  BOOST_TEST(ball.placement.shift[2] == 6);
  BOOST_TEST(ball.placement.scale == 2);
}

BOOST_AUTO_TEST_CASE(a_file_is_found_beside_the_parameter_file)
{
  const std::string folder = FREEFALL_SOURCE_DIR;
  const MeshSettings settings = parse("set Type = file\nset File = ../meshes/two_materials.msh", folder + "/parameters/a.prm");
  BOOST_TEST(make_solid_mesh({settings}).n_cells() == 480);
}

BOOST_AUTO_TEST_CASE(mistakes_are_explained)
{
  BOOST_TEST(contains(error_of("set Type = ball\nset Size = 1, 2, 3"), "Size"));
  BOOST_TEST(contains(error_of("set Type = ball\nset Size = 1, 2, 3"),
                      "does not apply to the mesh type ball. Remove it, or choose Type = box."));
  BOOST_TEST(contains(error_of("set Radius = 3"), "Remove it, or choose Type = ball or cylinder."));
  BOOST_TEST(contains(error_of("set Type = ball\nset Subdivisions = 4, 4, 4"), "of a ball must be two positive integers"));
  BOOST_TEST(contains(error_of("set Type = cylinder\nset Subdivisions = 4"), "of a cylinder must be three positive integers"));
  BOOST_TEST(contains(error_of("set Subdivisions = 4, 4"), "must be three positive integers, such as 4, 4, 4."));
  BOOST_TEST(contains(error_of("set Subdivisions = 1000, 1000, 1000"), "makes 1e+09 hexahedra; at most 5e+06 are allowed."));
  BOOST_TEST(contains(error_of("set Type = cube I\nset Element = linear hexahedra"), "the mesh cube I has tetrahedra."));
  BOOST_TEST(contains(error_of("set Type = file"), "must name the mesh of Type = file"));
  BOOST_TEST(contains(error_of("set Type = file\nset File = none.msh"), "there is no such file, neither in the folder"));
  BOOST_TEST(contains(error_of("subsection Placement\nset Axis = 0, 0, 0\nend"), "must not be the zero vector."));
  BOOST_TEST(contains(error_of("subsection Placement\nset Scale = -1\nend"), "positive"));
}

BOOST_AUTO_TEST_SUITE_END()

#include <freefall/systems/fem/mesh_settings.h>

#include <boost/test/unit_test.hpp>

#include "core/thrown_text.h"
#include "run_program.h"

using namespace freefall;

namespace
{
/// The error of a file with this text, without the folder.
std::string error_of(const std::string &name, const std::string &text)
{
  const ScratchFolder folder("bad_mesh");
  std::ofstream(folder / name, std::ios::binary) << text;
  MeshSettings settings;
  settings.kind = MeshSettings::Kind::file;
  settings.file = (folder / name).string();
  const std::string error = thrown_text([&] { make_solid_mesh({settings}); });
  return error.rfind(folder.string() + "/", 0) == 0 ? error.substr(folder.string().size() + 1) : error;
}

void check(const std::string &name, const std::string &text, const std::string &expected)
{
  const std::string error = error_of(name, text);
  BOOST_TEST(error.rfind(expected, 0) == 0, "found: " << error << "\nexpected: " << expected);
}

std::string msh(const std::string &nodes, const std::string &elements)
{
  const auto count = [](const std::string &text) { return std::to_string(std::count(text.begin(), text.end(), '\n')) + "\n"; };
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + count(nodes) + nodes + "$EndNodes\n$Elements\n" + count(elements) +
         elements + "$EndElements\n";
}
const std::string four = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_errors)

BOOST_AUTO_TEST_CASE(files_that_are_no_meshes)
{
  check("a.stl", "solid", "a.stl: unknown mesh format '.stl'. Known are Gmsh (.msh), Abaqus (.inp) and VTK (.vtk, .vtu).");
  check("a.msh", "  \n", "a.msh: the mesh file is empty.");
  check("a.msh", "hello", "a.msh:1: is not a Gmsh mesh");
  check("a.inp", "hello", "a.inp:1: is not an Abaqus file");
  check("a.vtk", "hello", "a.vtk:1: is not a VTK file");
  check("a.vtu", "hello", "a.vtu:1: is not a VTU file");
  check("a.vtu", "<a></a>", "a.vtu: is not a VTU file");
  MeshSettings settings;
  settings.kind = MeshSettings::Kind::file;
  settings.file = "no/such/file.msh";
  BOOST_TEST(thrown_text([&] { make_solid_mesh({settings}); }) ==
             "no/such/file.msh: cannot open the mesh file. Does it exist, and may you read it?");
  settings.file = "/";
  BOOST_TEST(thrown_text([&] { make_solid_mesh({settings}); }) ==
             "/: unknown mesh format ''. Known are Gmsh (.msh), Abaqus "
             "(.inp) and VTK (.vtk, .vtu).");
}

BOOST_AUTO_TEST_CASE(files_that_are_cut_off_or_damaged)
{
  const std::string good = msh(four, "1 4 2 7 7 1 2 3 4\n");
  check("a.msh", good, "nothing was thrown");
  check("a.msh", good.substr(0, 60), "a.msh:");
  // Whatever the length, the answer is an InputError.
  for (std::size_t n = 1; n + 1 < good.size(); ++n) BOOST_TEST(error_of("a.msh", good.substr(0, n)) != "nothing was thrown");
  check("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999999\n",
        "a.msh:5: the number of nodes is 99999999999, more than the rest of the file can hold.");
  check("a.msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", "a.msh:2: version 3 of Gmsh's format cannot be read.");
  check("a.msh", msh("1 0 0 zero\n", ""), "a.msh:6: expected a coordinate, a number, but found 'zero'.");
  check("a.msh", msh(four, "1 4 2 7 7 1 2 3 9\n"), "a.msh:13: element 1 has the node 9, which does not exist.");
  check("a.msh", msh(four + "4 1 1 1\n", "1 4 2 7 7 1 2 3 4\n"), "a.msh:12: there are two nodes 4.");
  check("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "a.msh:3: the mesh is empty or cut off: it has no section $Nodes.");
}

BOOST_AUTO_TEST_CASE(meshes_without_usable_elements)
{
  check("a.msh", msh(four, ""), "a.msh: the mesh is empty: it has no tetrahedra or hexahedra.");
  check("a.msh", msh("1 0 0 0\n2 1 0 0\n3 0 1 0\n", "1 2 2 1 1 1 2 3\n"),
        "a.msh: the mesh is two-dimensional: it has surface elements (linear triangles), but no tetrahedra or hexahedra.");
  check("a.msh", msh(four + "5 1 1 1\n", "1 4 2 7 7 1 2 3 4\n2 7 2 7 7 1 2 3 4 5\n"),
        "a.msh: element 2 is one of 1 linear pyramids, which Freefall does not have.");
  check("a.msh",
        msh(four + "5 2 0 0\n6 3 0 0\n7 3 1 0\n8 2 1 0\n9 2 0 1\n10 3 0 1\n11 3 1 1\n12 2 1 1\n",
            "1 4 2 7 7 1 2 3 4\n2 5 2 7 7 5 6 7 8 9 10 11 12\n"),
        "a.msh: mixed elements: 1 linear hexahedra and 1 linear tetrahedra.");
  check("a.msh", msh(four, "1 92 2 7 7 1 2 3 4\n"), "a.msh:13: element 1 is of Gmsh's type 92, which Freefall does not have.");
  check("a.inp", "*NODE\n1, 0, 0, 0\n", "a.inp: the mesh is empty: it has no *ELEMENT.");
  check("a.inp", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=XYZ\n1, 1\n", "a.inp:3: elements of type XYZ are not known.");
}

BOOST_AUTO_TEST_CASE(bodies_that_cannot_be)
{
  check("a.msh", msh(four, "17 4 2 7 7 2 1 3 4\n"),
        "a.msh: 1 of 1 elements are inverted or flat; the first is element 17 at (0.25, 0.25, 0.25), whose Jacobian is -1 m3.");
  check("a.msh", msh("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", "17 4 2 7 7 1 2 3 4\n"),
        "a.msh: 1 of 1 elements are inverted or flat");
  check("a.msh", msh(four + "8 5 5 5\n", "1 4 2 7 7 1 2 3 4\n"),
        "a.msh: 1 of 5 nodes belong to no element; the first is node 8.");
  check("a.msh", msh(four + "5 0 0 0\n6 -1 0 0\n7 0 -1 0\n8 0 0 1\n", "1 4 2 7 7 1 2 3 4\n2 4 2 7 7 5 6 7 8\n"),
        "a.msh: 2 nodes lie in the same place as another, such as nodes 1 and 5 at (0, 0, 0).");
  check("a.msh", msh(four + "5 5 0 0\n6 6 0 0\n7 5 1 0\n8 5 0 1\n", "1 4 2 7 7 1 2 3 4\n2 4 2 7 7 5 6 7 8\n"),
        "a.msh: the mesh has 2 pieces that do not hang together: element 1 at (0.25, 0.25, 0.25) and element 2 at (5.25, 0.25, "
        "0.25) are in different ones.");
  check("a.msh", msh(four, "1 4 2 7 7 1 2 3 4\n2 4 2 7 7 1 2 3 4\n3 4 2 7 7 1 2 3 4\n"), "a.msh: 3 elements share one face");
  check("a.msh", msh(four, "1 4 2 7 7 1 2 3 4\n2 4 2 8 8 2 3 1 4\n"), "a.msh: 2 elements share one face");
}

BOOST_AUTO_TEST_CASE(boundaries_that_cannot_be)
{
  check("a.msh", msh(four + "5 1 1 1\n", "1 4 2 7 7 1 2 3 4\n2 2 2 3 3 1 2 5\n"),
        "a.msh: surface element 2 is not a face of any volume element.");
  check("a.msh", msh(four, "1 4 2 7 7 1 2 3 4\n2 2 2 3 3 1 2 3\n3 2 2 4 4 1 2 3\n"),
        "a.msh: surface element 3 belongs to the boundaries 3 and 4. Give each face one.");
  const std::string nodes =
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=all\n1, 1, 2, 3, 4\n";
  check("a.inp", nodes + "*SURFACE, NAME=s\nall, S5\n", "a.inp: surface s: element 1 has the faces S1 to S4, not 'S5'.");
  check("a.inp", nodes + "*SURFACE, NAME=s\nnone, S1\n", "a.inp: there is no element set NONE.");
  check("a.inp", nodes + "*ELSET, ELSET=a\nb\n*ELSET, ELSET=b\na\n*SURFACE, NAME=s\na, S1\n",
        "a.inp: the element set B contains itself, or sets are nested more than 32 deep.");
}

BOOST_AUTO_TEST_CASE(tetrahedra_do_not_become_hexahedra)
{
  MeshSettings settings;
  settings.kind = MeshSettings::Kind::file;
  settings.file = std::string(FREEFALL_SOURCE_DIR) + "/meshes/two_materials.msh";
  settings.element = ElementType::hex8;
  BOOST_TEST(
    contains(thrown_text([&] { make_solid_mesh({settings}); }),
             "holds linear tetrahedra, not the linear hexahedra asked for. Only their degree can be changed: choose linear "
             "tetrahedra or quadratic tetrahedra."));
}

BOOST_AUTO_TEST_SUITE_END()

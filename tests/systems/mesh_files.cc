#include <freefall/output/vtu.h>
#include <freefall/systems/fem/mesh_settings.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "mesh_integrals.h"
#include "run_program.h"

using namespace freefall;
using namespace freefall::testing;

namespace
{
const double pi = EIGEN_PI;

SolidMesh read(const std::string &file, std::optional<ElementType> element = {})
{
  MeshSettings settings;
  settings.kind = MeshSettings::Kind::file;
  settings.file = file;
  settings.element = element;
  return make_solid_mesh({settings});
}

SolidMesh shipped(const std::string &name, std::optional<ElementType> element = {})
{
  return read(std::string(FREEFALL_SOURCE_DIR) + "/meshes/" + name, element);
}

SolidMesh read_text_as(const std::string &name, const std::string &text)
{
  const ScratchFolder folder("mesh_files");
  std::ofstream(folder / name, std::ios::binary) << text;
  return read((folder / name).string());
}

template <typename... Numbers>
std::string bytes(Numbers... numbers)
{
  std::string result;
  (result.append(reinterpret_cast<const char *>(&numbers), sizeof numbers), ...);
  return result;
}

/// One tetrahedron of material 7 with the face x = 0 in the boundary 5; all others have the id 0.
void check_single_tetrahedron(const SolidMesh &mesh, bool has_ids)
{
  BOOST_TEST(mesh.n_cells() == 1);
  BOOST_TEST(mesh.n_nodes() == 4);
  BOOST_TEST(volume(mesh) == 1. / 6, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(mesh.material_ids[0] == (has_ids ? 7 : 0));
  if (has_ids) BOOST_TEST((surfaces(mesh)[5].vector - Eigen::Vector3d(-0.5, 0, 0)).norm() < 1e-15);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_files)

BOOST_AUTO_TEST_CASE(gmsh_2_has_names_ids_and_areas)
{
  const SolidMesh mesh = shipped("plate_with_hole.msh");
  BOOST_TEST((mesh.element == ElementType::hex8));
  BOOST_TEST(mesh.n_cells() == 48);
  BOOST_TEST(mesh.n_nodes() == 16 * 4 * 2);
  BOOST_TEST(mesh.names[0].materials.at(1) == "plate");
  BOOST_TEST(mesh.boundary_id(0, "hole") == 3);
  const auto sides = surfaces(mesh);
  BOOST_TEST(sides.at(1).vector[0] == -0.001, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(sides.at(2).vector[0] == 0.001, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(sides.at(3).vector.norm() < 1e-15);
  BOOST_TEST(sides.size() == 4);
  // A polygon of 16 chords instead of the circle, up to 0.55 rad each: the hole is a few per cent too small.
  const double exact = 0.01 * (0.02 - pi * 4e-4);
  BOOST_TEST(volume(mesh) > exact);
  BOOST_TEST(volume(mesh) < exact * 1.005);
}

BOOST_AUTO_TEST_CASE(quadratic_hexahedra_of_gmsh_4_follow_the_hole)
{
  const SolidMesh mesh = shipped("plate_with_hole_quadratic.msh");
  BOOST_TEST((mesh.element == ElementType::hex27));
  BOOST_TEST(mesh.n_cells() == 48);
  BOOST_TEST(mesh.n_nodes() == 32 * 7 * 3);
  for (const int node : mesh.boundary_nodes(0, {mesh.boundary_id(0, "hole")}))
    BOOST_TEST(mesh.nodes.col(node).head<2>().norm() == 0.02, boost::test_tools::tolerance(1e-12));
  // Parabolas miss arcs of 0.55 rad by some 1e-4 of the hole, which is 7 % of the plate.
  BOOST_TEST(volume(mesh) == 0.01 * (0.02 - pi * 4e-4), boost::test_tools::tolerance(1e-5));
  BOOST_TEST(surfaces(mesh).at(3).area == 2 * pi * 0.02 * 0.01, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(the_bar_of_two_materials_is_the_same_in_every_format)
{
  for (const std::string extension : {"msh", "inp", "vtu"})
  {
    const SolidMesh mesh = shipped("two_materials." + extension);
    BOOST_TEST_CONTEXT(extension)
    {
      BOOST_TEST(mesh.n_cells() == 480);
      BOOST_TEST(mesh.n_nodes() == 21 * 9);
      BOOST_TEST(volume(mesh) == 0.01, boost::test_tools::tolerance(1e-12));
      for (int cell = 0; cell < mesh.n_cells(); ++cell)
        BOOST_TEST(mesh.material_ids[cell] == (mesh.cell_centre(cell)[0] < 0.5 ? 1 : 2));
      auto sides = surfaces(mesh);
      BOOST_TEST((sides[1].vector - Eigen::Vector3d(-0.01, 0, 0)).norm() < 1e-15);
      BOOST_TEST((sides[2].vector - Eigen::Vector3d(0.01, 0, 0)).norm() < 1e-15);
      BOOST_TEST(sides[0].area == 0.4, boost::test_tools::tolerance(1e-12));
      BOOST_TEST(mesh.names[0].materials.count(2) == (extension == "vtu" ? 0u : 1u));
      if (extension == "vtu") continue;
      BOOST_TEST(mesh.names[0].materials.at(2) == "rubber");
      BOOST_TEST(mesh.boundary_id(0, "right") == 2);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_degree_of_a_file_can_be_changed)
{
  const SolidMesh quadratic = shipped("two_materials.msh", ElementType::tet10);
  BOOST_TEST((quadratic.element == ElementType::tet10));
  BOOST_TEST(quadratic.n_nodes() == 41 * 25);
  BOOST_TEST(volume(quadratic) == 0.01, boost::test_tools::tolerance(1e-12));
  const SolidMesh linear = shipped("plate_with_hole_quadratic.msh", ElementType::hex8), same = shipped("plate_with_hole.msh");
  BOOST_TEST(linear.n_nodes() == same.n_nodes());
  BOOST_TEST(volume(linear) == volume(same), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(binary_gmsh_files_are_read)
{
  const std::string head = "$MeshFormat\n4.1 1 8\n" + bytes(1) + "\n$EndMeshFormat\n";
  const std::uint64_t one = 1, two = 2, three = 3, four = 4, none = 0;
  std::string text = head + "$Entities\n" + bytes(none, none, one, one);
  for (const auto &[entity, group] : {std::pair(11, 5), std::pair(12, 7)})
    text += bytes(entity, 0., 0., 0., 1., 1., 1., one, group, none);
  text += "\n$EndEntities\n$Nodes\n" + bytes(one, four, one, four, 3, 12, 0, four, one, two, three, four) +
          bytes(0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.) + "\n$EndNodes\n$Elements\n" + bytes(two, two, one, two) +
          bytes(2, 11, 2, one, one, one, three, four) + bytes(3, 12, 4, one, two, one, two, three, four) + "\n$EndElements\n";
  check_single_tetrahedron(read_text_as("binary.msh", text), true);

  text = "$MeshFormat\n2.2 1 8\n" + bytes(1) + "\n$EndMeshFormat\n$Nodes\n4\n" + bytes(1, 0., 0., 0., 2, 1., 0., 0.) +
         bytes(3, 0., 1., 0., 4, 0., 0., 1.) + "\n$EndNodes\n$Elements\n2\n" + bytes(2, 1, 2, 1, 5, 11, 1, 3, 4) +
         bytes(4, 1, 2, 2, 7, 12, 1, 2, 3, 4) + "\n$EndElements\n";
  check_single_tetrahedron(read_text_as("binary.msh", text), true);
}

BOOST_AUTO_TEST_CASE(gmsh_4_0_is_read)
{
  check_single_tetrahedron(
    read_text_as("old.msh",
                 "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n0 0 1 1\n11 0 0 0 1 1 1 1 5 0\n"
                 "12 0 0 0 1 1 1 1 7 0\n$EndEntities\n$Nodes\n1 4\n12 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                 "4 0 0 1\n$EndNodes\n$Elements\n2 2\n11 2 2 1\n1 1 3 4\n12 3 4 1\n2 1 2 3 4\n$EndElements\n"),
    true);
}

BOOST_AUTO_TEST_CASE(legacy_vtk_is_read_in_both_layouts)
{
  const std::string points = "mesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n";
  const std::string rest = "CELL_TYPES 2\n5\n10\nCELL_DATA 2\nSCALARS MaterialID double 1\nLOOKUP_TABLE default\n5 7\n";
  check_single_tetrahedron(
    read_text_as("a.vtk", "# vtk DataFile Version 3.0\n" + points + "CELLS 2 9\n3 0 2 3\n4 0 1 2 3\n" + rest), true);
  check_single_tetrahedron(
    read_text_as("a.vtk", "# vtk DataFile Version 5.1\n" + points +
                            "CELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n0 2 3 0 1 2 "
                            "3\n" +
                            rest),
    true);
}

BOOST_AUTO_TEST_CASE(surface_elements_and_sets_of_abaqus_are_read)
{
  const SolidMesh mesh = read_text_as("a.inp",
                                      "** as Gmsh writes it\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
                                      "*ELEMENT, type=CPS3, ELSET=Surface1\n1, 1, 3, 4\n*ELEMENT, type=C3D4, ELSET=Volume1\n"
                                      "2, 1, 2,\n3, 4\n*ELSET,ELSET=Wall\n1\n");
  BOOST_TEST(volume(mesh) == 1. / 6, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(mesh.boundary_id(0, "Wall") == 1);
  BOOST_TEST((surfaces(mesh)[1].vector - Eigen::Vector3d(-0.5, 0, 0)).norm() < 1e-15);
  BOOST_TEST(mesh.names[0].materials.at(mesh.material_ids[0]) == "Volume1");
}

BOOST_AUTO_TEST_CASE(snapshots_of_freefall_are_read_back)
{
  for (const ElementType type : element_types())
  {
    MeshSettings settings;
    settings.kind = MeshSettings::Kind::ball;
    settings.element = type;
    const SolidMesh mesh = make_solid_mesh({settings});
    Snapshot snapshot;
    snapshot.points = mesh.nodes;
    snapshot.connectivity.assign(mesh.connectivity.begin(), mesh.connectivity.end());
    for (int cell = 1; cell <= mesh.n_cells(); ++cell) snapshot.offsets.push_back(cell * mesh.nodes_per_cell());
    snapshot.cell_types.assign(mesh.n_cells(), static_cast<std::uint8_t>(shape_of(type).vtk_cell_type));
    snapshot.cell_fields.push_back({"material_id", 1, std::vector<double>(mesh.n_cells(), 3.0)});
    const ScratchFolder folder("mesh_snapshot");
    write_vtu(folder / "ball.vtu", snapshot);
    const SolidMesh again = read((folder / "ball.vtu").string());
    BOOST_TEST((again.element == type));
    BOOST_TEST(again.n_nodes() == mesh.n_nodes());
    BOOST_TEST(again.material_ids[0] == 3);
    BOOST_TEST(volume(again) == volume(mesh), boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_CASE(compressed_and_encoded_vtu_are_read)
{
  // The four arrays of a tetrahedron, encoded by Python's zlib and base64.
  check_single_tetrahedron(
    read_text_as(
      "zlib.vtu",
      R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor"><UnstructuredGrid><Piece>
<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" format="binary">AQAAAAAAAABgAAAAAAAAAAAAAAAAAAAAEgAAAAAAAAA=eJxjYMAHPtjjlSZCHgB4XQOO</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" NumberOfComponents="1" format="binary">AQAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEwAAAAAAAAA=eJxjYGBgYARiJiBmBmIAADgABw==</DataArray>
<DataArray type="Int32" Name="offsets" NumberOfComponents="1" format="binary">AQAAAAAAAAAEAAAAAAAAAAAAAAAAAAAADAAAAAAAAAA=eJxjYWBgAAAAFAAF</DataArray>
<DataArray type="UInt8" Name="types" NumberOfComponents="1" format="binary">AQAAAAAAAAABAAAAAAAAAAAAAAAAAAAACQAAAAAAAAA=eJzjAgAACwAL</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>)"),
    false);
  check_single_tetrahedron(
    read_text_as("base64.vtu", R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid><Piece>
<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" format="appended" offset="0"/></Points>
<Cells><DataArray type="Int32" Name="connectivity" NumberOfComponents="1" format="appended" offset="136"/>
<DataArray type="Int32" Name="offsets" NumberOfComponents="1" format="appended" offset="164"/>
<DataArray type="UInt8" Name="types" NumberOfComponents="1" format="appended" offset="176"/></Cells></Piece></UnstructuredGrid>
<AppendedData encoding="base64">_YAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA8D8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADwPw==EAAAAAAAAAABAAAAAgAAAAMAAAA=BAAAAAQAAAA=AQAAAAo=</AppendedData></VTKFile>)"),
    false);
}

BOOST_AUTO_TEST_SUITE_END()

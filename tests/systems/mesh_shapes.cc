#include <freefall/core/errors.h>
#include <freefall/systems/fem/mesh_settings.h>

#include <boost/test/unit_test.hpp>

#include "core/thrown_text.h"
#include "mesh_integrals.h"

using namespace freefall;
using namespace freefall::testing;
using Kind = MeshSettings::Kind;

namespace
{
const double pi = EIGEN_PI;

MeshSettings shape(Kind kind, ElementType element, int refinement = 1)
{
  MeshSettings settings;
  settings.kind = kind;
  settings.element = element;
  settings.box.subdivisions = {2 * refinement, refinement, 3 * refinement};
  settings.box.size = {2, 1, 3};
  settings.box.cut = HexahedronCut::five;
  settings.radius = 2;
  settings.length = 3;
  settings.centre = {1, -1, 0.5};
  settings.core_subdivisions = 2 * refinement;
  settings.layers = refinement;
  settings.length_subdivisions = 3 * refinement;
  return settings;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mesh_shapes)

BOOST_AUTO_TEST_CASE(a_box_has_its_counts_volume_and_sides_with_every_element)
{
  // 2 x 1 x 3 hexahedra: corners (3)(2)(4), quadratic lattice (5)(3)(7); cut into five: 18 more middles on face diagonals are
  // the face centres of that lattice, the cell centres are not nodes.
  const std::map<ElementType, std::array<int, 2>> counts{{ElementType::tet4, {30, 24}},
                                                         {ElementType::tet10, {30, 105 - 6}},
                                                         {ElementType::hex8, {6, 24}},
                                                         {ElementType::hex27, {6, 105}}};
  for (const auto &[element, expected] : counts)
  {
    const SolidMesh mesh = make_solid_mesh({shape(Kind::box, element)});
    BOOST_TEST_CONTEXT(shape_of(element).name)
    {
      BOOST_TEST(mesh.n_cells() == expected[0]);
      BOOST_TEST(mesh.n_nodes() == expected[1]);
      // Polynomials are integrated exactly, up to rounding.
      BOOST_TEST(volume(mesh) == 6, boost::test_tools::tolerance(1e-13));
      const auto sides = surfaces(mesh);
      BOOST_TEST(sides.size() == 6);
      const double areas[6] = {3, 3, 6, 6, 2, 2};
      for (const auto &[id, side] : sides)
      {
        Eigen::Vector3d expected_vector = Eigen::Vector3d::Zero();
        expected_vector[id / 2] = (id % 2 ? 1 : -1) * areas[id];
        BOOST_TEST((side.vector - expected_vector).norm() < 1e-13);
        BOOST_TEST(side.area == areas[id], boost::test_tools::tolerance(1e-13));
      }
      BOOST_TEST(mesh.boundary_id(0, "upper y") == 3);
      for (const int node : mesh.boundary_nodes(0, {3})) BOOST_TEST(mesh.nodes(1, node) == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(cylinders_and_balls_have_their_counts)
{
  const SolidMesh ball = make_solid_mesh({shape(Kind::ball, ElementType::hex8)});
  BOOST_TEST(ball.n_cells() == 8 + 6 * 4);
  BOOST_TEST(ball.n_nodes() == 27 + 26);
  BOOST_TEST(n_hexahedra(shape(Kind::ball, ElementType::hex8)) == 32);
  const SolidMesh cylinder = make_solid_mesh({shape(Kind::cylinder, ElementType::hex8)});
  BOOST_TEST(cylinder.n_cells() == (4 + 8) * 3);
  BOOST_TEST(cylinder.n_nodes() == (9 + 8) * 4);
  BOOST_TEST(n_hexahedra(shape(Kind::cylinder, ElementType::hex8)) == 36);
  BOOST_TEST(make_solid_mesh({shape(Kind::ball, ElementType::tet4)}).n_cells() == 32 * 5);
  auto fine = shape(Kind::cylinder, ElementType::tet4);
  fine.box.cut = HexahedronCut::twenty_four;
  BOOST_TEST(make_solid_mesh({fine}).n_cells() == 36 * 24);
}

BOOST_AUTO_TEST_CASE(volumes_and_areas_of_curved_shapes_converge)
{
  const std::map<Kind, double> exact_volume{{Kind::ball, 4 * pi / 3 * 8}, {Kind::cylinder, pi * 4 * 3}};
  const std::map<Kind, std::map<int, double>> exact_areas{{Kind::ball, {{0, 4 * pi * 4}}},
                                                          {Kind::cylinder, {{0, pi * 4}, {1, pi * 4}, {2, 2 * pi * 2 * 3}}}};
  for (const ElementType element : element_types())
    for (const Kind kind : {Kind::ball, Kind::cylinder})
    {
      double errors[2], area_errors[2];
      for (const int level : {0, 1})
      {
        const SolidMesh mesh = make_solid_mesh({shape(kind, element, 2 << level)});
        const auto parts = surfaces(mesh);
        BOOST_TEST(parts.size() == exact_areas.at(kind).size());
        errors[level] = std::abs(volume(mesh) / exact_volume.at(kind) - 1);
        area_errors[level] = 0;
        double flux = 0;
        for (const auto &[id, surface] : parts)
        {
          area_errors[level] = std::max(area_errors[level], std::abs(surface.area / exact_areas.at(kind).at(id) - 1));
          flux += surface.flux_of_x;
        }
        // The divergence theorem on the mesh itself: faces point outward and close. The quadrature of curved faces is exact.
        BOOST_TEST(flux / 3 == volume(mesh), boost::test_tools::tolerance(1e-12));
      }
      // Chords miss the arc by h^2; parabolas through points of the arc by h^4 on these symmetric cells. 15 % for the coarse
      // mesh.
      const double order = std::log2(errors[0] / errors[1]), area_order = std::log2(area_errors[0] / area_errors[1]);
      const double expected = shape_of(element).is_quadratic ? 4 : 2;
      BOOST_TEST_CONTEXT(shape_of(element).name << (kind == Kind::ball ? " ball" : " cylinder") << " errors " << errors[0]
                                                << " " << errors[1])
      {
        BOOST_TEST(errors[1] > 0);
        BOOST_TEST(order > 0.85 * expected);
        BOOST_TEST(area_order > 0.85 * expected);
      }
    }
}

BOOST_AUTO_TEST_CASE(all_nodes_of_a_curved_boundary_lie_on_it)
{
  for (const ElementType element : element_types())
  {
    const SolidMesh ball = make_solid_mesh({shape(Kind::ball, element)});
    for (const int node : ball.boundary_nodes({}))
      BOOST_TEST((ball.nodes.col(node) - Eigen::Vector3d(1, -1, 0.5)).norm() == 2, boost::test_tools::tolerance(1e-13));
    const SolidMesh cylinder = make_solid_mesh({shape(Kind::cylinder, element)});
    for (const int node : cylinder.boundary_nodes(0, {cylinder.boundary_id(0, "side")}))
      BOOST_TEST((cylinder.nodes.col(node) - Eigen::Vector3d(1, -1, 0)).head<2>().norm() == 2,
                 boost::test_tools::tolerance(1e-13));
    for (const int node : cylinder.boundary_nodes({1})) BOOST_TEST(cylinder.nodes(2, node) == 2);
  }
}

BOOST_AUTO_TEST_CASE(placement_scales_then_turns_then_shifts)
{
  MeshSettings settings = shape(Kind::box, ElementType::hex8);
  settings.placement.scale = 2;
  settings.placement.axis = {0, 0, 7};
  settings.placement.angle = 90;
  settings.placement.shift = {10, 20, 30};
  const SolidMesh mesh = make_solid_mesh({settings});
  // The box [0,2] x [0,1] x [0,3] becomes [10-2, 10] x [20, 20+4] x [30, 36].
  const Eigen::Vector3d lower = mesh.nodes.rowwise().minCoeff(), upper = mesh.nodes.rowwise().maxCoeff();
  BOOST_TEST((lower - Eigen::Vector3d(8, 20, 30)).norm() < 1e-13 * 36);
  BOOST_TEST((upper - Eigen::Vector3d(10, 24, 36)).norm() < 1e-13 * 36);
  // The side x = 2 of the box now points along y.
  BOOST_TEST((surfaces(mesh)[1].vector - Eigen::Vector3d(0, 12, 0)).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(several_bodies_keep_to_themselves)
{
  MeshSettings ball = shape(Kind::ball, ElementType::hex27), box = shape(Kind::box, ElementType::hex27);
  const SolidMesh mesh = make_solid_mesh({ball, box});
  const SolidMesh first = make_solid_mesh({ball}), second = make_solid_mesh({box});
  BOOST_TEST(mesh.n_bodies() == 2);
  BOOST_TEST(mesh.n_nodes() == first.n_nodes() + second.n_nodes());
  BOOST_TEST(mesh.n_cells() == first.n_cells() + second.n_cells());
  BOOST_TEST((mesh.nodes.rightCols(second.n_nodes()) - second.nodes).norm() == 0);
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    for (const int node : mesh.cell_nodes(cell)) BOOST_TEST((node < first.n_nodes()) == (mesh.bodies[cell] == 0));
  BOOST_TEST(mesh.boundary_ids(0) == std::vector<int>({0}));
  BOOST_TEST(mesh.boundary_ids(1) == std::vector<int>({0, 1, 2, 3, 4, 5}));
  BOOST_TEST(mesh.boundary_nodes(1, {}).front() >= first.n_nodes());
  BOOST_TEST(mesh.boundary_id(1, "5") == 5);
  const auto text = thrown_text([&] { mesh.boundary_id(0, "top"); });
  BOOST_TEST(text == "there is no boundary 'top'; the body has: 0 (surface).");
}

BOOST_AUTO_TEST_CASE(bodies_of_different_elements_are_an_error)
{
  const auto text = thrown_text(
    [] {
      make_solid_mesh({shape(Kind::ball, ElementType::hex8), shape(Kind::box, ElementType::tet4)});
    });
  BOOST_TEST(text ==
             "the ball has linear hexahedra, but the box has linear tetrahedra. All bodies of a run have one type of element: "
             "set Element alike.");
}

BOOST_AUTO_TEST_SUITE_END()

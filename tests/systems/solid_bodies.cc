#include <freefall/systems/fem/boundary_selection.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>

#include "core/thrown_text.h"
#include "solid_from_parameters.h"

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
double column(const NamedValues &values, const std::string &name)
{
  for (const auto &value : values)
    if (value.name == name) return value.value;
  BOOST_FAIL("no column " << name);
  return 0;
}

/// The steel and rubber bar of meshes/, 1 x 0.1 x 0.1 m, in one of its formats; `regions` are sections of Body.
std::string bar_file(const std::string &extension, const std::string &regions, const std::string &more = "")
{
  return "subsection Body bar\nsubsection Mesh\nset Type = file\nset File = ../meshes/two_materials." + extension + "\nend\n" +
         regions + "end\n" + more;
}

std::string region(const std::string &name, double density)
{
  return fmt::format("subsection Region {}\nset Density = {}\nend\n", name, density);
}

std::string box_of(const std::string &element, const std::string &keys = "", const std::string &more = "")
{
  return fmt::format(
    "subsection Body box\n{}\nsubsection Mesh\nset Element = {}\nset Size = 1, 2, 3\nset Subdivisions = 2, 2, 2\nend\n"
    "subsection Material\nset Density = 10\nend\nend\n{}",
    keys, element, more);
}

const std::string consistent = "subsection Finite elements\nset Mass = consistent\nend\n";

/// kg.
double total_mass(const SolidSystem &system) { return system.apply_mass(Eigen::VectorXd::Ones(system.n_dofs())).sum() / 3; }
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_bodies)

BOOST_AUTO_TEST_CASE(both_masses_carry_the_moments_of_the_body)
{
  for (const ElementType type : element_types())
    for (const std::string &mass : {std::string(), consistent})
    {
      // Spins at 2 rad/s about z: angular momentum 2 m (a^2 + b^2) / 12 about the centre, energy 1/2 of 2 times that. A
      // consistent mass is exact; of the lumped ones those of quadratic elements too (they integrate cubics or symmetric
      // quadratics), while concentrating a linear element's mass in its corners adds to its moment of inertia.
      const auto box = solid_from(box_of(shape_of(type).name, "set Spin = 0, 0, 2", mass));
      BOOST_TEST(total_mass(*box) == 60, tt::tolerance(1e-12));
      const double moment = 60 * (1 + 4) / 12.0;
      const State &state = box->initial_state();
      const auto values = box->observe(state);
      BOOST_TEST(std::abs(column(values, "linear_momentum_x")) < 1e-11);
      const double spin = column(values, "angular_momentum_z");
      BOOST_TEST(box->energy_balance(state).kinetic == spin, tt::tolerance(1e-12));
      const bool is_exact = !mass.empty() || type == ElementType::hex27;
      BOOST_TEST_CONTEXT(shape_of(type).name << " " << mass)
      {
        if (is_exact)
          BOOST_TEST(spin == 2 * moment, tt::tolerance(1e-12));
        else
          BOOST_TEST((spin > 2 * moment * (1 - 1e-12) && spin < 2 * moment * 1.6));
      }
    }
}

BOOST_AUTO_TEST_CASE(solving_undoes_the_consistent_mass_and_spares_held_dofs)
{
  const auto box = solid_from(box_of("quadratic tetrahedra", "", consistent));
  BOOST_TEST(!box->mass_is_diagonal());
  const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(box->n_dofs(), [](Eigen::Index i) { return std::sin(i * i); });
  BOOST_TEST((box->solve_mass(box->apply_mass(v)) - v).norm() < 1e-12 * v.norm());  // the condition number is below 100

  Eigen::SparseMatrix<double> matrix(2, 2);
  matrix.insert(0, 0) = matrix.insert(1, 1) = 2;
  matrix.insert(0, 1) = matrix.insert(1, 0) = 1;
  ConsistentMass mass(matrix);
  const std::vector<int> held{1};  // y of node 0
  mass.hold(held);
  const Eigen::VectorXd a = mass.solve(Eigen::VectorXd::Ones(6));
  const Eigen::VectorXd expected = (Eigen::VectorXd(6) << 1. / 3, 0, 1. / 3, 1. / 3, 0.5, 1. / 3).finished();
  BOOST_TEST((a - expected).norm() < 1e-15);
}

BOOST_AUTO_TEST_CASE(gravity_makes_every_node_fall_alike)
{
  for (const ElementType type : element_types())
    for (const std::string &mass : {std::string(), consistent})
    {
      const auto box = solid_from(box_of(shape_of(type).name, "", mass + "subsection Loads\nset Gravity = 1, 0, -9.81\nend\n"));
      Eigen::VectorXd gradient;
      box->gradient(box->initial_state().q, gradient);
      const Eigen::VectorXd a = -box->solve_mass(gradient);
      const Eigen::Vector3d gravity(1, 0, -9.81);
      // Stresses of rounding, 1e-16 of 1e11 Pa, on nodes of some kilograms.
      BOOST_TEST((a - gravity.replicate(box->mesh().n_nodes(), 1)).cwiseAbs().maxCoeff() < 1e-3);
    }
}

BOOST_AUTO_TEST_CASE(regions_are_found_by_name_and_by_number_in_every_format)
{
  for (const std::string format : {"msh", "inp", "vtu"})
  {
    const auto by_number = solid_from(bar_file(format, region("1", 1000) + region("2", 3000)));
    BOOST_TEST(total_mass(*by_number) == 20, tt::tolerance(1e-12));
    // Steel to the left: the centre of mass moves to the right when the right half is heavier.
    const Eigen::VectorXd &m = by_number->diagonal_mass();
    double moment = 0;
    for (int node = 0; node < by_number->mesh().n_nodes(); ++node) moment += m[3 * node] * by_number->mesh().nodes(0, node);
    BOOST_TEST(moment == 20 * (0.25 * 5 + 0.75 * 15) / 20, tt::tolerance(1e-12));
    if (format == "vtu") continue;  // has no names
    const auto by_name = solid_from(bar_file(format, region("rubber", 3000) + region("steel", 1000)));
    BOOST_TEST((by_name->diagonal_mass() - m).norm() < 1e-14 * m.norm());  // summed in another order
  }
  const auto rest = solid_from(bar_file("msh", region("rubber", 3000) + "subsection Material\nset Density = 1000\nend\n"));
  BOOST_TEST(total_mass(*rest) == 20, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(boundaries_are_found_by_name_number_and_body)
{
  const auto bodies = solid_from(
    "subsection Body one\nend\nsubsection Body two\nsubsection Mesh\nset Type = cylinder\nset Cut = 5\nsubsection Placement\n"
    "set Shift = 5, 0, 0\nend\nend\nend\nsubsection Body three\nsubsection Mesh\nset Subdivisions = 1, 1, 1\nend\nend\n");
  const SolidMesh &mesh = bodies->mesh();
  const auto names = bodies->settings().body_names();
  const auto count = [&](const std::vector<std::string> &selection)
  { return select_boundary_faces(mesh, names, selection).size(); };
  BOOST_TEST(count({}) == mesh.boundary_faces.size());
  BOOST_TEST(count({"lower x"}) == 4 * 4 * 4 + 4);
  BOOST_TEST(count({"one/lower x"}) == 4 * 4 * 4);
  BOOST_TEST(count({"three/0", "three/upper z"}) == 8);
  BOOST_TEST(count({"side"}) == 16 * 8 * 2);  // 16 quadrilaterals around, 8 along, two triangles each
  BOOST_TEST(count({"two/2"}) == count({"side"}));
  for (const int node : nodes_of_faces(mesh, select_boundary_faces(mesh, names, {"side"})))
    BOOST_TEST_REQUIRE(std::hypot(mesh.nodes(0, node) - 5, mesh.nodes(1, node)) == 0.5, tt::tolerance(1e-12));
  BOOST_TEST(
    thrown_text([&] { count({"top"}); }) ==
    "there is no boundary 'top'. By id and name, body one has 0 (lower x), 1 (upper x), 2 (lower y), 3 (upper y), 4 "
    "(lower z), 5 (upper z); body two has 0 (lower end), 1 (upper end), 2 (side); body three has 0 (lower x), 1 (upper "
    "x), 2 (lower y), 3 (upper y), 4 (lower z), 5 (upper z).");
}

BOOST_AUTO_TEST_CASE(only_the_chosen_boundaries_touch)
{
  const std::string plane =
    "subsection Contact\nset Boundary ids = right\nsubsection Plane wall\nset Point = 1, 0, 0\nset "
    "Normal = -1, 0, 0\nset Stiffness = 1e14\nend\nend\n";
  const auto bar = solid_from(bar_file("msh", "", plane));
  State state = bar->initial_state();
  state.q += 1e-3 * Eigen::Vector3d::UnitX().replicate(bar->mesh().n_nodes(), 1);
  const int n = static_cast<int>(
    nodes_of_faces(bar->mesh(), select_boundary_faces(bar->mesh(), bar->settings().body_names(), {"right"})).size());
  BOOST_TEST(bar->energy_balance(state).contact == n * 0.5 * 1e14 * 1e-6, tt::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(mistakes_about_meshes_are_explained)
{
  const auto error_of = [](const std::string &text) { return thrown_text([&] { solid_from(text); }); };
  BOOST_TEST(contains(error_of(bar_file("msh", region("gold", 1))),
                      "body bar has no region 'gold'; the material ids of its mesh are 1 (steel), 2 (rubber)."));
  BOOST_TEST(contains(error_of(bar_file("msh", region("steel", 1) + region("1", 1))), "two regions for the material id 1"));
  BOOST_TEST(contains(error_of(bar_file("msh", region("steel", 1))), "the material id 2 of the mesh has no Region."));
  BOOST_TEST(contains(error_of(bar_file("msh", "", "subsection Contact\nset Boundary ids = top\nend\n")),
                      "there is no boundary 'top'. By id and name, body bar has 0, 1 (left), 2 (right)."));
  BOOST_TEST(
    contains(error_of(bar_file("msh", "", "subsection Contact\nsubsection Plane wall\nset Point = 0, 0, 0.05\nend\nend")),
             "body bar begins 0.05 m deep in plane wall"));
}

BOOST_AUTO_TEST_SUITE_END()

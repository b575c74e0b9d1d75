#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/force_stepping/force_stepping.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/thrown_text.h"
#include "solid_from_parameters.h"

using namespace freefall;
using namespace freefall::force_stepping;
namespace tt = boost::test_tools;

namespace
{
/// A soft box of 0.2 x 0.1 x 0.1 m: waves at 10 m/s.
std::string soft_box(const std::string &element,
                     const std::string &more = "",
                     const std::string &of_body = "",
                     const std::string &model = "neo-Hookean",
                     const std::string &subdivisions = "2, 2, 2")
{
  return fmt::format(
    "subsection Body box\n{}\nsubsection Mesh\nset Element = {}\nset Size = 0.2, 0.1, 0.1\nset Subdivisions = {}\nend\n"
    "subsection Material\nset Model = {}\nset Young modulus = 1e5\nset Poisson ratio = 0\nset Density = 1000\nend\nend\n{}",
    of_body, element, subdivisions, model, more);
}

std::string section(const std::string &name, const std::string &keys) { return "subsection " + name + "\n" + keys + "end\n"; }

State run(const System &system, double dt, double end, double *largest_error = nullptr)
{
  State state = system.initial_state();
  ExplicitNewmark::Settings settings;
  settings.time_step = dt;
  ExplicitNewmark newmark(settings);
  newmark.initialize(system, state);
  const double start = system.energy_balance(state).total();
  while (state.time < end - dt / 2)
  {
    newmark.advance(state, std::min(end, state.time + end / 50));
    if (largest_error) *largest_error = std::max(*largest_error, std::abs(system.energy_balance(state).total() - start));
  }
  return state;
}

/// A smooth large deformation.
Eigen::VectorXd deformed(const SolidSystem &system)
{
  Eigen::VectorXd q = system.initial_state().q;
  for (int node = 0; node < system.mesh().n_nodes(); ++node)
  {
    const Eigen::Vector3d x = q.segment<3>(3 * node);
    q.segment<3>(3 * node) += Eigen::Vector3d(0.3 * x[1] + x[0] * x[2], 0.2 * x[0] * x[0], -0.1 * x[2] + 0.4 * x[0]);
  }
  return q;
}

/// Volume of a mesh of linear tetrahedra.
double volume(const SolidMesh &mesh, const Eigen::VectorXd &q)
{
  double sum = 0;
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
  {
    const auto nodes = mesh.cell_nodes(cell);
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = q.segment<3>(3 * nodes[a + 1]) - q.segment<3>(3 * nodes[0]);
    sum += edges.determinant() / 6;
  }
  return sum;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_conditions)

BOOST_AUTO_TEST_CASE(bodies_pass_the_patch_test_by_prescribed_displacement)
{
  // All boundaries are moved to an affine map within 0.05 s; the inner nodes, damped, come to rest on the same map.
  const std::string ramp = "min(t/0.05, 1)*";
  const std::string support = section("Support all", "set Boundary = all\nset X = " + ramp + "(0.1*x + 0.05*y)\nset Y = " + ramp +
                                                        "(-0.04*y + 0.02*z)\nset Z = " + ramp + "(0.03*x)\n");
  const std::string damping = section("Damping", "set Model = Rayleigh\nset Alpha = 400\n");
  for (const ElementType type : element_types())
  {
    const auto box = solid_from(soft_box(shape_of(type).name, support, damping));
    const Eigen::VectorXd start = box->initial_state().q;
    const State state = run(*box, 0.5 * box->critical_step(start).time_step, 0.4);
    double error = 0;
    for (int node = 0; node < box->mesh().n_nodes(); ++node)
    {
      const Eigen::Vector3d x = box->mesh().nodes.col(node);
      const Eigen::Vector3d expected =
        x + Eigen::Vector3d(0.1 * x[0] + 0.05 * x[1], -0.04 * x[1] + 0.02 * x[2], 0.03 * x[0]);
      error = std::max(error, (state.q.segment<3>(3 * node) - expected).norm());
    }
    // The slowest inner mode, about 300 1/s, decays at 200 1/s for 0.35 s: to exp(-70), below the rounding of positions.
    BOOST_TEST(error < 1e-12, shape_of(type).name << ": " << error);
    BOOST_TEST(static_cast<int>(box->fixed_dofs().size()) < box->n_dofs());
  }
}

BOOST_AUTO_TEST_CASE(a_follower_pressure_on_a_closed_surface_has_no_resultant_and_no_moment)
{
  for (const ElementType type : element_types())
  {
    const auto box = solid_from(
      soft_box(shape_of(type).name, section("Loads", section("Pressure all", "set Boundary = all\nset Pressure = 1000\n"))));
    const Eigen::VectorXd q = deformed(*box);
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(box->n_dofs());
    box->conditions()->add_loads(0, q, forces);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero(), moment = sum;
    double size = 0;
    for (int node = 0; node < box->mesh().n_nodes(); ++node)
    {
      const Eigen::Vector3d f = forces.segment<3>(3 * node), x = q.segment<3>(3 * node);
      sum += f;
      moment += x.cross(f);
      size += f.norm();
    }
    BOOST_TEST_REQUIRE(size > 50);
    // The resultant is exact for all elements. The moment integrates x times the area vector, on the sides of bent
    // quadrilaterals and of quadratic triangles beyond what the rule integrates exactly.
    BOOST_TEST(sum.norm() < 1e-13 * size);
    const bool is_exact = type == ElementType::tet4;
    BOOST_TEST(moment.norm() < (is_exact ? 1e-13 : 1e-3) * size * 0.1, shape_of(type).name << ": " << moment.norm() / size / 0.1);
  }
}

BOOST_AUTO_TEST_CASE(pressure_forces_are_minus_the_pressure_times_the_gradient_of_the_volume)
{
  const auto box = solid_from(soft_box("linear tetrahedra", section("Loads", section("Pressure all", "set Boundary = all\n"
                                                                                                     "set Pressure = 1000\n"))));
  Eigen::VectorXd q = deformed(*box), forces = Eigen::VectorXd::Zero(box->n_dofs());
  box->conditions()->add_loads(0, q, forces);
  // The volume is linear in each coordinate: central differences have no error but rounding, 1e-16 * 2e-3 / 2e-4.
  for (int dof = 0; dof < box->n_dofs(); ++dof)
  {
    const double at = q[dof], e = 1e-4;
    q[dof] = at + e;
    const double up = volume(box->mesh(), q);
    q[dof] = at - e;
    const double slope = (up - volume(box->mesh(), q)) / (2 * e);
    q[dof] = at;
    BOOST_TEST(std::abs(forces[dof] + 1000 * slope) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(a_traction_sums_to_its_integral_and_has_a_potential_without_time)
{
  // int (x + 2 z) over the upper y side of 0.2 x 0.1 m: 0.02 (0.1 + 0.1).
  const auto load = [](const std::string &formula)
  { return section("Loads", section("Traction top", "set Boundary = upper y\nset Force = " + formula + "; 0; 0\n")); };
  for (const ElementType type : element_types())
  {
    const auto constant = solid_from(soft_box(shape_of(type).name, load("100*(x + 2*z)")));
    BOOST_TEST(constant->conditions() == nullptr);
    Eigen::VectorXd gradient;
    constant->gradient(constant->initial_state().q, gradient);
    BOOST_TEST(-gradient(Eigen::seq(0, Eigen::last, 3)).sum() == 100 * 0.02 * 0.2, tt::tolerance(1e-11));

    const auto varying = solid_from(soft_box(shape_of(type).name, load("100*(x + 2*z)*cos(t)")));
    BOOST_TEST_REQUIRE(varying->conditions() != nullptr);
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(varying->n_dofs());
    varying->conditions()->add_loads(1, varying->initial_state().q, forces);
    BOOST_TEST(forces.sum() == 100 * 0.02 * 0.2 * std::cos(1.), tt::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(work_of_supports_loads_obstacles_and_damping_closes_the_account_at_second_order)
{
  const std::string support = section("Support left", "set Boundary = lower x\nset X = 0.02*sin(40*t)\nset Y = fixed\n"
                                                      "set Z = 0.01*(1 - cos(30*t))*y\n");
  const std::string loads = section(
    "Loads", "set Gravity = 0, 0, -9.81\n" +
               section("Pressure right", "set Boundary = upper x\nset Pressure = 3000*sin(60*t)^2\n") +
               section("Traction top", "set Boundary = upper z\nset Force = 0; 1000*sin(50*t); 500\n"));
  // A ball comes up from below, a wall from the side.
  const std::string obstacles =
    section("Contact", section("Sphere ball", "set Centre = 0.15, 0.05, -0.06\nset Radius = 0.05\nset Stiffness = 500\n"
                                              "set Motion = 0; 0; 0.03*sin(30*t)^2\n") +
                         section("Plane side", "set Point = 0, 0.12, 0\nset Normal = 0, -1, 0\nset Stiffness = 500\n"
                                               "set Motion = 0; -0.5*t; 0\n"));
  const std::string damping = section("Damping", "set Model = Rayleigh\nset Alpha = 5\nset Beta = 2e-4\n");
  struct Case
  {
    std::string name, more, of_body;
    bool works, loses;
  };
  for (const auto &[name, more, of_body, works, loses] :
       {Case{"supports", support, "", true, false}, Case{"loads", loads, "", true, false},
        Case{"obstacles", obstacles, "", true, false}, Case{"damping", support, damping, true, true},
        Case{"all", support + loads + obstacles, damping, true, true}})
    for (const std::string element : {"linear tetrahedra", "linear hexahedra"})
    {
      const auto box = solid_from(soft_box(element, more, of_body));
      const double critical = box->critical_step(box->initial_state().q).time_step;
      const double dt = 0.1 / std::ceil(0.1 / (0.4 * critical));
      double coarse = 0, fine = 0;
      const State state = run(*box, dt, 0.1, &coarse);
      run(*box, dt / 4, 0.1, &fine);
      const EnergyBalance balance = box->energy_balance(state);
      const std::string found = fmt::format("{} on {}: account off by {:.3g} J, with a quarter of the step by {:.3g} J; work {:.3g} "
                                            "J, kinetic {:.3g} J, lost {:.3g} J",
                                            name, element, coarse, fine, balance.external_work, balance.kinetic,
                                            balance.damping_loss);
      BOOST_TEST_MESSAGE(found);
      BOOST_TEST_CONTEXT(found)
      {
        BOOST_TEST_REQUIRE((!works || std::abs(balance.external_work) > 1e-3));
        BOOST_TEST((balance.damping_loss > 1e-3) == loses);
        // Order 2: a quarter of the step leaves a sixteenth. Contact is only once differentiable, so that its part of the
        // account is of second order with a constant that jumps: a tenth.
        BOOST_TEST(fine < coarse / 10);
        BOOST_TEST(coarse < 0.02 * (std::abs(balance.external_work) + balance.kinetic));
      }
    }
}

BOOST_AUTO_TEST_CASE(an_axial_vibration_decays_as_the_exact_damped_oscillator)
{
  // nu = 0, linear elastic, uniform hexahedra of length h: u = cos(pi x/L) is a mode with omega = 2 c/h sin(pi h/(2 L)), and
  // its amplitude that of x'' + (alpha + beta omega^2) x' + omega^2 x = 0.
  const double length = 0.2, h = length / 8, c = 10, pi = std::acos(-1.);
  const double omega = 2 * c / h * std::sin(pi * h / (2 * length));
  const double alpha = 10, beta = 1e-3, decay = (alpha + beta * omega * omega) / 2;
  const auto box = solid_from(soft_box("linear hexahedra", "",
                                       "set Velocity = 0.1*cos(pi*x/0.2); 0; 0\n" +
                                         section("Damping", "set Model = Rayleigh\nset Alpha = 10\nset Beta = 1e-3\n"),
                                       "linear elastic", "8, 1, 1"));
  const auto amplitude = [&](const State &state)
  {
    double sum = 0, norm = 0;
    for (int node = 0; node < box->mesh().n_nodes(); ++node)
    {
      const double x = box->mesh().nodes(0, node), shape = box->diagonal_mass()[3 * node] * std::cos(pi * x / length);
      sum += shape * (state.q[3 * node] - x);
      norm += shape * std::cos(pi * x / length);
    }
    return sum / norm;
  };
  const auto error = [&](int n)
  {
    const double end = 0.06, damped = std::sqrt(omega * omega - decay * decay);
    const State state = run(*box, end / n, end);
    const double exact = 0.1 / damped * std::exp(-decay * state.time) * std::sin(damped * state.time);
    return std::abs(amplitude(state) - exact) / (0.1 / damped);
  };
  BOOST_TEST_MESSAGE("error of the damped amplitude: " << error(100) << ", " << error(200));
  BOOST_TEST(decay * 0.06 > 0.9);  // a good part is gone
  BOOST_TEST(std::log2(error(100) / error(200)) == 2, tt::tolerance(0.03));
  BOOST_TEST(error(200) < 1e-3);
}

BOOST_AUTO_TEST_CASE(viscous_damping_leaves_rigid_motions_alone_and_never_feeds)
{
  const auto box = solid_from(soft_box(
    "quadratic tetrahedra", "", section("Damping", "set Model = Kelvin-Voigt\nset Shear viscosity = 50\nset Bulk viscosity = 20\n")));
  const Conditions &conditions = *box->conditions();
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.2, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  Eigen::VectorXd q = box->initial_state().q, v = q;
  for (int node = 0; node < box->mesh().n_nodes(); ++node)
  {
    q.segment<3>(3 * node) = turn * box->mesh().nodes.col(node);
    v.segment<3>(3 * node) = Eigen::Vector3d(5, -3, 2).cross(q.segment<3>(3 * node)) + Eigen::Vector3d(7, 0, 1);
  }
  const Eigen::VectorXd before = v;
  Work work;
  conditions.damp(q, 1e-3, v, work);
  BOOST_TEST((v - before).norm() < 1e-10 * v.norm());
  BOOST_TEST(std::abs(work.damping) < 1e-10);

  // Any other motion loses what the account says, also in steps far beyond the fastest rate, 1e5 1/s.
  const auto kinetic = [&](const Eigen::VectorXd &velocity) { return 0.5 * velocity.dot(box->apply_mass(velocity)); };
  q = deformed(*box);
  v = Eigen::VectorXd::NullaryExpr(v.size(), [](Eigen::Index i) { return std::sin(double(i * i)); });
  for (const double dt : {1e-6, 1e-4, 1e-3})
  {
    const double start = kinetic(v);
    Work lost;
    conditions.damp(q, dt, v, lost);
    BOOST_TEST(lost.damping > 0);
    BOOST_TEST(lost.damping == start - kinetic(v), tt::tolerance(1e-9));
    BOOST_TEST(lost.supports == 0);
  }
}

BOOST_AUTO_TEST_CASE(supports_must_agree_and_bodies_start_outside_obstacles)
{
  BOOST_TEST(thrown_text([] {
               solid_from(soft_box("linear tetrahedra", section("Support a", "set Boundary = 0\nset X = fixed\n") +
                                                          section("Support b", "set Boundary = 2\nset X = 0.1*t\n")));
             }).find("the supports a and b share the node at") != std::string::npos);
  const auto box = solid_from(soft_box("linear tetrahedra", section("Support a", "set Boundary = 0\nset X = fixed\n") +
                                                              section("Support b", "set Boundary = 2\nset X = fixed\n")));
  BOOST_TEST(box->conditions() == nullptr);
  BOOST_TEST(!box->fixed_dofs().empty());
}

BOOST_AUTO_TEST_CASE(force_stepping_keeps_the_energy_of_a_bounce_in_a_bowl)
{
  // A box falls into a hollow sphere, with one side held: constant supports and curved obstacles have potentials.
  const auto box = solid_from(soft_box("linear tetrahedra",
                                       section("Contact", section("Sphere bowl", "set Centre = 0.1, 0.05, 0.05\nset Radius = 0.13\n"
                                                                                 "set Side = inside\nset Stiffness = 2000\n")),
                                       "set Velocity = 0.3; 0.2; -1\n", "neo-Hookean", "1, 1, 1"));
  ForceStepping integrator({ForceSteppingEngine::local, GridKind::kuhn, {1e-3}, GridShift::random, 1});
  State state = box->initial_state();
  integrator.initialize(*box, state);
  const double start = *integrator.conserved_energy(state);
  double largest_contact = 0, error = 0;
  for (int i = 1; i <= 20; ++i)
  {
    integrator.advance(state, 0.003 * i);
    largest_contact = std::max(largest_contact, box->energy_balance(state).contact);
    error = std::max(error, std::abs(*integrator.conserved_energy(state) - start));
  }
  BOOST_TEST(largest_contact > 0.01 * start);
  // 1e5 crossings or so, each off by a few roundings.
  BOOST_TEST(error < 1e-10 * start);
}

BOOST_AUTO_TEST_SUITE_END()

#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/fem/solid_system.h>

#include "cube_impact.h"

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>

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

FixedStepIntegrator explicit_newmark(double dt) { return FixedStepIntegrator(std::make_unique<VelocityVerlet>(), dt); }

/// A bar along x for small waves: lambda = 0 makes the wave speed sqrt(2 mu / rho) exact in one dimension too.
SolidSettings bar(int n, const std::function<Eigen::Vector3d(const Eigen::Vector3d &)> &velocity)
{
  SolidBody body;
  body.name = "bar";
  body.mesh.box.size = {1, 0.1, 0.1};
  body.mesh.box.subdivisions = {n, std::max(1, n / 10), std::max(1, n / 10)};
  body.material = NeoHookean{0, 0.5};
  body.density = 1;
  body.initial_velocity = velocity;
  SolidSettings settings;
  settings.bodies = {body};
  return settings;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_system)

BOOST_AUTO_TEST_CASE(lumped_mass_is_the_mass_of_the_body)
{
  const SolidSystem cube(paper_cube());
  // 2.7 kg in each of three directions; sums of 192 quarters.
  BOOST_TEST(cube.diagonal_mass().sum() == 3 * 2.7, tt::tolerance(1e-13));
  BOOST_TEST(cube.diagonal_mass().minCoeff() > 0);
}

BOOST_AUTO_TEST_CASE(cube_bounces_with_the_energy_account_of_the_paper)
{
  const SolidSystem cube(paper_cube());
  State state = cube.initial_state();
  auto newmark = explicit_newmark(1e-9);
  newmark.initialize(cube, state);
  const double initial = cube.energy_balance(state).total();
  BOOST_TEST(initial == 0.5 * 2.7 * 3e6, tt::tolerance(1e-13));
  double largest_error = 0, largest_contact = 0;
  while (state.time < 80e-6)
  {
    newmark.advance(state, state.time + 5e-9);
    const auto balance = cube.energy_balance(state);
    largest_error = std::max(largest_error, std::abs(balance.total() - initial) / initial);
    largest_contact = std::max(largest_contact, balance.contact);
    const auto values = cube.observe(state);
    // The wall's normal has no x-component and treats y and z alike: 2700 kg m/s and equal histories, up to rounding of sums
    // over 80000 steps of forces a thousand times larger than the momentum per step.
    BOOST_TEST_REQUIRE(column(values, "linear_momentum_x") == 2700, tt::tolerance(1e-10));
    BOOST_TEST_REQUIRE(std::abs(column(values, "linear_momentum_y") - column(values, "linear_momentum_z")) < 1e-7 * 2700);
  }
  BOOST_TEST_MESSAGE("largest relative energy error " << largest_error << ", contact energy " << largest_contact);
  BOOST_TEST(largest_error < 2e-4);
  BOOST_TEST(largest_contact > 0.01 * initial);
  const auto values = cube.observe(state);
  BOOST_TEST(column(values, "linear_momentum_y") < 0);  // it has turned round
  BOOST_TEST(cube.energy_balance(state).contact == 0);  // and left the wall
  BOOST_TEST(column(values, "minimum_det_F") > 0.5);
}

BOOST_AUTO_TEST_CASE(free_flying_rotating_body_keeps_its_momenta)
{
  SolidSettings settings = paper_cube();
  settings.planes.clear();
  // Spins at 1e4 rad/s about a slanted axis and stretches: the strains are some percent.
  settings.bodies[0].initial_velocity = [](const Eigen::Vector3d &x)
  { return Eigen::Vector3d(Eigen::Vector3d(10, -20, 30) + Eigen::Vector3d(6e3, -5e3, 6e3).cross(x) + 2e3 * x); };
  const SolidSystem cube(settings);
  State state = cube.initial_state();
  const auto before = cube.observe(state);
  auto newmark = explicit_newmark(1e-7);
  newmark.initialize(cube, state);
  newmark.advance(state, 1e-3);
  const auto after = cube.observe(state);
  BOOST_TEST((state.q - cube.initial_state().q).norm() > 0.1);
  // 10^4 steps; each adds the rounding of forces of 1e6 N times 1e-7 s to momenta of 100 kg m/s.
  for (const char *c : {"_x", "_y", "_z"})
    for (const std::string momentum : {"linear_momentum", "angular_momentum"})
      BOOST_TEST(column(after, momentum + c) == column(before, momentum + c), tt::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(gravity_is_booked_as_external_work)
{
  SolidSettings settings = paper_cube();
  settings.planes.clear();
  settings.gravity = {0, 0, -9.81};
  const SolidSystem cube(settings);
  State state = cube.initial_state();
  auto newmark = explicit_newmark(1e-6);
  newmark.initialize(cube, state);
  const double initial = cube.energy_balance(state).total();
  newmark.advance(state, 1e-3);
  const auto balance = cube.energy_balance(state);
  // Free fall of all nodes alike: work m g h with h the rise of the centre, z0 = 0.05.
  const double rise = 1000 * 1e-3 - 0.5 * 9.81e-6;
  BOOST_TEST(balance.external_work == -2.7 * 9.81 * rise, tt::tolerance(1e-9));
  BOOST_TEST(balance.total() == initial, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(critical_step_bounds_stability_from_both_sides_within_a_factor_two)
{
  SolidSettings settings = paper_cube();
  settings.planes.clear();
  settings.bodies[0].initial_velocity = [](const Eigen::Vector3d &x) { return Eigen::Vector3d(x[1], -x[0], x[2] * x[0]); };
  const SolidSystem cube(settings);
  const double critical = cube.critical_step(cube.initial_state().q).time_step;
  const auto energy_growth = [&](double dt)
  {
    State state = cube.initial_state();
    auto newmark = explicit_newmark(dt);
    newmark.initialize(cube, state);
    const double before = cube.energy_balance(state).total();
    try
    {
      newmark.advance(state, 300 * dt);
      return cube.energy_balance(state).total() / before;
    }
    catch (const std::exception &)
    {
      return 1e300;
    }
  };
  BOOST_TEST(energy_growth(0.99 * critical) < 1.5);
  BOOST_TEST(energy_growth(2 * critical) > 1e3);
}

BOOST_AUTO_TEST_CASE(critical_step_of_the_paper_cube_is_set_by_contact_and_says_so)
{
  const SolidSystem cube(paper_cube());
  const auto critical = cube.critical_step(cube.initial_state().q);
  BOOST_TEST(critical.limited_by.find("contact node") == 0);
  // A stiffness of 2e14 N/m (|n|^2 = 2) on the lightest surface node, a face centre of four elements.
  const double mass = 4 * 2.7 / 192 / 4;
  BOOST_TEST(critical.time_step == 2 / std::sqrt(2e14 / mass), tt::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(error_in_time_is_of_second_order)
{
  const SolidSystem beam(
    bar(4, [](const Eigen::Vector3d &x) { return Eigen::Vector3d(0.1 * std::cos(M_PI * x[0]), 0.05 * x[0], 0); }));
  const auto run = [&](int n_steps)
  {
    State state = beam.initial_state();
    auto newmark = explicit_newmark(1.0 / n_steps);
    newmark.initialize(beam, state);
    newmark.advance(state, 1.0);
    return state.q;
  };
  const Eigen::VectorXd reference = run(12800);
  const double coarse = (run(200) - reference).norm(), fine = (run(400) - reference).norm();
  BOOST_TEST_REQUIRE(coarse > 1e-9);
  // log2 of the ratio is the order; 1600 / 200 leaves an error of the reference of 1/1000.
  BOOST_TEST(std::log2(coarse / fine) == 2, tt::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(error_in_space_of_a_standing_wave_is_of_second_order)
{
  // u_x = a cos(pi x) sin(pi t) with speed 1, free ends, amplitude so small that the material is linear to 1e-6.
  const double amplitude = 1e-6;
  const auto error = [&](int n)
  {
    const SolidSystem beam(
      bar(n, [&](const Eigen::Vector3d &x) { return Eigen::Vector3d(amplitude * M_PI * std::cos(M_PI * x[0]), 0, 0); }));
    State state = beam.initial_state();
    auto newmark = explicit_newmark(1e-3);
    newmark.initialize(beam, state);
    newmark.advance(state, 0.4);
    double sum = 0, mass = 0;
    for (int node = 0; node < beam.mesh().n_nodes(); ++node)
    {
      const double exact = amplitude * std::cos(M_PI * beam.mesh().nodes(0, node)) * std::sin(M_PI * 0.4);
      const double u = state.q[3 * node] - beam.mesh().nodes(0, node);
      sum += beam.diagonal_mass()[3 * node] * (u - exact) * (u - exact);
      mass += beam.diagonal_mass()[3 * node];
    }
    return std::sqrt(sum / mass) / amplitude;
  };
  const double coarse = error(10), fine = error(20);
  BOOST_TEST_MESSAGE("errors " << coarse << " " << fine);
  BOOST_TEST_REQUIRE(fine > 1e-5);  // well above the error in time, (pi dt)^2 / 24
  BOOST_TEST(std::log2(coarse / fine) == 2, tt::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(snapshot_carries_the_fields_on_shared_nodes_and_cells)
{
  const SolidSystem cube(paper_cube());
  State state = cube.initial_state();
  state.q.array() *= 1.1;  // a uniform swelling: no shear stress, det F = 1.331
  const auto snapshot = cube.snapshot(state, SnapshotGeometry::deformed);
  BOOST_TEST(snapshot.points.cols() == 71);
  BOOST_TEST(snapshot.cell_types.size() == 192);
  const auto field = [](const std::vector<SnapshotField> &fields, const std::string &name)
  {
    for (const auto &f : fields)
      if (f.name == name) return f.values;
    BOOST_FAIL("no field " << name);
    return std::vector<double>();
  };
  for (const double J : field(snapshot.cell_fields, "det_F")) BOOST_TEST(J == 1.331, tt::tolerance(1e-12));
  for (const double s : field(snapshot.cell_fields, "von_mises_stress")) BOOST_TEST(s < 1e-3);  // of 1e10 Pa pressure
  const auto gap = field(snapshot.point_fields, "contact_gap");
  // The farthest edge is at y = z = 0.11: 9 mm beyond the point of the wall in both directions.
  BOOST_TEST(*std::min_element(gap.begin(), gap.end(), [](double a, double b) { return !(a >= b) && !std::isnan(a); }) ==
               -0.009 * std::sqrt(2.0),
             tt::tolerance(1e-9));
  BOOST_TEST(field(snapshot.point_fields, "displacement").size() == 213);
  const auto reference = cube.snapshot(state, SnapshotGeometry::reference);
  BOOST_TEST(reference.points.maxCoeff() == 0.1, tt::tolerance(1e-13));
}

BOOST_AUTO_TEST_SUITE_END()

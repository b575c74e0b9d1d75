#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/systems/particles/jacobi_reduction.h>

#include <integrators/particle_problems.h>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

using namespace freefall;
using namespace freefall::force_stepping;

BOOST_AUTO_TEST_SUITE(force_stepping_step_map)

namespace
{
double value(const NamedValues &row, const std::string &name)
{
  for (const auto &entry : row)
    if (entry.name == name) return entry.value;
  BOOST_FAIL("no column " + name);
  return 0;
}

const NumberTable &find(const std::vector<NumberTable> &tables, const std::string &name)
{
  for (const auto &table : tables)
    if (table.name == name) return table;
  BOOST_FAIL("no table " + name);
  return tables[0];
}

struct Run
{
  ForceStepping integrator;
  State state;
  std::vector<Event> events;

  Run(const System &system, ForceSteppingSettings settings, double time) : integrator(settings), state(system.initial_state())
  {
    integrator.observer = [this](const Event &event) { events.push_back(event); };
    integrator.initialize(system, state);
    integrator.advance(state, time);
  }
};

/// GSO (65) with e = 0.85.
std::unique_ptr<ParticleSystem> kepler()
{
  auto system =
    std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"body", 1, 0, {0.15, 0, 0}, {0, 3.511884584284246, 0}}});
  particle_potentials::add_central_gravity(*system, Eigen::Vector3d::Zero(), 1);
  return system;
}
}  // namespace

BOOST_AUTO_TEST_CASE(kepler_steps_are_short_near_the_centre_and_long_far_from_it)
{
  const auto system = kepler();
  const Run run(*system, {ForceSteppingEngine::kinetic, GridKind::kuhn, {0.022}, GridShift::none}, 6.28);
  const auto tables = run.integrator.tables();
  const auto &by_position = find(tables, "time_steps_by_position");
  double n_events = 0, elapsed = 0, near_steps = 0, near_time = 0, far_steps = 0, far_time = 0;
  for (const auto &row : by_position.rows)
  {
    const double n = value(row, "events"), time = n * value(row, "mean_step");
    BOOST_TEST(value(row, "smallest_step") <= value(row, "largest_step"));
    const double r = std::hypot(value(row, "x"), value(row, "y"));
    n_events += n;
    elapsed += time;
    if (r < 0.4) near_steps += n, near_time += time;
    if (r > 1.6) far_steps += n, far_time += time;
  }
  BOOST_TEST(n_events == run.events.size());
  BOOST_TEST(elapsed == run.events.back().time, boost::test_tools::tolerance(1e-12));
  BOOST_REQUIRE(near_steps * far_steps > 0);
  // By vis-viva the speeds at r = 0.4 and r = 1.6 are 2 and 0.5: steps through cells of one size differ by at least four.
  BOOST_TEST(far_time / far_steps > 4 * near_time / near_steps);

  const auto &by_point = find(tables, "time_steps_by_point");
  BOOST_REQUIRE(by_point.rows.size() == 1u);
  BOOST_TEST(value(by_point.rows[0], "events") == run.events.size());
  BOOST_TEST(value(by_point.rows[0], "x") == 0.15);
}

BOOST_AUTO_TEST_CASE(bins_widen_when_there_are_too_many)
{
  const auto system = particle_problems::coupled_well();
  const double h = 2e-4;
  Run run(*system, {ForceSteppingEngine::kinetic, GridKind::kuhn, {h}, GridShift::random, 3}, 20);
  const auto tables = run.integrator.tables();
  const auto &table = find(tables, "time_steps_by_position");
  BOOST_TEST(table.rows.size() <= std::size_t(StepMap::most_bins));

  // The same bins from the positions at the events of a second run, all at once.
  std::vector<std::pair<double, double>> positions;
  State state = system->initial_state();
  ForceStepping again({ForceSteppingEngine::kinetic, GridKind::kuhn, {h}, GridShift::random, 3});
  again.initialize(*system, state);
  for (const Event &event : run.events)
  {
    again.advance(state, event.time);
    positions.emplace_back(state.q[0], state.q[1]);
  }
  for (double width = h;; width *= 2)
  {
    std::map<std::pair<double, double>, double> counts;
    for (const auto &[x, y] : positions) ++counts[{std::floor(x / width), std::floor(y / width)}];
    if (counts.size() > StepMap::most_bins) continue;
    BOOST_TEST(width > h);  // otherwise nothing was widened
    BOOST_REQUIRE(counts.size() == table.rows.size());
    auto row = table.rows.begin();
    for (const auto &[place, n] : counts)
    {
      BOOST_TEST(value(*row, "events") == n);
      BOOST_TEST(value(*row, "x") == (place.first + 0.5) * width, boost::test_tools::tolerance(1e-12));
      BOOST_TEST(value(*row, "y") == (place.second + 0.5) * width, boost::test_tools::tolerance(1e-12));
      ++row;
    }
    return;
  }
}

BOOST_AUTO_TEST_CASE(every_point_has_its_own_count)
{
  const auto system = particle_problems::bent_molecule();
  for (const auto engine : {ForceSteppingEngine::local, ForceSteppingEngine::kinetic, ForceSteppingEngine::sherman_morrison})
  {
    const Run run(*system, {engine, GridKind::kuhn, {0.01}, GridShift::random, 5}, 1);
    const auto tables = run.integrator.tables();
    const auto &table = find(tables, "time_steps_by_point");
    BOOST_REQUIRE(table.rows.size() == 3u);
    std::vector<double> expected(3, 0.);
    for (const Event &event : run.events)
    {
      std::set<int> points{event.dof / 2};
      if (event.other >= 0) points.insert(event.other / 2);
      for (const int point : points) ++expected[point];
    }
    for (int point = 0; point < 3; ++point)
    {
      BOOST_TEST(expected[point] > 10);
      BOOST_TEST(value(table.rows[point], "events") == expected[point]);
      BOOST_TEST(value(table.rows[point], "mean_step") == run.events.back().time / expected[point],
                 boost::test_tools::tolerance(1e-12));
      BOOST_TEST(value(table.rows[point], "y") == system->particles()[point].position[1]);
    }
    for (const auto &other : tables) BOOST_TEST(other.name != "time_steps_by_position");
  }
}

BOOST_AUTO_TEST_CASE(reduced_coordinates_are_counted_one_by_one)
{
  const JacobiReduction system(particle_problems::bent_molecule());
  const Run run(system, {ForceSteppingEngine::local, GridKind::kuhn, {0.01}, GridShift::random, 5}, 1);
  const auto tables = run.integrator.tables();
  const auto &table = find(tables, "time_steps_by_coordinate");
  BOOST_REQUIRE(table.rows.size() == std::size_t(system.n_dofs()));
  for (int dof = 0; dof < system.n_dofs(); ++dof)
  {
    const auto n = std::count_if(run.events.begin(), run.events.end(),
                                 [&](const Event &event) { return event.dof == dof || event.other == dof; });
    BOOST_TEST(value(table.rows[dof], "events") == n);
    BOOST_TEST(value(table.rows[dof], "initial_value") == system.initial_state().q[dof]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

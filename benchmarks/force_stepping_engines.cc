// The three engines of force-stepping on the cube of GSO 6.3, in one process.
//
// From a state in the middle of the impact all engines follow the same motion. `local` and `kinetic` run the whole stretch;
// `sherman-morrison`, whose crossings cost the same everywhere, runs as many as fit into its share of wall time, and its
// speed follows from the number of crossings that `kinetic` counts. The unit of cost is the scalar gradient of one element.
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/force_stepping/local_engine.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

using namespace freefall;

namespace
{
/// Processor time of this process in s: the engines run in one thread, and other programs must not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(double start) { return now() - start; }

SolidSettings cube(const BoxMesh &mesh)
{
  SolidBody body;
  body.name = "cube";
  body.mesh.box = mesh;
  body.material = NeoHookean{60.5e9, 26e9};
  body.density = 2700;
  body.initial_velocity = [](const Eigen::Vector3d &) { return Eigen::Vector3d(1000, 1000, 1000); };
  SolidSettings settings;
  settings.bodies = {body};
  settings.planes = {{"wall", Eigen::Vector3d::Constant(0.101), Eigen::Vector3d(0, -1, -1), 1e14}};
  return settings;
}

ForceStepping make(ForceSteppingEngine engine, double h)
{
  ForceSteppingSettings settings;
  settings.engine = engine;
  settings.spacing = {h};
  return ForceStepping(settings);
}

/// Wall seconds of the scalar gradient of one element, best of several rounds.
double element_gradient_seconds(const SolidSystem &system, const Eigen::VectorXd &q)
{
  const LocalTerms &elements = *system.terms().front();
  std::vector<double> x(12 * elements.n_terms());
  for (int e = 0; e < elements.n_terms(); ++e)
    for (int a = 0; a < 12; ++a) x[12 * e + a] = q[elements.dofs(e)[a]];
  double best = 1, gradient[12], sum = 0;
  for (int round = 0; round < 20; ++round)
  {
    const auto start = now();
    for (int repeat = 0; repeat < 20; ++repeat)
      for (int e = 0; e < elements.n_terms(); ++e)
      {
        elements.gradient(e, &x[12 * e], gradient);
        sum += gradient[0];
      }
    best = std::min(best, seconds_since(start) / (20 * elements.n_terms()));
  }
  if (!std::isfinite(sum)) fmt::print(stderr, "the gradient of an element is not finite\n");
  return best;
}

struct Measurement
{
  double seconds_per_event = 0;
  double simulated_per_second = 0;  ///< s of motion per s of wall time
  std::int64_t n_events = 0;
  double bytes_per_node = 0;
};

/// Advances in small pieces until `end`, or until the wall time is used up. Best of `rounds`.
Measurement measure(
  ForceSteppingEngine engine, const SolidSystem &system, double h, const State &start, double end, double wall, int rounds)
{
  Measurement best;
  for (int round = 0; round < rounds; ++round)
  {
    ForceStepping integrator = make(engine, h);
    State state = start;
    integrator.initialize(system, state);
    const std::int64_t most = 1 << 16;
    double piece = (end - start.time) / most;
    const auto clock = now();
    while (state.time < end && seconds_since(clock) < wall)
    {
      integrator.advance(state, std::min(end, state.time + piece));
      piece *= 1.5;
    }
    const double seconds = seconds_since(clock);
    Measurement m;
    m.n_events = integrator.statistics().n_steps;
    m.seconds_per_event = seconds / std::max<std::int64_t>(1, m.n_events);
    m.simulated_per_second = (state.time - start.time) / seconds;
    m.bytes_per_node = 3. * integrator.engine().memory_bytes() / system.n_dofs();
    if (round == 0 || m.seconds_per_event < best.seconds_per_event) best = m;
  }
  return best;
}

/// All engines on one of the paper's meshes.
void compare_engines(const std::string &mesh, double h, double stretch, double wall, bool print, nlohmann::json &json)
{
  const SolidSystem system(cube(gso_cube(mesh)));
  State state = system.initial_state();
  ForceStepping first = make(ForceSteppingEngine::local, h);
  first.initialize(system, state);
  first.advance(state, 10e-6);
  const double gradient_seconds = element_gradient_seconds(system, state.q);
  const double end = state.time + stretch;
  const auto local = measure(ForceSteppingEngine::local, system, h, state, end, 1e9, 5);
  const auto kinetic = measure(ForceSteppingEngine::kinetic, system, h, state, end, 1e9, 3);
  const auto dense = measure(ForceSteppingEngine::sherman_morrison, system, h, state, end, wall, 1);
  const double dense_simulated = stretch / (kinetic.n_events * dense.seconds_per_event);

  const int d = system.n_dofs();
  const double cost = local.seconds_per_event / gradient_seconds;
  json[fmt::format("speedup_{}", d)] = local.simulated_per_second / dense_simulated;
  json[fmt::format("kinetic_speedup_{}", d)] = kinetic.simulated_per_second / dense_simulated;
  json[fmt::format("event_ns_{}", d)] = local.seconds_per_event * 1e9;
  json[fmt::format("kinetic_crossing_ns_{}", d)] = kinetic.seconds_per_event * 1e9;
  json[fmt::format("sherman_morrison_crossing_ns_{}", d)] = dense.seconds_per_event * 1e9;
  json[fmt::format("events_per_microsecond_{}", d)] = local.n_events / (stretch * 1e6);
  json[fmt::format("crossings_per_microsecond_{}", d)] = kinetic.n_events / (stretch * 1e6);
  if (mesh == "I")
  {
    json["event_cost_in_element_gradients"] = cost;
    json["element_gradient_ns"] = gradient_seconds * 1e9;
  }
  if (!print) return;
  fmt::print("{} dofs, h = {} m, 10 to {:.3g} us; scalar gradient of an element {:.1f} ns\n", d, h, end * 1e6,
             gradient_seconds * 1e9);
  const auto row = [&](const char *name, const Measurement &m, double events, double simulated)
  {
    fmt::print("  {:17} {:12.0f} events/us {:12.1f} ns/event {:12.4g} us of motion/s, ratio {:.4g}\n", name,
               events / (stretch * 1e6), m.seconds_per_event * 1e9, simulated * 1e6, simulated / dense_simulated);
  };
  row("sherman-morrison", dense, kinetic.n_events, dense_simulated);
  row("kinetic", kinetic, kinetic.n_events, kinetic.simulated_per_second);
  row("local", local, local.n_events, local.simulated_per_second);
  fmt::print("  an event of local costs {:.1f} element gradients\n", cost);
}

/// `local` on a mesh with some 200,000 dofs. A cube that only flies does little but leave cells, so it is given the kind of
/// motion that follows an impact: components that differ, and waves.
void measure_large(int subdivisions, bool print, nlohmann::json &json)
{
  BoxMesh mesh = gso_cube("I");
  const double refinement = subdivisions / static_cast<double>(mesh.subdivisions[0]);
  mesh.subdivisions = {subdivisions, subdivisions, subdivisions};
  SolidSettings settings = cube(mesh);
  settings.bodies[0].initial_velocity = [](const Eigen::Vector3d &x)
  {
    const Eigen::Vector3d waves = (20 * x.array() / 0.1).sin();
    return Eigen::Vector3d(Eigen::Vector3d(700, 100, -400) + 300 * Eigen::Vector3d(waves[1], waves[2], waves[0]));
  };
  const SolidSystem system(settings);
  const double h = 5e-4 / refinement;
  State state = system.initial_state();
  ForceStepping warm = make(ForceSteppingEngine::local, h);
  std::int64_t n_cells_left = 0;
  warm.observer = [&](const force_stepping::Event &event) { n_cells_left += event.other < 0; };
  warm.initialize(system, state);
  warm.advance(state, 0.2 * h / 1000);
  const double leaving = static_cast<double>(n_cells_left) / warm.statistics().n_steps;
  const double gradient_seconds = element_gradient_seconds(system, state.q);
  const auto local = measure(ForceSteppingEngine::local, system, h, state, state.time + 2 * h / 1000, 3, 2);
  json["event_ns_large"] = local.seconds_per_event * 1e9;
  json["share_of_cells_left_large"] = leaving;
  json["n_dofs_large"] = system.n_dofs();
  json["bytes_per_node_large"] = local.bytes_per_node;
  json["event_cost_in_element_gradients_large"] = local.seconds_per_event / gradient_seconds;
  if (print)
    fmt::print(
      "{} dofs: local {:.1f} ns/event over {} events, {:.1f} element gradients, {:.0f} bytes a node, {:.0f} % of the events "
      "leave a cell\n",
      system.n_dofs(), local.seconds_per_event * 1e9, local.n_events, local.seconds_per_event / gradient_seconds,
      local.bytes_per_node, 100 * leaving);
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Compares the engines of force-stepping on the cube of GSO 6.3");
  bool as_json = false;
  double wall = 4;
  int large = 24;
  app.add_flag("--json", as_json, "print one JSON object");
  app.add_option("--wall-seconds", wall, "processor time given to sherman-morrison on each mesh; 0 leaves these meshes out");
  app.add_option("--large", large, "hexahedra along an edge of the large cube; 0 leaves it out");
  CLI11_PARSE(app, argc, argv);
  nlohmann::json json;
  const double h = 5e-4;
  if (wall > 0) compare_engines("I", h, 10e-6, wall, !as_json, json);
  if (wall > 0) compare_engines("II", h, 5e-6, wall, !as_json, json);
  if (wall > 0) compare_engines("III", h, 2e-6, wall, !as_json, json);
  if (large > 0) measure_large(large, !as_json, json);
  if (as_json) fmt::print("{}\n", json.dump(2));
}

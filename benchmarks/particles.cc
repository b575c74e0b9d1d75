#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/particles/jacobi_reduction.h>
#include <freefall/systems/particles/particle_potentials.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

/// Nanoseconds a step of velocity Verlet, for the argon cluster and the Kepler problem of GSO 6, beside a plain loop over pairs
/// written for the purpose, and nanoseconds an event of force-stepping.
namespace
{
using namespace freefall;

constexpr double epsilon = 1654028.284, sigma = 0.341, mass = 66.34;

std::unique_ptr<ParticleSystem> argon(int n_atoms)
{
  const double table[7][4] = {{0, 0, -30, -20},      {0.02, 0.39, 50, -90},    {0.34, 0.17, -70, -60}, {0.36, -0.21, 90, 40},
                              {-0.02, -0.4, 80, 90}, {-0.35, -0.16, -40, 100}, {-0.31, 0.21, -80, -60}};
  std::vector<Particle> atoms;
  for (int i = 0; i < n_atoms; ++i)
  {
    Particle atom{fmt::format("atom {}", i + 1), mass};
    if (n_atoms == 7)
    {
      atom.position = {table[i][0], table[i][1], 0};
      atom.velocity = {table[i][2], table[i][3], 0};
    }
    else
    {
      const int edge = static_cast<int>(std::ceil(std::sqrt(n_atoms)));
      atom.position = {0.39 * (i % edge), 0.39 * (i / edge), 0};
      atom.velocity = {50 * std::sin(1. + i), 50 * std::cos(2. + i), 0};
    }
    atoms.push_back(atom);
  }
  auto system = std::make_unique<ParticleSystem>(2, atoms);
  particle_potentials::add_lennard_jones(*system, {epsilon, sigma});
  return system;
}

std::unique_ptr<ParticleSystem> kepler()
{
  const double e = 0.85;
  auto system = std::make_unique<ParticleSystem>(
    2, std::vector<Particle>{{"body", 1, 0, {1 - e, 0, 0}, {0, std::sqrt((1 + e) / (1 - e)), 0}}});
  particle_potentials::add_central_gravity(*system, {0, 0, 0}, 1);
  return system;
}

/// The smallest of several runs, in nanoseconds a step.
double best_of(int repetitions, const std::function<double()> &run)
{
  double best = run();
  for (int i = 1; i < repetitions; ++i) best = std::min(best, run());
  return best;
}

double nanoseconds(const std::function<void()> &work)
{
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

double verlet(const ParticleSystem &system, double dt, int n_steps)
{
  return best_of(5,
                 [&]
                 {
                   State state = system.initial_state();
                   FixedStepIntegrator integrator(std::make_unique<VelocityVerlet>(), dt);
                   integrator.initialize(system, state);
                   return nanoseconds([&] { integrator.advance(state, n_steps * dt); }) / n_steps;
                 });
}

/// Velocity Verlet as one writes it in an afternoon: arrays of structures, a double loop, one formula.
double plain_argon(const ParticleSystem &system, double dt, int n_steps)
{
  const int n = system.n_particles();
  std::vector<double> q(system.initial_state().q.data(), system.initial_state().q.data() + 2 * n);
  std::vector<double> v(system.initial_state().v.data(), system.initial_state().v.data() + 2 * n), a(2 * n);
  const auto accelerate = [&]
  {
    std::fill(a.begin(), a.end(), 0.);
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
      {
        const double dx = q[2 * j] - q[2 * i], dy = q[2 * j + 1] - q[2 * i + 1];
        const double p = 1 / (dx * dx + dy * dy), s = sigma * sigma * p, s3 = s * s * s;
        const double f = 24 * epsilon / mass * s3 * (2 * s3 - 1) * p;
        a[2 * i] -= f * dx;
        a[2 * i + 1] -= f * dy;
        a[2 * j] += f * dx;
        a[2 * j + 1] += f * dy;
      }
  };
  accelerate();
  const double elapsed = nanoseconds(
    [&]
    {
      for (int step = 0; step < n_steps; ++step)
      {
        for (int i = 0; i < 2 * n; ++i)
        {
          v[i] += dt / 2 * a[i];
          q[i] += dt * v[i];
        }
        accelerate();
        for (int i = 0; i < 2 * n; ++i) v[i] += dt / 2 * a[i];
      }
    });
  volatile double sink = q[0];
  static_cast<void>(sink);
  return elapsed / n_steps;
}

double plain_kepler(double dt, int n_steps)
{
  const double e = 0.85;
  double x = 1 - e, y = 0, vx = 0, vy = std::sqrt((1 + e) / (1 - e));
  double r2 = x * x + y * y, f = -1 / (r2 * std::sqrt(r2)), ax = f * x, ay = f * y;
  const double elapsed = nanoseconds(
    [&]
    {
      for (int step = 0; step < n_steps; ++step)
      {
        vx += dt / 2 * ax;
        vy += dt / 2 * ay;
        x += dt * vx;
        y += dt * vy;
        r2 = x * x + y * y;
        f = -1 / (r2 * std::sqrt(r2));
        ax = f * x;
        ay = f * y;
        vx += dt / 2 * ax;
        vy += dt / 2 * ay;
      }
    });
  volatile double sink = x;
  static_cast<void>(sink);
  return elapsed / n_steps;
}

/// Nanoseconds an event over a given time.
double nanoseconds_an_event(const System &system, const ForceSteppingSettings &settings, double time)
{
  return best_of(3,
                 [&]
                 {
                   State state = system.initial_state();
                   ForceStepping integrator(settings);
                   integrator.initialize(system, state);
                   const double elapsed = nanoseconds([&] { integrator.advance(state, time); });
                   return elapsed / static_cast<double>(integrator.statistics().n_steps);
                 });
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Speed of particle systems");
  bool as_json = false;
  app.add_flag("--json", as_json, "one JSON object instead of a table");
  CLI11_PARSE(app, argc, argv);

  nlohmann::json results;
  const auto compare = [&](const std::string &name, double ours, double plain) {
    results[name] = {{"nanoseconds", ours}, {"plain_loop_nanoseconds", plain}, {"ratio", ours / plain}};
  };
  const auto cluster = argon(7), large = argon(400);
  compare("verlet_step_argon_7", verlet(*cluster, 3.12e-6, 200000),
          best_of(5, [&] { return plain_argon(*cluster, 3.12e-6, 200000); }));
  compare("verlet_step_argon_400", verlet(*large, 1e-6, 200), best_of(5, [&] { return plain_argon(*large, 1e-6, 200); }));
  const auto orbit = kepler();
  compare("verlet_step_kepler", verlet(*orbit, 0.0125, 500000), best_of(5, [] { return plain_kepler(0.0125, 500000); }));

  ForceSteppingSettings settings;
  settings.engine = ForceSteppingEngine::local;
  settings.shift = GridShift::random;
  settings.spacing = {0.022};
  results["force_stepping_event_kepler"] = {{"nanoseconds", nanoseconds_an_event(*orbit, settings, 2000)}};
  settings.spacing = {0.02};
  results["force_stepping_event_argon_7"] = {{"nanoseconds", nanoseconds_an_event(*cluster, settings, 0.4)}};
  const JacobiReduction reduced(argon(7));
  results["force_stepping_event_argon_7_jacobi"] = {{"nanoseconds", nanoseconds_an_event(reduced, settings, 0.4)}};

  if (as_json)
  {
    fmt::print("{}\n", results.dump(2));
    return 0;
  }
  fmt::print("{:<40}{:>12}{:>14}{:>9}\n", "", "ns", "plain loop ns", "ratio");
  for (const auto &[name, row] : results.items())
    if (row.contains("ratio"))
      fmt::print("{:<40}{:>12.1f}{:>14.1f}{:>9.2f}\n", name, row["nanoseconds"].get<double>(),
                 row["plain_loop_nanoseconds"].get<double>(), row["ratio"].get<double>());
    else
      fmt::print("{:<40}{:>12.1f}\n", name, row["nanoseconds"].get<double>());
  return 0;
}

#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/particles/water_cluster.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

/// Steps a second of clusters of TIP3P water by SHAKE, RATTLE and the stiff split of Zhang and Skeel, beside one evaluation of the
/// forces by a plain scalar loop.
namespace
{
using namespace freefall;

constexpr double dt = 0.05;  // 2.44 fs

struct Cluster
{
  explicit Cluster(int n_molecules)
  {
    water::Settings settings{n_molecules};
    settings.temperature = 50;
    settings.force_tolerance = 0.01;
    const auto particles = water::make_cluster(settings);
    for (auto *system : {&rigid, &stiff})
    {
      *system = std::make_unique<ParticleSystem>(3, particles);
      water::add_potentials(**system);
      auto geometry = std::make_shared<ConstraintSet>();
      water::add_rigid_geometry(**system, *geometry);
      if (system == &stiff)
        (*system)->penalise(geometry, 40);
      else
        (*system)->set_constraints(geometry);
    }
  }
  std::unique_ptr<ParticleSystem> rigid, stiff;
};

double nanoseconds(const std::function<void()> &work)
{
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

double best_of(int repetitions, const std::function<double()> &run)
{
  double best = run();
  for (int i = 1; i < repetitions; ++i) best = std::min(best, run());
  return best;
}

struct StepTime
{
  double nanoseconds = 1e300;
  NamedValues summary;  ///< of the method in the best run
};

StepTime time_a_step(const System &system, const std::function<std::unique_ptr<OneStepMethod>()> &make, int n_steps)
{
  StepTime best;
  for (int repetition = 0; repetition < 5; ++repetition)
  {
    FixedStepIntegrator integrator(make(), dt);
    State state = system.initial_state();
    integrator.initialize(system, state);
    const double time = nanoseconds([&] { integrator.advance(state, n_steps * dt); }) / n_steps;
    if (time < best.nanoseconds) best = {time, integrator.summary()};
  }
  return best;
}

double value_of(const NamedValues &values, const std::string &name)
{
  return std::find_if(values.begin(), values.end(), [&](const NamedValue &value) { return value.name == name; })->value;
}

/// Forces as one writes them in an afternoon: a double loop over molecules, nine charges and one Lennard-Jones pair each.
double plain_forces(const ParticleSystem &system, int n_evaluations)
{
  const int n = system.n_particles() / 3;
  const double *q = system.initial_state().q.data();
  std::vector<double> gradient(9 * n);
  const double charges[] = {-2 * water::hydrogen_charge, water::hydrogen_charge, water::hydrogen_charge};
  double sink = 0;
  const auto evaluate = [&]
  {
    std::fill(gradient.begin(), gradient.end(), 0.);
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
          {
            const double *x = q + 9 * a + 3 * i, *y = q + 9 * b + 3 * j;
            double *f = gradient.data() + 9 * a + 3 * i, *g = gradient.data() + 9 * b + 3 * j;
            const double dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
            const double u = dx * dx + dy * dy + dz * dz, r = std::sqrt(u);
            double slope = -water::coulomb_constant * charges[i] * charges[j] / (u * r);
            if (i == 0 && j == 0)
            {
              const double inverse = 1 / u, sixth = inverse * inverse * inverse;
              slope += 6 * inverse * sixth * (water::attraction - 2 * water::repulsion * sixth);
            }
            f[0] += slope * dx;
            f[1] += slope * dy;
            f[2] += slope * dz;
            g[0] -= slope * dx;
            g[1] -= slope * dy;
            g[2] -= slope * dz;
          }
    sink += gradient[0];
  };
  const double time = best_of(5,
                              [&]
                              {
                                return nanoseconds(
                                         [&]
                                         {
                                           for (int k = 0; k < n_evaluations; ++k) evaluate();
                                         }) /
                                       n_evaluations;
                              });
  volatile double keep = sink;
  static_cast<void>(keep);
  return time;
}

double our_forces(const ParticleSystem &system, int n_evaluations)
{
  Eigen::VectorXd gradient;
  return best_of(5,
                 [&]
                 {
                   return nanoseconds(
                            [&]
                            {
                              for (int k = 0; k < n_evaluations; ++k) system.gradient(system.initial_state().q, gradient);
                            }) /
                          n_evaluations;
                 });
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Speed of TIP3P water clusters");
  bool as_json = false;
  std::vector<int> sizes{7, 100};
  app.add_flag("--json", as_json, "one JSON object instead of a table");
  app.add_option("--molecules", sizes, "numbers of molecules");
  CLI11_PARSE(app, argc, argv);

  ZhangSkeel::Settings stiff_split;
  stiff_split.form = ZhangSkeel::Form::stiff_split;
  stiff_split.stiff_terms = {"penalised"};
  nlohmann::json results;
  for (const int n : sizes)
  {
    const Cluster cluster(n);
    const int n_steps = std::max(20, static_cast<int>(2e7 / (n * n * 9 + 2000)));
    const double plain = plain_forces(*cluster.rigid, n_steps), forces = our_forces(*cluster.rigid, n_steps);
    auto &row = results[fmt::format("{}_molecules", n)];
    row["plain_forces_microseconds"] = plain / 1000;
    row["forces_microseconds"] = forces / 1000;
    if (!as_json)
      fmt::print("{} molecules: forces {:.2f} us, by a plain loop {:.2f} us, ratio {:.2f}\n", n, forces / 1000, plain / 1000,
                 forces / plain);
    const auto report = [&](const std::string &name, const StepTime &time)
    {
      auto &entry = row[name];
      entry = {{"microseconds", time.nanoseconds / 1000},
               {"steps_per_second", 1e9 / time.nanoseconds},
               {"ratio_to_plain_forces", time.nanoseconds / plain}};
      if (!as_json)
        fmt::print("  {:<28}{:>10.2f} us{:>12.0f} steps/s{:>8.2f} plain evaluations\n", name, time.nanoseconds / 1000,
                   1e9 / time.nanoseconds, time.nanoseconds / plain);
      return &entry;
    };
    report("shake", time_a_step(*cluster.rigid, [] { return std::make_unique<Shake>(); }, n_steps));
    report("shake_without_clusters",
           time_a_step(*cluster.rigid, [] { return std::make_unique<Shake>(ConstraintSolver::Method::general); }, n_steps / 4));
    report("rattle", time_a_step(*cluster.rigid, [] { return std::make_unique<Rattle>(); }, n_steps));
    const auto time_stiff_split = [&](const std::string &name, ShiftedSolver::Method method, int steps)
    {
      stiff_split.solver.method = method;
      const StepTime time = time_a_step(*cluster.stiff, [&] { return std::make_unique<ZhangSkeel>(stiff_split); }, steps);
      auto &entry = *report(name, time);
      const double total = 1e-9 * time.nanoseconds * value_of(time.summary, "n_linear_solves");
      const double solves =
        value_of(time.summary, "factorisation_seconds") + value_of(time.summary, "linear_solve_seconds");
      entry["part_of_linear_solves"] = solves / total;
      entry["part_of_assembly"] = value_of(time.summary, "assembly_seconds") / total;
      if (!as_json)
        fmt::print("  {:<28}{:>9.1f} % linear solves, {:.1f} % assembly\n", "", 100 * solves / total,
                   100 * value_of(time.summary, "assembly_seconds") / total);
    };
    time_stiff_split("stiff_split", ShiftedSolver::Method::automatic, n_steps);
    time_stiff_split("stiff_split_sparse", ShiftedSolver::Method::direct, n_steps / 4);
  }
  if (as_json) fmt::print("{}\n", results.dump(2));
  return 0;
}

#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

/// Microseconds a step and pendulum of a chain of n pendula (TO 4.2), by SHAKE on rigid rods and by linearly implicit and implicit
/// methods on stiff ones; beside a step of velocity Verlet on the same stiff rods, which must be much shorter. A linear cost
/// keeps the numbers of a column constant.
namespace
{
using namespace freefall;

constexpr double time_step = 0.01;

/// Straight and askew, at rest. The tension of the rods grows with n, and the penalty with it, so that they are stretched alike.
std::unique_ptr<ParticleSystem> chain(int n, bool is_rigid)
{
  std::vector<Particle> beads;
  for (int i = 1; i <= n; ++i) beads.push_back({std::to_string(i), 1, 0, {1. * i, -2. * i, 0}});
  auto system = std::make_unique<ParticleSystem>(2, beads);
  particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  auto set = std::make_shared<ConstraintSet>();
  const double length = std::sqrt(5.);
  const auto form = DistanceConstraint::Form::square;
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("rod", {0, 1}, {0, 0}, length, form)));
  for (int i = 1; i < n; ++i)
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::between("rod", {2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1}, length, form)));
  if (is_rigid)
    system->set_constraints(set);
  else
    system->penalise(set, 20 * std::sqrt(n / 10.));
  return system;
}

/// The best of three runs, in microseconds a step.
double microseconds_a_step(const System &system, OneStepMethod &method, double dt, int n_steps)
{
  double best = 1e300;
  for (int repetition = 0; repetition < 3; ++repetition)
  {
    State now = system.initial_state(), next = now;
    method.start(system, now);
    method.step(now, dt, next);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < n_steps; ++i)
    {
      now.q.swap(next.q);
      now.v.swap(next.v);
      method.step(now, dt, next);
    }
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / n_steps);
  }
  return best;
}

std::unique_ptr<OneStepMethod> newmark(std::optional<int> n_iterations)
{
  ImplicitNewmark::Settings settings;
  settings.beta = 0.4;
  settings.newton.fixed_iterations = n_iterations;
  return std::make_unique<ImplicitNewmark>(settings);
}

std::unique_ptr<OneStepMethod> zhang_skeel(ZhangSkeel::Form form)
{
  ZhangSkeel::Settings settings;
  settings.beta = 0.4;
  settings.form = form;
  return std::make_unique<ZhangSkeel>(settings);
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Time a step of a chain of pendula");
  bool as_json = false;
  int largest = 10000;
  app.add_flag("--json", as_json, "one JSON object");
  app.add_option("--pendula", largest, "longest chain");
  CLI11_PARSE(app, argc, argv);

  const std::vector<std::pair<std::string, std::function<std::unique_ptr<OneStepMethod>()>>> methods{
    {"SHAKE", [] { return std::make_unique<Shake>(); }},
    {"Zhang-Skeel", [] { return zhang_skeel(ZhangSkeel::Form::full); }},
    {"simplified", [] { return zhang_skeel(ZhangSkeel::Form::simplified); }},
    {"Newmark, 1", [] { return newmark(1); }},
    {"Newmark", [] { return newmark(std::nullopt); }}};
  nlohmann::json result;
  if (!as_json) fmt::print("{:>7} {:>14}", "pendula", "Verlet us/step");
  for (const auto &method : methods)
    if (!as_json) fmt::print(" {:>14} {:>7} {:>8}", method.first + " us", "/bead", "/Verlet");
  if (!as_json) fmt::print("\n");
  for (int n = 10; n <= largest; n *= 10)
  {
    const int n_steps = std::max(10, 20000 / n);
    const auto stiff = chain(n, false), rigid = chain(n, true);
    VelocityVerlet verlet;
    const double baseline = microseconds_a_step(*stiff, verlet, 1e-4, n_steps);
    nlohmann::json row{{"pendula", n}, {"verlet_microseconds", baseline}};
    if (!as_json) fmt::print("{:7} {:14.3f}", n, baseline);
    for (const auto &[name, make] : methods)
    {
      const auto method = make();
      const double time = microseconds_a_step(name == "SHAKE" ? *rigid : *stiff, *method, time_step, n_steps);
      row[name] = {{"microseconds", time}, {"microseconds_per_pendulum", time / n}, {"ratio_to_verlet", time / baseline}};
      if (!as_json) fmt::print(" {:14.2f} {:7.3f} {:8.1f}", time, time / n, time / baseline);
    }
    if (!as_json) fmt::print("\n");
    result["rows"].push_back(row);
  }
  if (as_json) fmt::print("{}\n", result.dump());
}

#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/integrators/constrained/constrained_energy_momentum.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

/// Microseconds a step and link of a chain of rigid links, and how they grow with the length of the chain; beside a step of
/// velocity Verlet on the same particles without links. A linear cost keeps the numbers of a column constant.
namespace
{
using namespace freefall;

/// Links of length 1 in an arc of radius n / 3, one end fixed, under gravity.
std::unique_ptr<ParticleSystem> chain(int n_links, bool has_links)
{
  std::vector<Particle> particles;
  const double angle = 3. / n_links, radius = 0.5 / std::sin(angle / 2);
  for (int i = 0; i <= n_links; ++i)
    particles.push_back({std::to_string(i), 1, 0, {radius * (1 - std::cos(angle * i)), -radius * std::sin(angle * i), 0}});
  auto system = std::make_unique<ParticleSystem>(2, particles);
  for (int axis = 0; axis < 2; ++axis) system->fix(0, axis);
  particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  if (!has_links) return system;
  auto set = std::make_shared<ConstraintSet>();
  for (int i = 0; i < n_links; ++i)
    set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between(
      "link", {2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3}, 1, DistanceConstraint::Form::half_square)));
  system->set_constraints(set);
  return system;
}

/// The best of three runs, in microseconds a step.
double microseconds_a_step(const System &system, const std::function<std::unique_ptr<OneStepMethod>()> &make, int n_steps)
{
  double best = 1e300;
  for (int repetition = 0; repetition < 3; ++repetition)
  {
    const double dt = 0.01;
    FixedStepIntegrator integrator(make(), dt);
    State state = system.initial_state();
    integrator.initialize(system, state);
    const auto start = std::chrono::steady_clock::now();
    integrator.advance(state, n_steps * dt);
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / n_steps);
  }
  return best;
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Time a step of a chain of rigid links");
  bool as_json = false;
  int largest = 10000;
  app.add_flag("--json", as_json, "one JSON object");
  app.add_option("--links", largest, "longest chain");
  CLI11_PARSE(app, argc, argv);

  const std::vector<std::pair<std::string, std::function<std::unique_ptr<OneStepMethod>()>>> methods{
    {"RATTLE", [] { return std::make_unique<Rattle>(); }},
    {"energy-momentum", [] { return std::make_unique<ConstrainedEnergyMomentum>(); }},
    {"Hamilton-Dirac RK4",
     [] { return std::make_unique<ConstrainedOdeMethod>(ConstrainedOde::Formulation::hamilton_dirac, 0); }}};
  nlohmann::json result;
  if (!as_json) fmt::print("{:>7} {:>14}", "links", "Verlet us/step");
  for (const auto &method : methods)
    if (!as_json) fmt::print(" {:>20} {:>7} {:>8}", method.first + " us", "/link", "/Verlet");
  if (!as_json) fmt::print("\n");
  for (int n = 10; n <= largest; n *= 10)
  {
    const int n_steps = std::max(5, 20000 / n);
    const auto free = chain(n, false), linked = chain(n, true);
    const double baseline = microseconds_a_step(*free, [] { return std::make_unique<VelocityVerlet>(); }, n_steps);
    nlohmann::json row{{"links", n}, {"verlet_microseconds", baseline}};
    if (!as_json) fmt::print("{:7} {:14.3f}", n, baseline);
    for (const auto &[name, make] : methods)
    {
      const double time = microseconds_a_step(*linked, make, n_steps);
      row[name] = {{"microseconds", time}, {"microseconds_per_link", time / n}, {"ratio_to_verlet", time / baseline}};
      if (!as_json) fmt::print(" {:20.2f} {:7.3f} {:8.1f}", time, time / n, time / baseline);
    }
    if (!as_json) fmt::print("\n");
    result["rows"].push_back(row);
  }
  if (as_json) fmt::print("{}\n", result.dump());
}

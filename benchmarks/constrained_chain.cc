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

/// Microseconds a step and rod of a hanging chain and of a net of rods held along one edge, and how they grow; beside a step of
/// velocity Verlet on the same particles without rods. A linear cost keeps the numbers of a column constant, and the exponent,
/// that of the last two rows, at 1.
namespace
{
using namespace freefall;

/// Links of length 1 in an arc of radius n / 3, one end fixed, under gravity.
std::unique_ptr<ParticleSystem> make_chain(int n_links, bool has_links)
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

/// n x n knots in space at distance 1, with a ripple so that no constraints are dependent, the first row held, under gravity.
std::unique_ptr<ParticleSystem> make_net(int n, bool has_rods)
{
  std::vector<Particle> particles;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      particles.push_back({std::to_string(n * j + i), 1, 0, {1. * i, 1. * j, 0.2 * std::sin(1.3 * i) * std::cos(0.9 * j)}});
  auto system = std::make_unique<ParticleSystem>(3, particles);
  for (int i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) system->fix(i, axis);
  particle_potentials::add_uniform_gravity(*system, {0, 0, -1});
  if (!has_rods) return system;
  auto set = std::make_shared<ConstraintSet>();
  const auto rod = [&](int a, int b)
  {
    const double length = (particles[a].position - particles[b].position).norm();
    set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between(
      "rod", {3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2}, length, DistanceConstraint::Form::half_square)));
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
    {
      if (j + 1 < n) rod(n * j + i, n * (j + 1) + i);
      if (j > 0 && i + 1 < n) rod(n * j + i, n * j + i + 1);
    }
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
  CLI::App app("Time a step of chains and nets of rigid rods");
  bool as_json = false;
  int largest = 10000, widest = 40;
  app.add_flag("--json", as_json, "one JSON object");
  app.add_option("--links", largest, "longest chain");
  app.add_option("--knots", widest, "widest net: knots along an edge");
  CLI11_PARSE(app, argc, argv);

  const std::vector<std::pair<std::string, std::function<std::unique_ptr<OneStepMethod>()>>> methods{
    {"RATTLE", [] { return std::make_unique<Rattle>(); }},
    {"energy-momentum", [] { return std::make_unique<ConstrainedEnergyMomentum>(); }},
    {"Hamilton-Dirac RK4",
     [] { return std::make_unique<ConstrainedOdeMethod>(ConstrainedOde::Formulation::hamilton_dirac, 0); }}};
  nlohmann::json result;
  const auto print_table = [&](const std::string &what, const std::vector<int> &sizes, const auto &make_system)
  {
    if (!as_json)
    {
      fmt::print("{}\n{:>7} {:>14}", what, "rods", "Verlet us/step");
      for (const auto &method : methods) fmt::print(" {:>20} {:>7} {:>8} {:>8}", method.first + " us", "/rod", "/Verlet", "exponent");
      fmt::print("\n");
    }
    std::vector<double> before(methods.size());
    int n_before = 0;
    for (const int size : sizes)
    {
      const auto free = make_system(size, false), linked = make_system(size, true);
      const int n = linked->constraints()->size(), n_steps = std::max(5, 20000 / n);
      const double baseline = microseconds_a_step(*free, [] { return std::make_unique<VelocityVerlet>(); }, n_steps);
      nlohmann::json row{{"rods", n}, {"verlet_microseconds", baseline}};
      if (!as_json) fmt::print("{:7} {:14.3f}", n, baseline);
      for (std::size_t i = 0; i < methods.size(); ++i)
      {
        const double time = microseconds_a_step(*linked, methods[i].second, n_steps);
        const double exponent = n_before > 0 ? std::log(time / before[i]) / std::log(static_cast<double>(n) / n_before) : 0;
        before[i] = time;
        row[methods[i].first] = {{"microseconds", time}, {"microseconds_per_rod", time / n}, {"ratio_to_verlet", time / baseline}};
        if (n_before > 0) row[methods[i].first]["exponent"] = exponent;
        if (!as_json)
          fmt::print(" {:20.2f} {:7.3f} {:8.1f} {:>8}", time, time / n, time / baseline,
                     n_before > 0 ? fmt::format("{:.2f}", exponent) : "");
      }
      n_before = n;
      if (!as_json) fmt::print("\n");
      result[what].push_back(row);
    }
  };
  std::vector<int> lengths, widths;
  for (int n = 10; n <= largest; n *= 10) lengths.push_back(n);
  for (int n = 5; n <= widest; n *= 2) widths.push_back(n);
  print_table("chain", lengths, make_chain);
  print_table("net", widths, make_net);
  if (as_json) fmt::print("{}\n", result.dump());
}

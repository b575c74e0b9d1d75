#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/langevin_method.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_potentials.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "constrained_problems.h"
#include "particle_problems.h"

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;

HeatBath::Settings bath_of(double thermal_energy, double friction, std::uint64_t seed = 1)
{
  HeatBath::Settings settings;
  settings.temperature = thermal_energy;
  settings.boltzmann_constant = 1;
  settings.friction = friction;
  settings.seed = seed;
  return settings;
}

/// Many oscillators of frequencies 1 to 2 and masses 1 to 3, which do not know of each other.
std::unique_ptr<ParticleSystem> oscillators(int n)
{
  std::vector<Particle> particles;
  for (int i = 0; i < n; ++i) particles.push_back({std::to_string(i), 1. + i % 3});
  auto system = std::make_unique<ParticleSystem>(1, particles);
  particle_potentials::add_on_site(*system, "q^2/2");
  return system;
}

/// Mean and standard error of numbers that are independent.
struct Mean
{
  double value, error;
  explicit Mean(const std::vector<double> &numbers)
  {
    const double n = static_cast<double>(numbers.size());
    double sum = 0, squares = 0;
    for (const double number : numbers) sum += number;
    value = sum / n;
    for (const double number : numbers) squares += std::pow(number - value, 2);
    error = std::sqrt(squares / (n - 1) / n);
  }
};

State run_in_bath(const System &system, std::unique_ptr<OneStepMethod> method, const HeatBath::Settings &settings, double dt, int n_steps)
{
  HeatBath bath(settings);
  FixedStepIntegrator integrator(std::move(method), dt);
  integrator.couple(bath);
  State state = system.initial_state();
  integrator.initialize(system, state);
  integrator.advance(state, n_steps * dt);
  return state;
}

const Make verlet = [] { return std::make_unique<VelocityVerlet>(); };
const Make zhang_skeel = [] { return std::make_unique<ZhangSkeel>(ZhangSkeel::Settings{}); };
const Make fourth_order = []
{ return std::make_unique<Composition>(std::make_unique<VelocityVerlet>(), Composition::Kind::suzuki, 4); };
}  // namespace

BOOST_AUTO_TEST_SUITE(langevin)

BOOST_AUTO_TEST_CASE(harmonic_oscillators_share_the_heat_equally)
{
  // k_B T / 2 for each square: the positions' too. dt = 0.1: positions are off by (omega dt)^2 / 4 < 0.3 %, the accuracy of a
  // modified energy; the standard error is about 0.5 %.
  const double thermal_energy = 0.7, dt = 0.1;
  const int n = 200, n_steps = 12000, n_begin = 1000;
  const auto system = oscillators(n);
  for (const auto &[name, make] : {std::pair<const char *, Make>{"Verlet", verlet}, {"Zhang-Skeel", zhang_skeel}})
  {
    HeatBath bath(bath_of(thermal_energy, 0.8, 7));
    FixedStepIntegrator integrator(make(), dt);
    integrator.couple(bath);
    State state = system->initial_state();
    integrator.initialize(*system, state);
    std::vector<double> kinetic(n), potential(n), product(n);
    for (int step = 1; step <= n_steps; ++step)
    {
      integrator.advance(state, step * dt);
      if (step <= n_begin) continue;
      for (int i = 0; i < n; ++i)
      {
        kinetic[i] += system->diagonal_mass()[i] * state.v[i] * state.v[i] / (n_steps - n_begin);
        potential[i] += state.q[i] * state.q[i] / (n_steps - n_begin);
        product[i] += state.q[i] * state.v[i] / (n_steps - n_begin);
      }
    }
    const Mean of_velocities(kinetic), of_positions(potential), mixed(product);
    BOOST_TEST_MESSAGE(name << ": m v^2 " << of_velocities.value << " +- " << of_velocities.error << ", k q^2 " << of_positions.value
                            << " +- " << of_positions.error << ", q v " << mixed.value << " +- " << mixed.error);
    BOOST_TEST(std::abs(of_velocities.value - thermal_energy) < 3 * of_velocities.error);
    BOOST_TEST(std::abs(of_positions.value - thermal_energy) < 3 * of_positions.error + 0.0025 * thermal_energy);
    BOOST_TEST(of_velocities.error < 0.005 * thermal_energy);
    BOOST_TEST(of_positions.error < 0.01 * thermal_energy);
  }
}

BOOST_AUTO_TEST_CASE(without_forces_the_flow_of_the_bath_is_exact)
{
  // v(t) = exp(-r t) v(0) + noise of variance (1 - exp(-2 r t)) T/m, however t is cut into steps.
  const int n = 4000;
  std::vector<Particle> particles;
  for (int i = 0; i < n; ++i) particles.push_back({std::to_string(i), i % 2 ? 2. : 0.5, 0, {0, 0, 0}, {3, 0, 0}});
  const ParticleSystem system(1, particles);
  const double thermal_energy = 1.3, friction = 0.9, time = 1;
  for (const auto form : {HeatBath::Friction::mass_proportional, HeatBath::Friction::uniform})
    for (const int n_steps : {1, 20})
    {
      auto settings = bath_of(thermal_energy, friction, 11);
      settings.form = form;
      const State state = run_in_bath(system, verlet(), settings, time / n_steps, n_steps);
      for (const int parity : {0, 1})
      {
        const double mass = parity ? 2 : 0.5, rate = form == HeatBath::Friction::uniform ? friction / mass : friction;
        std::vector<double> values, squares;
        for (int i = parity; i < n; i += 2)
        {
          values.push_back(state.v[i]);
          squares.push_back(std::pow(state.v[i] - 3 * std::exp(-rate * time), 2));
        }
        const Mean mean(values), variance(squares);
        BOOST_TEST(std::abs(mean.value - 3 * std::exp(-rate * time)) < 3 * mean.error);
        BOOST_TEST(std::abs(variance.value + std::expm1(-2 * rate * time) * thermal_energy / mass) < 3 * variance.error);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_cold_bath_only_takes_energy_and_books_it)
{
  const auto system = particle_problems::bent_molecule();
  HeatBath bath(bath_of(0, 0.5));
  FixedStepIntegrator integrator(fourth_order(), 0.02);
  integrator.couple(bath);
  State state = system->initial_state();
  integrator.initialize(*system, state);
  const double before = system->energy_balance(state).total();
  BOOST_TEST(integrator.conserved_energy(state).value() == before);
  double heat = 0;
  for (int i = 1; i <= 50; ++i)
  {
    integrator.advance(state, 0.1 * i);
    BOOST_TEST(bath.heat() < heat);
    heat = bath.heat();
  }
  // The method of order 4 has an energy error of some 1e-7 at this step.
  BOOST_TEST(std::abs(integrator.conserved_energy(state).value() - before) < 1e-6);
  BOOST_TEST(std::abs(system->energy_balance(state).total() - before) > 1e-2);
  BOOST_TEST(integrator.observe(state).back().name == "heat");
  BOOST_TEST(integrator.observe(state).back().value == heat);
}

BOOST_AUTO_TEST_CASE(the_account_of_heat_closes_as_well_as_the_method_keeps_the_energy)
{
  const auto system = particle_problems::coupled_well();
  const auto largest_gap = [&](const Make &make, double dt)
  {
    HeatBath bath(bath_of(0.02, 0.3, 5));
    FixedStepIntegrator integrator(make(), dt);
    integrator.couple(bath);
    State state = system->initial_state();
    integrator.initialize(*system, state);
    const double before = *integrator.conserved_energy(state);
    double gap = 0;
    for (int i = 1; i <= 40; ++i)
    {
      integrator.advance(state, 0.1 * i);
      gap = std::max(gap, std::abs(*integrator.conserved_energy(state) - before));
    }
    BOOST_TEST(std::abs(bath.heat()) > 1e-3);
    return gap;
  };
  const double coarse = largest_gap(verlet, 0.05), fine = largest_gap(verlet, 0.0125), best = largest_gap(fourth_order, 0.0125);
  BOOST_TEST_MESSAGE("gap of the account: " << coarse << ", " << fine << " at a quarter of the step, " << best << " by order 4");
  // Other noise at another step: the gaps fall by 16 on the average.
  BOOST_TEST(fine < coarse / 5);
  BOOST_TEST(best < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_seed_gives_one_run_and_another_seed_another)
{
  const auto system = particle_problems::bent_molecule();
  const State first = run_in_bath(*system, verlet(), bath_of(0.1, 0.4, 3), 0.01, 200);
  const State again = run_in_bath(*system, verlet(), bath_of(0.1, 0.4, 3), 0.01, 200);
  const State other = run_in_bath(*system, verlet(), bath_of(0.1, 0.4, 4), 0.01, 200);
  BOOST_TEST((first.q == again.q));
  BOOST_TEST((first.v == again.v));
  BOOST_TEST(particle_problems::distance(first, other) > 0.01);
}

BOOST_AUTO_TEST_CASE(what_is_saved_goes_on_bit_for_bit)
{
  const auto free_system = particle_problems::bent_molecule();
  const auto constrained = constrained_problems::double_pendulum();
  struct Case
  {
    std::string name;
    const System *system;
    std::function<std::unique_ptr<Integrator>()> make;
  };
  const auto fixed = [](const Make &make)
  { return [make] { return std::make_unique<FixedStepIntegrator>(make(), 0.01); }; };
  const std::vector<Case> cases{
    {"Verlet", free_system.get(), fixed(verlet)},
    {"order 4", free_system.get(), fixed(fourth_order)},
    {"Zhang-Skeel", free_system.get(), fixed(zhang_skeel)},
    {"explicit Newmark", free_system.get(),
     []
     {
       ExplicitNewmark::Settings settings;
       settings.check_interval = 7;
       return std::make_unique<ExplicitNewmark>(settings);
     }},
    {"RATTLE", constrained.get(), fixed([] { return std::make_unique<Rattle>(); })},
    {"SHAKE", constrained.get(), fixed([] { return std::make_unique<Shake>(); })}};
  for (const Case &which : cases)
  {
    HeatBath bath(bath_of(0.2, 0.5, 9)), other_bath(bath_of(0.2, 0.5, 9));
    auto integrator = which.make(), other = which.make();
    integrator->couple(bath);
    other->couple(other_bath);
    State state = which.system->initial_state();
    integrator->initialize(*which.system, state);
    for (const double time : {0.2, 0.25, 0.7}) integrator->advance(state, time);
    Archive saved;
    integrator->archive(saved, state);
    State loaded_state = state;
    other->initialize(*which.system, which.system->initial_state());
    Archive loaded(saved.bytes());
    other->archive(loaded, loaded_state);
    loaded.finish();
    integrator->advance(state, 1.5);
    other->advance(loaded_state, 1.5);
    BOOST_TEST((state.q == loaded_state.q), which.name);
    BOOST_TEST((state.v == loaded_state.v), which.name);
    BOOST_TEST(bath.heat() == other_bath.heat(), which.name);
    BOOST_TEST(bath.heat() != 0);
  }
}

BOOST_AUTO_TEST_CASE(constraints_stay_and_their_degrees_of_freedom_get_the_heat)
{
  // Rods in space: two points with 5 degrees of freedom, k_B T / 2 each, and nothing along the rod. No forces: RATTLE then adds no
  // error to the velocities' distribution.
  const int n = 100;
  std::vector<Particle> particles;
  for (int i = 0; i < 2 * n; ++i) particles.push_back({std::to_string(i), i % 2 ? 1. : 3., 0, {1. * i, 0, 0}});
  ParticleSystem system(3, particles);
  auto set = std::make_shared<ConstraintSet>();
  for (int i = 0; i < n; ++i)
  {
    std::vector<int> dofs;
    for (int k = 0; k < 6; ++k) dofs.push_back(6 * i + k);
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::between("rod", dofs, 1, DistanceConstraint::Form::half_square)));
  }
  system.set_constraints(set);
  system.set_boltzmann_constant(1);
  BOOST_TEST(system.n_degrees_of_freedom() == 5 * n);
  const double thermal_energy = 0.4;
  for (const bool by_shake : {false, true})
  {
    HeatBath bath(bath_of(thermal_energy, 1, 21));
    std::unique_ptr<OneStepMethod> method = std::make_unique<Rattle>();
    if (by_shake) method = std::make_unique<Shake>();
    FixedStepIntegrator integrator(std::move(method), 0.05);
    integrator.couple(bath);
    State state = system.initial_state();
    integrator.initialize(system, state);
    std::vector<double> kinetic(n);
    for (int step = 1; step <= 3000; ++step)
    {
      integrator.advance(state, 0.05 * step);
      const ConstraintResiduals residuals = constraint_residuals(system, state);
      // Rounding of coordinates up to 200.
      BOOST_TEST_REQUIRE(residuals.position < 1e-12);
      BOOST_TEST_REQUIRE(residuals.velocity < 1e-12);
      if (step > 200)
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < 6; ++k)
            kinetic[i] += system.diagonal_mass()[6 * i + k] * std::pow(state.v[6 * i + k], 2) / 5 / 2800;
    }
    const Mean temperature(kinetic);
    BOOST_TEST_MESSAGE((by_shake ? "SHAKE: " : "RATTLE: ") << temperature.value << " +- " << temperature.error);
    BOOST_TEST(std::abs(temperature.value - thermal_energy) < 3 * temperature.error);
    BOOST_TEST(temperature.error < 0.01 * thermal_energy);
  }
}

BOOST_AUTO_TEST_CASE(fixed_coordinates_stay_at_rest)
{
  const auto system = oscillators(4);
  system->fix(2, 0);
  BOOST_TEST(system->n_degrees_of_freedom() == 3);
  const State state = run_in_bath(*system, verlet(), bath_of(1, 1), 0.1, 50);
  for (const int i : {0, 1, 3}) BOOST_TEST(state.v[i] != 0);
  BOOST_TEST(state.v[2] == 0);
  BOOST_TEST(state.q[2] == 0);
}

BOOST_AUTO_TEST_CASE(uniform_friction_does_not_go_with_constraints)
{
  auto settings = bath_of(1, 1);
  settings.form = HeatBath::Friction::uniform;
  HeatBath bath(settings);
  FixedStepIntegrator integrator(std::make_unique<Rattle>(), 0.01);
  integrator.couple(bath);
  const auto system = constrained_problems::double_pendulum();
  BOOST_CHECK_EXCEPTION(integrator.initialize(*system, system->initial_state()), InputError, [](const InputError &error)
                        { return std::string(error.what()).find("mass proportional") != std::string::npos; });
}

BOOST_AUTO_TEST_SUITE_END()

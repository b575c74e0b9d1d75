#pragma once

#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <memory>

/// Small nonlinear problems on which integrators are measured.
namespace particle_problems
{
using freefall::FixedStepIntegrator;
using freefall::OneStepMethod;
using freefall::Particle;
using freefall::ParticleSystem;
using freefall::State;

/// One particle of mass 1.3 in a field that is not a sum of functions of single coordinates. Smooth and bounded at this energy.
inline std::unique_ptr<ParticleSystem> coupled_well()
{
  auto system = std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"ball", 1.3, 0, {0.3, -0.2, 0}, {0.1, 0.35, 0}}});
  freefall::particle_potentials::add_external_field(*system, "(x^2 + y^2)/2 + x^2*y - y^3/3 + 0.3*x^2*y^2");
  return system;
}

/// Three particles in the plane with quartic bonds and an angle: translations and rotations are symmetries.
inline std::unique_ptr<ParticleSystem> bent_molecule()
{
  auto system = std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"left", 1, 0, {-0.9, 0.5, 0}, {0.1, 0.2, 0}},
                                                                          {"middle", 2, 0, {0.05, 0, 0}, {0, -0.15, 0}},
                                                                          {"right", 1.5, 0, {0.8, 0.6, 0}, {0.05, 0.2, 0}}});
  freefall::particle_potentials::add_bonds(*system, {{0, 1}, {1, 2}},
                                           std::vector<freefall::laws::QuarticBond>{{4, -2, 3, 1}, {5, -2, 3, 0.9}});
  freefall::particle_potentials::add_angles(*system, {{0, 1, 2, 0.8, 1.8}});
  return system;
}

inline State run(const freefall::System &system, std::unique_ptr<OneStepMethod> method, double dt, int n_steps)
{
  State state = system.initial_state();
  FixedStepIntegrator integrator(std::move(method), dt);
  integrator.initialize(system, state);
  integrator.advance(state, state.time + n_steps * dt);
  return state;
}

/// Distance in phase space.
inline double distance(const State &a, const State &b) { return (a.q - b.q).norm() + (a.v - b.v).norm(); }
}  // namespace particle_problems

#pragma once

#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

/// The pendula of TO 4.1 and 4.2: masses and gravity 1, g = r^2 - L^2; rigid with omega = 0, else penalised.
namespace pendulum_problems
{
using freefall::ConstraintSet;
using freefall::DistanceConstraint;
using freefall::Particle;
using freefall::ParticleSystem;

inline std::unique_ptr<ParticleSystem> chain(const std::vector<Particle> &beads, double omega)
{
  auto system = std::make_unique<ParticleSystem>(2, beads);
  freefall::particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  auto set = std::make_shared<ConstraintSet>();
  const auto form = DistanceConstraint::Form::square;
  set->add(std::make_unique<DistanceConstraint>(
    DistanceConstraint::from_point("rod 1", {0, 1}, {0, 0}, beads[0].position.norm(), form)));
  for (int i = 1; i < static_cast<int>(beads.size()); ++i)
    set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("rod " + std::to_string(i + 1),
                                                                              {2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1},
                                                                              (beads[i].position - beads[i - 1].position).norm(), form)));
  if (omega > 0)
    system->penalise(set, omega);
  else
    system->set_constraints(set);
  return system;
}

/// TO Figure 1: L1 = 1 hangs, L2 = sqrt(2) is 45 degrees off, at rest.
inline std::unique_ptr<ParticleSystem> double_pendulum(double omega)
{
  return chain({{"upper", 1, 0, {0, -1, 0}, {0, 0, 0}}, {"lower", 1, 0, {1, -2, 0}, {0, 0, 0}}}, omega);
}

/// TO Figure 3: a straight chain that hangs askew, at rest.
inline std::unique_ptr<ParticleSystem> straight_chain(int n, double omega)
{
  std::vector<Particle> beads;
  for (int i = 1; i <= n; ++i) beads.push_back({std::to_string(i), 1, 0, {1. * i, -2. * i, 0}, {0, 0, 0}});
  return chain(beads, omega);
}
}  // namespace pendulum_problems

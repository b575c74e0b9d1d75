#pragma once

#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <memory>
#include <string>
#include <vector>

namespace freefall::test
{
constexpr double argon_epsilon = 1654028.284;  ///< 119.8 K times 1.380658e-23 J/K, in 1e-27 J

/// The seven atoms of GSO Table I; nm, ns, 1e-27 kg.
inline std::unique_ptr<ParticleSystem> argon()
{
  const double table[7][4] = {{0, 0, -30, -20},      {0.02, 0.39, 50, -90},    {0.34, 0.17, -70, -60}, {0.36, -0.21, 90, 40},
                              {-0.02, -0.4, 80, 90}, {-0.35, -0.16, -40, 100}, {-0.31, 0.21, -80, -60}};
  std::vector<Particle> atoms;
  for (const auto &row : table)
    atoms.push_back({"atom " + std::to_string(atoms.size() + 1), 66.34, 0, {row[0], row[1], 0}, {row[2], row[3], 0}});
  auto system = std::make_unique<ParticleSystem>(2, atoms);
  particle_potentials::add_lennard_jones(*system, {argon_epsilon, 0.341});
  return system;
}
}  // namespace freefall::test

#pragma once

#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

/// Systems with constraints on which integrators are measured.
namespace constrained_problems
{
using freefall::ConstraintSet;
using freefall::DistanceConstraint;
using freefall::Particle;
using freefall::ParticleSystem;
using freefall::State;
using Form = DistanceConstraint::Form;

/// All of mass, length and gravity 1 in the plane, at rest length: S section 6, R section 8.
inline std::unique_ptr<ParticleSystem> pendulum(double x, double y, double vx, double vy, Form form = Form::half_square)
{
  auto system = std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"bob", 1, 0, {x, y, 0}, {vx, vy, 0}}});
  freefall::particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("rod", {0, 1}, {0, 0}, 1, form)));
  system->set_constraints(set);
  return system;
}

constexpr double upper_mass = 1.3, lower_mass = 0.7, upper_length = 1, lower_length = 0.8;

/// Cartesian coordinates of a double pendulum from two angles and their rates.
inline State double_pendulum_state(const Eigen::Vector4d &angles)
{
  State state;
  state.q.resize(4);
  state.v.resize(4);
  const double a = angles[0], b = angles[1], da = angles[2], db = angles[3];
  state.q << upper_length * std::sin(a), -upper_length * std::cos(a), 0, 0;
  state.v << upper_length * da * std::cos(a), upper_length * da * std::sin(a), 0, 0;
  state.q.tail(2) = state.q.head(2) + lower_length * Eigen::Vector2d(std::sin(b), -std::cos(b));
  state.v.tail(2) = state.v.head(2) + lower_length * db * Eigen::Vector2d(std::cos(b), std::sin(b));
  return state;
}

/// Two rods and two masses in the plane, with gravity and a field that couples the coordinates.
inline std::unique_ptr<ParticleSystem> double_pendulum(const Eigen::Vector4d &angles = {1.2, 0.4, 0.5, -0.9},
                                                       Form form = Form::half_square)
{
  const State state = double_pendulum_state(angles);
  auto system = std::make_unique<ParticleSystem>(
    2, std::vector<Particle>{
         {"upper", upper_mass, 0, {state.q[0], state.q[1], 0}, {state.v[0], state.v[1], 0}},
         {"lower", lower_mass, 0, {state.q[2], state.q[3], 0}, {state.v[2], state.v[3], 0}}});
  freefall::particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  freefall::particle_potentials::add_external_field(*system, "0.2*x^2*y + 0.1*sin(x)");
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("upper rod", {0, 1}, {0, 0}, upper_length, form)));
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("lower rod", {0, 1, 2, 3}, lower_length, form)));
  system->set_constraints(set);
  return system;
}

/// Two rods joined by two springs, G99 section 4.
inline std::unique_ptr<ParticleSystem> four_particles(Form form = Form::length)
{
  const double mass[] = {1, 3, 2.3, 1.7};
  auto system = std::make_unique<ParticleSystem>(3, std::vector<Particle>{{"1", mass[0], 0, {0, 0, 0}, {0, 0, 0}},
                                                                          {"2", mass[1], 0, {1, 0, 0}, {0, 0, 0}},
                                                                          {"3", mass[2], 0, {0, 1, 0}, {0, 0, 0}},
                                                                          {"4", mass[3], 0, {1, 1, 0}, {0, 0, 2 / mass[3]}}});
  // K/4 (r^2 - 1)^2 = K (s^2 + s^3 + s^4/4) with s = r - 1: a quartic bond.
  freefall::particle_potentials::add_bonds(
    *system, {{0, 2}, {1, 3}}, std::vector<freefall::laws::QuarticBond>{{200, 300, 100, 1}, {2000, 3000, 1000, 1}});
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("first", {0, 1, 2, 3, 4, 5}, 1, form)));
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("second", {6, 7, 8, 9, 10, 11}, 1, form)));
  system->set_constraints(set);
  return system;
}

/// A chain of n links of length 1 in the plane, its first particle fixed, horizontal and at rest, under gravity.
inline std::unique_ptr<ParticleSystem> hanging_chain(int n_links)
{
  std::vector<Particle> particles;
  for (int i = 0; i <= n_links; ++i) particles.push_back({std::to_string(i), 1, 0, {static_cast<double>(i), 0, 0}});
  auto system = std::make_unique<ParticleSystem>(2, particles);
  for (int axis = 0; axis < 2; ++axis) system->fix(0, axis);
  freefall::particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  auto set = std::make_shared<ConstraintSet>();
  for (int i = 0; i < n_links; ++i)
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::between("link " + std::to_string(i + 1), {2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3}, 1, Form::half_square)));
  system->set_constraints(set);
  return system;
}
}  // namespace constrained_problems

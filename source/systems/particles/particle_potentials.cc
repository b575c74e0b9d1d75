#include <freefall/core/errors.h>
#include <freefall/potentials/angle_terms.h>
#include <freefall/potentials/constant_forces.h>
#include <freefall/potentials/formula_terms.h>
#include <freefall/potentials/pair_terms.h>
#include <freefall/systems/particles/particle_potentials.h>

#include <fmt/format.h>
#include <numeric>

namespace freefall::particle_potentials
{
namespace
{
/// Calls make(std::integral_constant<int, dim>) with the dimension of the system and adds the terms it returns.
template <typename Make>
void add_in_dimension(ParticleSystem &system, const Make &make)
{
  if (system.dimension() == 1) system.add(make(std::integral_constant<int, 1>()));
  if (system.dimension() == 2) system.add(make(std::integral_constant<int, 2>()));
  if (system.dimension() == 3) system.add(make(std::integral_constant<int, 3>()));
}

/// For each point a number that it shares with the points of its molecule; empty when there are no molecules.
std::vector<int> molecules_of(const ParticleSystem &system, const std::vector<int> &points)
{
  std::vector<int> groups;
  bool has_molecules = false;
  for (const int point : points)
  {
    const int molecule = system.particles()[point].molecule;
    has_molecules = has_molecules || molecule >= 0;
    groups.push_back(molecule >= 0 ? system.n_particles() + molecule : point);
  }
  return has_molecules ? groups : std::vector<int>{};
}

template <typename Law>
void add_pairs(ParticleSystem &system,
               const std::string &kind,
               const Law &law,
               const std::vector<int> &points,
               const std::vector<double> &weights,
               const std::optional<Cutoff> &cutoff = std::nullopt)
{
  if (points.size() < 2) return;
  const std::vector<int> groups = molecules_of(system, points);
  if (!cutoff)
    return add_in_dimension(
      system, [&](auto dim) { return std::make_unique<PairTerms<Law, dim>>(kind, law, points, weights, groups); });
  if (!(cutoff->distance > 0) || !(cutoff->skin >= 0))
    throw InputError(
      fmt::format("the cut-off of each {} is {} and its skin {}: the first must be positive, the second not "
                  "negative",
                  kind, cutoff->distance, cutoff->skin));
  const laws::Truncated<Law> truncated(law, cutoff->distance);
  add_in_dimension(system,
                   [&](auto dim)
                   {
                     auto pairs = std::make_unique<PairTerms<laws::Truncated<Law>, dim>>(kind, truncated, points, weights, groups);
                     if (cutoff->skin > 0) pairs->use_neighbour_list(cutoff->distance, cutoff->skin);
                     return pairs;
                   });
}

std::vector<int> all_particles(const ParticleSystem &system)
{
  std::vector<int> points(system.n_particles());
  std::iota(points.begin(), points.end(), 0);
  return points;
}

template <typename Law>
void add_bond_terms(ParticleSystem &system,
                    const std::string &kind,
                    const std::vector<Bond> &bonds,
                    const std::vector<Law> &laws)
{
  if (bonds.empty()) return;
  add_in_dimension(system,
                   [&](auto dim)
                   {
                     std::vector<typename RadialTerms<Law, dim>::Term> terms;
                     for (const Bond &bond : bonds) terms.push_back({{bond.first, bond.second}, {-1., 1.}});
                     return std::make_unique<RadialTerms<Law, dim>>(kind, laws, terms);
                   });
  for (const Bond &bond : bonds) system.add_line(bond.first, bond.second);
}

std::unique_ptr<LocalTerms> formula_terms(
  const std::string &kind, const Expression &formula, int dofs_per_term, const std::vector<int> &dofs, EnergyAccount account)
{
  if (dofs_per_term == 1) return std::make_unique<FormulaTerms<1>>(kind, formula, FormulaVariables::coordinates, dofs, account);
  if (dofs_per_term == 2) return std::make_unique<FormulaTerms<2>>(kind, formula, FormulaVariables::coordinates, dofs, account);
  return std::make_unique<FormulaTerms<3>>(kind, formula, FormulaVariables::coordinates, dofs, account);
}

std::vector<int> all_dofs(const ParticleSystem &system)
{
  std::vector<int> dofs(system.n_dofs());
  std::iota(dofs.begin(), dofs.end(), 0);
  return dofs;
}
}  // namespace

void add_newtonian_gravity(ParticleSystem &system, double gravitational_constant)
{
  std::vector<double> masses;
  for (const Particle &particle : system.particles()) masses.push_back(particle.mass);
  add_pairs(system, "gravity pair", laws::InverseDistance{-gravitational_constant}, all_particles(system), masses);
}

void add_coulomb(ParticleSystem &system, double coulomb_constant, std::optional<Cutoff> cutoff)
{
  std::vector<int> points;
  std::vector<double> charges;
  for (int i = 0; i < system.n_particles(); ++i)
    if (system.particles()[i].charge != 0)
    {
      points.push_back(i);
      charges.push_back(system.particles()[i].charge);
    }
  add_pairs(system, "Coulomb pair", laws::InverseDistance{coulomb_constant}, points, charges, cutoff);
}

void add_lennard_jones(ParticleSystem &system, const laws::LennardJones &law, std::optional<Cutoff> cutoff)
{
  const std::vector<int> points = all_particles(system);
  add_pairs(system, "Lennard-Jones pair", law, points, std::vector<double>(points.size(), 1.), cutoff);
}

void add_lennard_jones(ParticleSystem &system, const laws::LennardJones &law, const std::vector<int> &particles)
{
  add_pairs(system, "Lennard-Jones pair", law, particles, std::vector<double>(particles.size(), 1.));
}

void add_morse_pairs(ParticleSystem &system, const laws::Morse &law, std::optional<Cutoff> cutoff)
{
  const std::vector<int> points = all_particles(system);
  add_pairs(system, "Morse pair", law, points, std::vector<double>(points.size(), 1.), cutoff);
}

void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::HarmonicBond> &laws)
{
  add_bond_terms(system, "harmonic bond", bonds, laws);
}
void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::QuarticBond> &laws)
{
  add_bond_terms(system, "quartic bond", bonds, laws);
}
void add_bonds(ParticleSystem &system, const std::vector<Bond> &bonds, const std::vector<laws::Morse> &laws)
{
  add_bond_terms(system, "Morse bond", bonds, laws);
}

void add_angles(ParticleSystem &system, const std::vector<Angle> &angles)
{
  if (angles.empty()) return;
  if (system.dimension() == 1) throw InputError("angles need two or three dimensions, not one");
  if (system.dimension() == 2)
  {
    std::vector<AngleTerms<2>::Term> terms;
    for (const Angle &angle : angles)
      terms.push_back({angle.first, angle.vertex, angle.second, angle.stiffness, angle.rest_angle});
    system.add(std::make_unique<AngleTerms<2>>(terms));
    return;
  }
  std::vector<AngleTerms<3>::Term> terms;
  for (const Angle &angle : angles)
    terms.push_back({angle.first, angle.vertex, angle.second, angle.stiffness, angle.rest_angle});
  system.add(std::make_unique<AngleTerms<3>>(terms));
}

void add_central_gravity(ParticleSystem &system, const Eigen::Vector3d &centre, double strength)
{
  add_in_dimension(system,
                   [&](auto dim)
                   {
                     using Terms = RadialTerms<laws::InverseDistance, dim>;
                     std::vector<typename Terms::Term> terms;
                     for (int i = 0; i < system.n_particles(); ++i)
                     {
                       typename Terms::Term term{{i}, {1.}, system.particles()[i].mass};
                       for (int axis = 0; axis < dim; ++axis) term.offset[axis] = -centre[axis];
                       terms.push_back(term);
                     }
                     return std::make_unique<Terms>("central gravity", std::vector<laws::InverseDistance>{{-strength}}, terms);
                   });
}

void add_uniform_gravity(ParticleSystem &system, const Eigen::Vector3d &acceleration)
{
  Eigen::VectorXd forces(system.n_dofs());
  for (int dof = 0; dof < system.n_dofs(); ++dof)
    forces[dof] = system.diagonal_mass()[dof] * acceleration[dof % system.dimension()];
  system.add(std::make_unique<ConstantForces>(forces));
}

void add_external_field(ParticleSystem &system, const std::string &formula)
{
  const std::vector<std::string> names = {"x", "y", "z"};
  const Expression expression(formula, {names.begin(), names.begin() + system.dimension()});
  system.add(formula_terms("external field", expression, system.dimension(), all_dofs(system), EnergyAccount::external));
}

void add_on_site(ParticleSystem &system, const std::string &formula)
{
  system.add(formula_terms("on-site potential", Expression(formula, {"q"}), 1, all_dofs(system), EnergyAccount::internal));
}

void add_nearest_neighbours(ParticleSystem &system, const std::string &formula, bool is_ring)
{
  if (system.dimension() != 1) throw InputError("potentials of nearest neighbours are for lattices in one dimension");
  const int n = system.n_particles();
  std::vector<int> dofs;
  for (int i = 0; i + 1 < n + (is_ring && n > 2 ? 1 : 0); ++i) dofs.insert(dofs.end(), {i, (i + 1) % n});
  system.add(std::make_unique<FormulaTerms<2>>("nearest-neighbour potential", Expression(formula, {"d"}),
                                               FormulaVariables::difference, dofs, EnergyAccount::internal));
}
}  // namespace freefall::particle_potentials

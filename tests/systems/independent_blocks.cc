#include <freefall/constraints/constraint_set.h>
#include <freefall/core/errors.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/water_cluster.h>
#include <freefall/systems/shifted_solver.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
using Method = ShiftedSolver::Method;

ShiftedSolver::Settings stiff_terms(Method method)
{
  ShiftedSolver::Settings settings;
  settings.method = method;
  settings.selection = [](const LocalTerms &terms) { return terms.kind() == "penalised constraint"; };
  return settings;
}

/// A cluster with its geometry as penalties, away from rest.
struct StiffWater
{
  explicit StiffWater(int n_molecules)
  {
    water::Settings settings{n_molecules};
    settings.force_tolerance = 1;
    system = std::make_unique<ParticleSystem>(3, water::make_cluster(settings));
    water::add_potentials(*system);
    auto geometry = std::make_shared<ConstraintSet>();
    water::add_rigid_geometry(*system, *geometry);
    system->penalise(geometry, 40);
    q = system->initial_state().q;
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.01 * std::sin(2. + 7 * i);
  }
  std::unique_ptr<ParticleSystem> system;
  Eigen::VectorXd q;
};

Eigen::VectorXd right_side(Eigen::Index n)
{
  return Eigen::VectorXd::NullaryExpr(n, [](Eigen::Index i) { return std::sin(1. + static_cast<double>(i)); });
}

/// Pairs, triples and single beads with harmonic bonds, in the plane: blocks of 2, 4 and 6 rows.
std::unique_ptr<ParticleSystem> scattered_beads(double rest_length)
{
  std::vector<Particle> beads;
  for (int i = 0; i < 17; ++i) beads.push_back({std::to_string(i), 1 + 0.1 * i, 0, {1.1 * i, 0.3 * (i % 3), 0}});
  auto system = std::make_unique<ParticleSystem>(2, beads);
  std::vector<particle_potentials::Bond> bonds{{0, 1}, {2, 3}, {3, 4}, {6, 7}, {9, 8}, {10, 11}, {10, 12}, {14, 13}};
  particle_potentials::add_bonds(*system, bonds, std::vector<laws::HarmonicBond>(bonds.size(), {5, rest_length}));
  system->fix(3, 0);
  return system;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(independent_blocks)

BOOST_AUTO_TEST_CASE(a_solve_molecule_by_molecule_is_the_sparse_one)
{
  for (const int n_molecules : {1, 7, 12})
  {
    const StiffWater water(n_molecules);
    const Eigen::VectorXd b = right_side(water.q.size());
    Eigen::VectorXd by_blocks, sparse, product;
    ShiftedSolver blocks(*water.system, stiff_terms(Method::automatic)), direct(*water.system, stiff_terms(Method::direct));
    BOOST_TEST((blocks.method() == Method::blocks));
    for (ShiftedSolver *solver : {&blocks, &direct}) solver->assemble(water.q, 1, 0.25 * 0.05 * 0.05);
    blocks.solve(b, 0, by_blocks);
    direct.solve(b, 0, sparse);
    blocks.matrix().multiply(by_blocks, product);
    // Rounding times the condition number, which is about 30: ratio of masses and omega dt.
    BOOST_TEST((by_blocks - sparse).norm() < 1e-13 * sparse.norm());
    BOOST_TEST((product - b).norm() < 1e-13 * b.norm());
    BOOST_TEST((by_blocks - b.cwiseQuotient(water.system->diagonal_mass())).norm() > 0.1 * by_blocks.norm());
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_several_sizes_with_fixed_coordinates_are_solved)
{
  const auto beads = scattered_beads(1);
  const Eigen::VectorXd b = right_side(beads->n_dofs());
  Eigen::VectorXd by_blocks, sparse;
  ShiftedSolver::Settings settings;
  settings.method = Method::blocks;
  ShiftedSolver blocks(*beads, settings);
  settings.method = Method::direct;
  ShiftedSolver direct(*beads, settings);
  for (ShiftedSolver *solver : {&blocks, &direct}) solver->assemble(beads->initial_state().q, 1.5, 0.7);
  blocks.solve(b, 0, by_blocks);
  direct.solve(b, 0, sparse);
  BOOST_TEST((by_blocks - sparse).norm() < 1e-14 * sparse.norm());
  BOOST_TEST(by_blocks[6] == b[6] / (1.5 * beads->diagonal_mass()[6]), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(what_is_no_set_of_blocks_is_solved_otherwise_or_refused)
{
  const StiffWater water(2);
  // All terms: every molecule acts on every other one.
  ShiftedSolver::Settings settings;
  BOOST_TEST((ShiftedSolver(*water.system, settings).method() == Method::direct));
  settings.method = Method::blocks;
  BOOST_CHECK_EXCEPTION(ShiftedSolver(*water.system, settings), InputError, [](const InputError &error)
                        { return std::string(error.what()).find("couple more than 12") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(an_indefinite_block_is_an_error)
{
  // Bonds that are compressed to a fraction of their length push sideways.
  const auto beads = scattered_beads(5);
  ShiftedSolver::Settings settings;
  settings.method = Method::blocks;
  ShiftedSolver solver(*beads, settings);
  Eigen::VectorXd x;
  solver.assemble(beads->initial_state().q, 1, 0.01);
  solver.solve(right_side(beads->n_dofs()), 0, x);
  solver.assemble(beads->initial_state().q, 1, 10);
  BOOST_CHECK_THROW(solver.solve(right_side(beads->n_dofs()), 0, x), IndefiniteOperator);
}

BOOST_AUTO_TEST_SUITE_END()

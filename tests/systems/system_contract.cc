#include <freefall/potentials/constant_forces.h>
#include <freefall/systems/system.h>

#include "integrators/small_systems.h"

#include <boost/test/unit_test.hpp>

using namespace freefall;
using namespace small_systems;

namespace
{
/// A spring under a constant force, with a second dof that is held.
class LoadedSpring : public System
{
public:
  LoadedSpring()
  {
    terms_.push_back(std::make_unique<SpringTerm>(4, 1e300));
    Eigen::VectorXd forces(2);
    forces << 3, 5;
    terms_.push_back(std::make_unique<ConstantForces>(forces));
    diagonal_mass_.resize(2);
    diagonal_mass_ << 1, 2;
    fixed_dofs_ = {1};
    initial_state_.q = Eigen::VectorXd::Ones(2);
    initial_state_.v = Eigen::VectorXd::Unit(2, 0) * 2;
  }
};
}  // namespace

BOOST_AUTO_TEST_SUITE(system_contract)

BOOST_AUTO_TEST_CASE(energies_are_booked_in_their_accounts)
{
  const LoadedSpring system;
  State state = system.initial_state();
  state.q[0] = 2;
  const auto balance = system.energy_balance(state);
  BOOST_TEST(balance.kinetic == 2);
  BOOST_TEST(balance.internal == 8);
  BOOST_TEST(balance.contact == 0);
  BOOST_TEST(balance.external_work == 3);  // force 3 over the way 1; the held dof does no work
  BOOST_TEST(balance.total() == 7);
  BOOST_TEST(system.potential_energy(state.q) == 8 - 3 * 2 - 5 * 1);
}

BOOST_AUTO_TEST_CASE(gradient_is_the_sum_of_all_terms_and_vanishes_in_fixed_dofs)
{
  const LoadedSpring system;
  Eigen::VectorXd gradient;
  system.gradient(system.initial_state().q, gradient);
  BOOST_TEST(gradient[0] == 4 - 3);
  BOOST_TEST(gradient[1] == 0);
}

BOOST_AUTO_TEST_CASE(critical_step_is_two_over_the_highest_frequency)
{
  const LoadedSpring system;
  const auto critical = system.critical_step(system.initial_state().q);
  BOOST_TEST(critical.time_step == 1, boost::test_tools::tolerance(1e-12));  // omega = 2
  BOOST_TEST(critical.limited_by == "dof 0");
}

BOOST_AUTO_TEST_SUITE_END()

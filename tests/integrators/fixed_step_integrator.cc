#include <freefall/core/errors.h>
#include <freefall/integrators/fixed_step_integrator.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

using namespace freefall;

namespace
{
/// q grows by v dt; fails once when q passes a wall, then lets it through after start() was called again.
class WalkToWall : public OneStepMethod
{
public:
  explicit WalkToWall(double wall, double beyond = 0) : wall_(wall), beyond_(beyond) {}
  std::string name() const override { return "walk"; }
  int order() const override { return 1; }
  bool is_symmetric() const override { return true; }
  void start(const System &, const State &) override { ++n_starts; }
  void step(const State &now, double dt, State &next) override
  {
    next.q = now.q + dt * now.v;
    next.v = now.v;
    ++n_force_evaluations_;
    if (next.q[0] > wall_ && n_starts == 1)
    {
      if (beyond_ != 0)
        next.q[0] = beyond_;
      else
        throw DomainError("hit the wall");
    }
  }
  int n_starts = 0;

private:
  double wall_, beyond_;
};

State walker()
{
  State state;
  state.time = 2;
  state.q = Eigen::VectorXd::Zero(1);
  state.v = Eigen::VectorXd::Ones(1);
  return state;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(fixed_step_integrator)

BOOST_AUTO_TEST_CASE(times_are_multiples_of_the_step_and_no_step_too_many_is_made)
{
  System system;
  State state = walker();
  FixedStepIntegrator integrator(std::make_unique<WalkToWall>(1e9), 0.1);
  integrator.initialize(system, state);
  for (int n = 1; n <= 1000; ++n)
  {
    integrator.advance(state, 2 + n / 10.0);
    BOOST_TEST(state.time == 2 + n * 0.1);
    BOOST_TEST(integrator.statistics().n_steps == n);
  }
  integrator.advance(state, 102.05);
  BOOST_TEST(state.time == 2 + 1001 * 0.1);
  BOOST_TEST(integrator.statistics().n_force_evaluations == 1001);
  BOOST_TEST(integrator.statistics().smallest_time_step == 0.1);
}

BOOST_AUTO_TEST_CASE(splitting_one_advance_changes_no_bit)
{
  System system;
  State whole = walker(), parts = whole;
  FixedStepIntegrator one(std::make_unique<WalkToWall>(1e9), 0.013), many(std::make_unique<WalkToWall>(1e9), 0.013);
  one.initialize(system, whole);
  many.initialize(system, parts);
  one.advance(whole, 9.2);
  for (int i = 0; i <= 100; ++i) many.advance(parts, 2 + 7.2 * i / 100);
  BOOST_TEST(whole.time == parts.time);
  BOOST_TEST(whole.q[0] == parts.q[0]);
}

BOOST_AUTO_TEST_CASE(a_failed_step_names_its_time_and_leaves_the_last_good_state)
{
  System system;
  for (const double beyond : {0.0, std::numeric_limits<double>::quiet_NaN()})
  {
    State state = walker();
    auto method = std::make_unique<WalkToWall>(0.55, beyond);
    const WalkToWall &walk = *method;
    FixedStepIntegrator integrator(std::move(method), 0.125);
    integrator.initialize(system, state);
    try
    {
      integrator.advance(state, 4);
      BOOST_FAIL("the wall was not noticed");
    }
    catch (const StepFailed &error)
    {
      const std::string text = error.what();
      BOOST_TEST(text.find("step 5 from time 2.5 by 0.125") != std::string::npos, text);
      BOOST_TEST(text.find(beyond == 0 ? "hit the wall" : "not finite") != std::string::npos, text);
    }
    BOOST_TEST(state.time == 2.5);
    BOOST_TEST(state.q[0] == 0.5);
    BOOST_TEST(integrator.statistics().n_steps == 4);
    integrator.advance(state, 4);
    BOOST_TEST(walk.n_starts == 2);
    BOOST_TEST(state.q[0] == 2);
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_is_not_positive_and_finite_is_refused)
{
  for (const double bad : {0.0, -0.1, std::numeric_limits<double>::infinity(), std::nan("")})
    BOOST_CHECK_THROW(FixedStepIntegrator(std::make_unique<WalkToWall>(1), bad), InputError);
}

BOOST_AUTO_TEST_SUITE_END()

#include <freefall/core/errors.h>
#include <freefall/integrators/force_stepping/force_stepping.h>

#include <integrators/random_system.h>
#include <boost/test/unit_test.hpp>
#include <string>

using namespace freefall;
using namespace freefall::force_stepping;

BOOST_AUTO_TEST_SUITE(force_stepping_robustness)

namespace
{
constexpr ForceSteppingEngine all_engines[] = {ForceSteppingEngine::sherman_morrison, ForceSteppingEngine::kinetic,
                                               ForceSteppingEngine::local};
constexpr GridKind all_kinds[] = {GridKind::kuhn, GridKind::mirrored_kuhn, GridKind::union_jack};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

std::vector<Event> events_of(const System &system, const ForceSteppingSettings &settings, double end, State &state)
{
  ForceStepping integrator(settings);
  std::vector<Event> events;
  integrator.observer = [&](const Event &event) { events.push_back(event); };
  state = system.initial_state();
  integrator.initialize(system, state);
  integrator.advance(state, end);
  return events;
}

/// Unit masses in a row, springs of length 1 between neighbours, all on vertices of a grid of spacing 1/4 and with one common
/// velocity.
class AlignedChain : public System
{
  class Springs : public LocalTerms
  {
  public:
    explicit Springs(int n)
    {
      for (int i = 0; i + 1 < n; ++i) dofs_.insert(dofs_.end(), {i, i + 1});
    }
    std::string kind() const override { return "spring"; }
    int n_terms() const override { return static_cast<int>(dofs_.size() / 2); }
    int dofs_per_term() const override { return 2; }
    Span<const int> dofs(int term) const override { return {dofs_.data() + 2 * term, 2}; }
    double value(int, const double *x) const override { return 0.5 * (x[1] - x[0] - 1) * (x[1] - x[0] - 1); }
    void gradient(int, const double *x, double *gradient) const override
    {
      gradient[1] = x[1] - x[0] - 1;
      gradient[0] = -gradient[1];
    }
    void hessian(int, const double *, double *hessian) const override
    {
      hessian[0] = hessian[3] = 1;
      hessian[1] = hessian[2] = -1;
    }
    void third_derivative(int, const double *, const double *, double *contraction) const override
    {
      contraction[0] = contraction[1] = 0;
    }
    double difference(int, const double *x, int a, double s) const override
    {
      return s * ((a == 1 ? 1 : -1) * (x[1] - x[0] - 1) + 0.5 * s);
    }
    double mixed_difference(int, const double *, int, double s, int, double r) const override { return -s * r; }

  private:
    std::vector<int> dofs_;
  };

public:
  explicit AlignedChain(int n)
  {
    terms_.push_back(std::make_unique<Springs>(n));
    diagonal_mass_ = Eigen::VectorXd::Ones(n);
    initial_state_.q = Eigen::VectorXd::LinSpaced(n, 0, n - 1);
    initial_state_.v = Eigen::VectorXd::Ones(n);
  }
};

/// Random terms that end where any coordinate of a vertex exceeds a limit.
class BoundedTerms : public test::RandomTerms
{
public:
  BoundedTerms(int n_dofs, std::mt19937_64 &generator) : RandomTerms(n_dofs, 2, n_dofs, generator) {}
  double value(int term, const double *x) const override
  {
    check(x);
    return RandomTerms::value(term, x);
  }
  double difference(int term, const double *x, int a, double s) const override
  {
    double moved[2] = {x[0], x[1]};
    moved[a] += s;
    check(moved);
    return RandomTerms::difference(term, x, a, s);
  }
  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override
  {
    double moved[2] = {x[0], x[1]};
    moved[a] += s;
    moved[b] += r;
    check(moved);
    return RandomTerms::mixed_difference(term, x, a, s, b, r);
  }

private:
  static void check(const double *x)
  {
    if (std::max(x[0], x[1]) > 1.6) throw DomainError("the random term is torn");
  }
};

class BoundedSystem : public System
{
public:
  BoundedSystem()
  {
    std::mt19937_64 generator(3);
    terms_.push_back(std::make_unique<BoundedTerms>(6, generator));
    diagonal_mass_ = Eigen::VectorXd::Ones(6);
    initial_state_.q = Eigen::VectorXd::LinSpaced(6, -0.5, 0.5);
    initial_state_.v = Eigen::VectorXd::LinSpaced(6, 2, 3);
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_million_cells_from_the_origin_nothing_is_lost)
{
  // 2^20 cells of 1/8 away, vertices and start are exact: the motion relative to them must be the same to the last bit.
  const double h = 0.125, origin = h * (1 << 20);
  const test::RandomSystem here(12, 7), there(12, 7, {}, false, origin);
  for (const auto engine : all_engines)
    for (const GridKind kind : {GridKind::kuhn, GridKind::union_jack})
    {
      State a, b;
      const ForceSteppingSettings settings{engine, kind, {h}, GridShift::none, 1};
      const auto near = events_of(here, settings, 2, a), far = events_of(there, settings, 2, b);
      BOOST_REQUIRE(near.size() == far.size());
      BOOST_TEST(near.size() > 500u);
      for (std::size_t e = 0; e < near.size(); ++e) BOOST_REQUIRE(near[e].time == far[e].time);
      BOOST_TEST(a.v == b.v);
      // Half a unit in the last place of 131072.
      BOOST_TEST((b.q - a.q - Eigen::VectorXd::Constant(12, origin)).cwiseAbs().maxCoeff() < 2e-11);
    }
}

BOOST_AUTO_TEST_CASE(aligned_data_end_with_an_error_that_suggests_a_shift_and_run_with_one)
{
  for (const auto engine : all_engines)
    for (const GridKind kind : all_kinds)
      for (const int n : {2, 7, 20})
      {
        const AlignedChain system(n);
        // Every mass sits on a vertex, all move alike, and the potential is a valley along the common diagonal.
        State state = system.initial_state();
        ForceStepping aligned({engine, kind, {0.25}, GridShift::none, 1});
        aligned.initialize(system, state);
        BOOST_CHECK_EXCEPTION(aligned.advance(state, 3), StepFailed,
                              [](const StepFailed &error)
                              { return contains(error.what(), "random grid shift") && contains(error.what(), "dof "); });
        BOOST_TEST(state.time < 3);
        BOOST_TEST(state.q.allFinite());

        state = system.initial_state();
        ForceStepping shifted({engine, kind, {0.25}, GridShift::random, 1});
        shifted.initialize(system, state);
        BOOST_CHECK_NO_THROW(shifted.advance(state, 3));
        BOOST_TEST(state.time == 3);
      }
}

BOOST_AUTO_TEST_CASE(random_data_on_vertices_run_or_end_with_the_error)
{
  int n_done = 0, n_refused = 0;
  for (int seed = 0; seed < 20; ++seed)
    for (const auto engine : all_engines)
      for (const GridKind kind : all_kinds)
      {
        const test::RandomSystem random(8, seed);
        State state = random.initial_state();
        for (double &q : state.q) q = 0.125 * std::round(q / 0.125);
        state.v.setConstant(0.5);
        ForceStepping integrator({engine, kind, {0.125}, GridShift::none, 1});
        integrator.initialize(random, state);
        const double energy = *integrator.conserved_energy(state);
        try
        {
          integrator.advance(state, 0.5);
          ++n_done;
        }
        catch (const StepFailed &error)
        {
          BOOST_TEST(contains(error.what(), "random grid shift"));
          ++n_refused;
        }
        // Rounding of V / h in the forces of the dense engine, over some thousand events at one instant.
        BOOST_TEST(std::fabs(*integrator.conserved_energy(state) - energy) < 1e-10);
      }
  BOOST_TEST_MESSAGE(n_done << " done, " << n_refused << " refused");
  BOOST_TEST(n_done > 0);
}

BOOST_AUTO_TEST_CASE(a_vertex_outside_the_domain_ends_the_run_at_the_last_event)
{
  const BoundedSystem system;
  for (const auto engine : all_engines)
    for (const GridKind kind : all_kinds)
    {
      ForceStepping integrator({engine, kind, {0.1}, GridShift::random, 2});
      State state = system.initial_state();
      integrator.initialize(system, state);
      const double energy = *integrator.conserved_energy(state);
      double last_event = 0;
      integrator.observer = [&](const Event &event) { last_event = event.time; };
      BOOST_CHECK_EXCEPTION(integrator.advance(state, 5), StepFailed,
                            [](const StepFailed &error)
                            {
                              const std::string text = error.what();
                              return contains(text, "the random term is torn") && contains(text, "smaller spacing") &&
                                     contains(text, "h = 0.1") && contains(text, "t = ") && contains(text, "dof ");
                            });
      BOOST_TEST(state.time >= last_event);
      BOOST_TEST(state.time > 0.1);
      BOOST_TEST(state.q.maxCoeff() < 1.6);
      BOOST_TEST(state.q.maxCoeff() > 1.4);
      // The state is on the trajectory: its kinetic energy fits (rounding of sums of size 30).
      State earlier = system.initial_state();
      ForceStepping again({engine, kind, {0.1}, GridShift::random, 2});
      again.initialize(system, earlier);
      again.advance(earlier, state.time - 1e-9);
      // 1e-9 s at velocities of size 3 and accelerations of size 10.
      BOOST_TEST((earlier.q - state.q).cwiseAbs().maxCoeff() < 1e-8);
      BOOST_TEST((earlier.v - state.v).cwiseAbs().maxCoeff() < 1e-7);
      BOOST_TEST(std::fabs(*again.conserved_energy(earlier) - energy) < 1e-11);
    }
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_work_are_refused)
{
  const test::RandomSystem full_mass(6, 1, {}, true), system(6, 1);
  const auto text_of = [](const System &system, const ForceSteppingSettings &settings)
  {
    ForceStepping integrator(settings);
    try
    {
      integrator.initialize(system, system.initial_state());
    }
    catch (const InputError &error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  ForceSteppingSettings settings;
  settings.spacing = {0.1};
  BOOST_TEST(contains(text_of(full_mass, settings), "sherman-morrison"));
  BOOST_TEST(text_of(system, settings).empty());
  settings.spacing = {0.1, 0.1, 0.1, 0.1};
  BOOST_TEST(contains(text_of(system, settings), "4 grid spacings given for 6 dofs"));
  settings.spacing = {0.1, -0.1};
  BOOST_TEST(contains(text_of(system, settings), "must be positive"));
  settings.spacing = {};
  BOOST_TEST(contains(text_of(system, settings), "0 grid spacings"));
}

BOOST_AUTO_TEST_SUITE_END()

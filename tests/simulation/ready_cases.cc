#include "run_program.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace tt = boost::test_tools;

namespace
{
/// The columns of history.csv of a run of parameters/NAME.prm, and its summary.
struct Run
{
  std::map<std::string, std::vector<double>> columns;
  nlohmann::json summary;

  explicit Run(const std::string &name, const std::string &options = "")
  {
    const ScratchFolder scratch(name);
    const std::string file = std::string(FREEFALL_SOURCE_DIR) + "/parameters/" + name + ".prm";
    const auto result = run_freefall("run " + file + " --quiet " + options + " --output " + (scratch / "run").string());
    BOOST_TEST_REQUIRE(result.exit_code == 0, name << " said\n" << result.output);
    summary = nlohmann::json::parse(read_text(scratch / "run/summary.json"));
    std::istringstream text(read_text(scratch / "run/history.csv"));
    std::string line, entry;
    std::getline(text, line);
    std::vector<std::string> names;
    for (std::istringstream header(line); std::getline(header, entry, ',');) names.push_back(entry);
    while (std::getline(text, line))
    {
      std::istringstream row(line);
      for (const auto &column : names)
      {
        std::getline(row, entry, ',');
        columns[column].push_back(std::stod(entry));
      }
    }
  }

  /// The largest value of a column between two times.
  double peak(const std::string &column, double from, double to) const
  {
    const auto &time = columns.at("time"), &values = columns.at(column);
    double largest = 0;
    for (std::size_t i = 0; i < time.size(); ++i)
      if (time[i] >= from && time[i] <= to) largest = std::max(largest, values[i]);
    return largest;
  }
};
}  // namespace

BOOST_AUTO_TEST_SUITE(ready_cases)

BOOST_AUTO_TEST_CASE(two_metals_reflect_and_transmit_by_their_impedances)
{
  const Run bar("two_material_bar");
  const double steel = std::sqrt(200e9 * 7800), aluminium = std::sqrt(70e9 * 2700);
  const double incident = bar.peak("point_before_velocity_x", 0, 50e-6);
  const double reflected = bar.peak("point_before_velocity_x", 50e-6, 90e-6);
  const double transmitted = bar.peak("point_behind_velocity_x", 0, 95e-6);
  BOOST_TEST_MESSAGE("reflected " << reflected / incident << ", transmitted " << transmitted / incident);
  // Six elements a bell: its peak is lowered by dispersion by about a thousandth between two points, and read every 0.25 us,
  // where it changes by (c 0.125 us / 0.03 m)^2 = 5e-4.
  BOOST_TEST(incident == 1, tt::tolerance(2e-3));
  BOOST_TEST(reflected / incident == (steel - aluminium) / (steel + aluminium), tt::tolerance(2e-3));
  BOOST_TEST(transmitted / incident == 2 * steel / (steel + aluminium), tt::tolerance(2e-3));
}

BOOST_AUTO_TEST_CASE(the_spinning_bar_keeps_its_spin)
{
  const Run bar("spinning_bar");
  const auto &spin = bar.columns.at("angular_momentum_z");
  // 16000 steps of rounding.
  for (const double value : spin) BOOST_TEST_REQUIRE(value == spin[0], tt::tolerance(1e-12));
  // About m L^2 / 12 (1 + (w / L)^2) = 2.27 kg m2 at 1000 rad/s; lumping adds a per cent.
  BOOST_TEST(spin[0] == 2272.5, tt::tolerance(0.02));
  // It breathes: stretched by up to twice rho w^2 L^2 / 12 E = 0.3 %.
  const auto &x = bar.columns.at("point_tip_position_x"), &y = bar.columns.at("point_tip_position_y");
  double longest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) longest = std::max(longest, std::hypot(x[i], y[i]));
  BOOST_TEST(longest > 0.5 * 1.003);
  BOOST_TEST(longest < 0.5 * 1.012);
}

BOOST_AUTO_TEST_CASE(long_implicit_steps_transfer_the_momentum_of_the_impact)
{
  // A step of the implicit files is 24 critical steps of explicit Newmark, or 400 steps of its file.
  const Run reference("cube_impact");
  const auto transfer = [](const Run &run, const std::string &column)
  { return run.columns.at(column).back() - run.columns.at(column).front(); };
  for (const auto &[name, method] : std::vector<std::pair<std::string, std::string>>{
         {"cube_impact_newmark_implicit", "Newmark"}, {"cube_impact_zhang_skeel", "Zhang-Skeel"}})
  {
    const Run run(name), half(name, "--set \"Integrator/" + method + "/Time step=2e-7\" --set \"Checks/Maximum energy error=none\"");
    const double step = run.summary["time_step"]["average"];
    const double critical = reference.summary["problem_details"]["critical_time_step"];
    BOOST_TEST(step > 20 * critical);
    BOOST_TEST(step < 100 * critical);
    const double expected = transfer(reference, "linear_momentum_y"), found = transfer(run, "linear_momentum_y");
    // The wall is stiff: the error of a step is of first order, and half of it is gone with half the step.
    const double error_of_the_step = 2 * std::abs(found - transfer(half, "linear_momentum_y"));
    BOOST_TEST_MESSAGE(name << ": " << step / critical << " critical steps, momentum transfer " << found << ", explicit "
                            << expected << ", error of the step " << error_of_the_step);
    BOOST_TEST(std::abs(found - expected) < error_of_the_step, name);
    BOOST_TEST(error_of_the_step < 0.05 * std::abs(expected), name);
    // Along the wall and across the motion nothing acts.
    BOOST_TEST(std::abs(transfer(run, "linear_momentum_x")) < 1e-9 * std::abs(expected), name);
  }
}

BOOST_AUTO_TEST_CASE(the_taylor_bar_springs_back)
{
  const Run bar("taylor_bar");
  const auto &momentum = bar.columns.at("linear_momentum_z");
  const double mass = 8930 * M_PI * 3.2e-3 * 3.2e-3 * 32.4e-3;
  // The mesh is a prism of 24 sides, which has 1.1 % less volume than the cylinder.
  BOOST_TEST(momentum.front() == -227 * mass, tt::tolerance(0.02));
  BOOST_TEST(momentum.back() > 0.8 * 227 * mass);
  BOOST_TEST(bar.columns.at("contact_energy").back() == 0);
  const auto &details = bar.summary["problem_details"];
  // The strain of the impact is v / c = 6 %: so deep, in heights of an element, the wall is entered, up to twice at the front.
  BOOST_TEST(details["deepest_penetration_per_element"].get<double>() > 0.02);
  BOOST_TEST(details["deepest_penetration_per_element"].get<double>() < 0.15);
  BOOST_TEST(details["critical_time_step"].get<double>() > 0.5 * details["critical_time_step_without_contact"].get<double>());
}

BOOST_AUTO_TEST_SUITE_END()

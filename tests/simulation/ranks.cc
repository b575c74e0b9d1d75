#include "on_ranks.h"

#include <freefall/core/csv_table.h>

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

// Runs on several processes, by mpirun, against the same runs on one.

namespace
{
namespace fs = std::filesystem;

const std::string parameters = std::string(FREEFALL_SOURCE_DIR) + "/parameters/";

/// Rows of history.csv without its header, and the header.
std::pair<std::string, std::vector<std::vector<double>>> history(const fs::path &file)
{
  std::istringstream text(read_text(file));
  std::string header, line;
  std::getline(text, header);
  std::vector<std::vector<double>> rows;
  while (std::getline(text, line))
  {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return {header, rows};
}

/// The largest difference of a column relative to its own largest value; the worst column.
double largest_difference(const std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b)
{
  double worst = 0;
  for (std::size_t column = 0; column < a[0].size(); ++column)
  {
    double scale = 0, difference = 0;
    for (std::size_t row = 0; row < a.size(); ++row)
    {
      scale = std::max(scale, std::abs(a[row][column]));
      difference = std::max(difference, std::abs(a[row][column] - b[row][column]));
    }
    // Momenta across the motion are rounding itself.
    if (scale > 1e-9) worst = std::max(worst, difference / scale);
  }
  return worst;
}

/// A cube in contact with a wall, 0.2 of its flight.
const std::string cube = parameters + "cube_impact.prm --quiet --set \"End time=5e-6\" ";
}  // namespace

BOOST_AUTO_TEST_SUITE(ranks)

BOOST_AUTO_TEST_CASE(histories_agree_to_rounding)
{
  const ScratchFolder scratch("ranks_histories");
  std::string header;
  std::vector<std::vector<double>> serial;
  // 200 ranks would be slow; 5 are more than this machine has and leave some without contact nodes.
  for (const int n_ranks : {1, 2, 3, 5})
  {
    const fs::path folder = scratch / std::to_string(n_ranks);
    const auto result = run_on(n_ranks, "run " + cube + "--output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    const auto [names, rows] = history(folder / "history.csv");
    const auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
    BOOST_TEST(summary["n_ranks"] == n_ranks);
    BOOST_TEST(summary["n_dofs"] == 213);
    if (n_ranks == 1)
    {
      header = names;
      serial = rows;
      continue;
    }
    BOOST_TEST(names == header);
    BOOST_REQUIRE(rows.size() == serial.size());
    // Sums in another order: some 1e-16 a step, over a few hundred steps of a stiff system.
    BOOST_TEST(largest_difference(serial, rows) < 1e-11);
  }
}

BOOST_AUTO_TEST_CASE(the_same_ranks_give_the_same_bytes)
{
  const ScratchFolder scratch("ranks_bytes");
  for (const std::string name : {"a", "b"})
    BOOST_REQUIRE(run_on(3, "run " + cube + "--output " + (scratch / name).string()).exit_code == 0);
  BOOST_TEST(read_text(scratch / "a/history.csv") == read_text(scratch / "b/history.csv"));
  BOOST_TEST(read_text(scratch / "a/snapshots/snapshot_000001_2.vtu") == read_text(scratch / "b/snapshots/snapshot_000001_2.vtu"));
}

BOOST_AUTO_TEST_CASE(snapshots_are_parts_and_one_file_that_joins_them)
{
  const ScratchFolder scratch("ranks_snapshots");
  BOOST_REQUIRE(run_on(2, "run " + cube + "--output " + (scratch / "a").string()).exit_code == 0);
  const std::string collection = read_text(scratch / "a/snapshots.pvd"), joined = read_text(scratch / "a/snapshots/snapshot_000000.pvtu");
  BOOST_TEST(collection.find("snapshots/snapshot_000000.pvtu") != std::string::npos);
  for (const char *part : {"snapshot_000000_0.vtu", "snapshot_000000_1.vtu"})
  {
    BOOST_TEST(joined.find(part) != std::string::npos);
    BOOST_TEST(fs::exists(scratch / "a/snapshots" / part));
  }
}

BOOST_AUTO_TEST_CASE(more_ranks_than_elements_work)
{
  const ScratchFolder scratch("ranks_empty");
  const std::string few = parameters + "cube_impact.prm --quiet --set \"End time=5e-6\" --set \"Body cube/Mesh/Type=box\" "
                          "--set \"Body cube/Mesh/Subdivisions=1,1,1\" --set \"Body cube/Mesh/Size=0.1,0.1,0.1\" --set \"Body cube/Mesh/Cut=5\" ";
  std::vector<std::vector<double>> serial;
  for (const int n_ranks : {1, 7})
  {
    const fs::path folder = scratch / std::to_string(n_ranks);
    const auto result = run_on(n_ranks, "run " + few + "--output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    const auto rows = history(folder / "history.csv").second;
    if (n_ranks == 1)
      serial = rows;
    else
      BOOST_TEST(largest_difference(serial, rows) < 1e-11);
  }
}

/// Runs a parameter file on 1, 2 and 3 ranks; the largest relative difference of histories.
double difference_of_ranks(const ScratchFolder &scratch, const std::string &arguments)
{
  std::string header;
  std::vector<std::vector<double>> serial;
  double worst = 0;
  for (const int n_ranks : {1, 2, 3})
  {
    const fs::path folder = scratch / std::to_string(n_ranks);
    const auto result = run_on(n_ranks, "run " + arguments + " --quiet --force --output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    const auto [names, rows] = history(folder / "history.csv");
    if (n_ranks == 1)
    {
      header = names;
      serial = rows;
      continue;
    }
    BOOST_TEST(names == header);
    BOOST_REQUIRE(rows.size() == serial.size());
    worst = std::max(worst, largest_difference(serial, rows));
  }
  return worst;
}

/// A block on two supports, one of them moving, under every kind of load and damping, hit by a plate that moves.
void write_loaded_block(const fs::path &file, const std::string &element)
{
  std::ofstream(file) << "set Problem = solid\nset End time = 2e-4\n"
                         "subsection Body block\n  subsection Mesh\n    set Element = "
                      << element
                      << "\n    set Size = 0.2, 0.1, 0.1\n    set Subdivisions = 4, 2, 2\n  end\n"
                         "  subsection Material\n    set Model = neo-Hookean\n    set Young modulus = 1e9\n"
                         "    set Poisson ratio = 0.3\n    set Density = 1000\n  end\n"
                         "  subsection Damping\n    set Model = Rayleigh\n    set Alpha = 300\n    set Beta = 1e-6\n  end\nend\n"
                         "subsection Support left\n  set Boundary = 0\n  set X = fixed\n  set Y = fixed\nend\n"
                         "subsection Support right\n  set Boundary = 1\n  set X = 1e-4*sin(2e4*t)\nend\n"
                         "subsection Loads\n  set Gravity = 0, 0, -9.81\n"
                         "  subsection Traction top\n    set Boundary = 5\n    set Force = 1e4; 2e4*sin(1e4*t); 0\n  end\n"
                         "  subsection Traction side\n    set Boundary = 3\n    set Force = 0; 0; 1e4\n  end\n"
                         "  subsection Pressure below\n    set Boundary = 4\n    set Pressure = 1e5*x*t/2e-4\n  end\nend\n"
                         "subsection Contact\n  subsection Plane plate\n    set Point = 0, 0.1005, 0\n    set Normal = 0, -1, 0\n"
                         "    set Stiffness = 1e7\n    set Motion = 0; -10*t; 0\n  end\nend\n"
                         "subsection Integrator\n  set Name = explicit Newmark\n  subsection Explicit Newmark\n    set Time step = 1e-6\n  end\nend\n"
                         "subsection Output\n  set History interval = 1e-5\nend\n";
}

BOOST_AUTO_TEST_CASE(loads_damping_and_moving_supports_and_obstacles_agree_to_rounding)
{
  const ScratchFolder scratch("ranks_conditions");
  for (const std::string element : {"linear tetrahedra", "linear hexahedra", "quadratic tetrahedra", "quadratic hexahedra"})
  {
    const fs::path file = scratch / "block.prm";
    write_loaded_block(file, element);
    BOOST_TEST_CONTEXT(element) BOOST_TEST(difference_of_ranks(scratch, file.string()) < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(a_consistent_mass_agrees_to_rounding)
{
  // A heavy block, held at one side, sinks onto a wall. More ranks than elements are among the cases: the coarsest mesh has two.
  const ScratchFolder scratch("ranks_consistent");
  for (const std::string element : {"linear tetrahedra", "linear hexahedra", "quadratic tetrahedra", "quadratic hexahedra"})
  {
    const fs::path file = scratch / "block.prm";
    std::ofstream(file) << "set Problem = solid\nset End time = 2e-3\n"
                           "subsection Body block\n  set Velocity = 0; 0; -1\n  subsection Mesh\n    set Element = "
                        << element
                        << "\n    set Size = 0.2, 0.1, 0.1\n    set Subdivisions = 2, 1, 1\n  end\n"
                           "  subsection Material\n    set Model = neo-Hookean\n    set Young modulus = 1e8\n"
                           "    set Poisson ratio = 0.3\n    set Density = 1000\n  end\nend\n"
                           "subsection Finite elements\n  set Mass = consistent\nend\n"
                           "subsection Support left\n  set Boundary = 0\n  set X = fixed\nend\n"
                           "subsection Loads\n  set Gravity = 0, 0, -9.81\nend\n"
                           "subsection Contact\n  subsection Plane floor\n    set Point = 0, 0, -1e-4\n    set Normal = 0, 0, 1\n"
                           "  end\nend\n"
                           "subsection Integrator\n  set Name = explicit Newmark\nend\nsubsection Output\n  set History interval = "
                           "1e-4\nend\n";
    // Some hundred steps, each solved to 1e-15 relative to the forces.
    BOOST_TEST_CONTEXT(element) BOOST_TEST(difference_of_ranks(scratch, file.string()) < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(implicit_methods_agree_to_the_tolerance_of_their_solves)
{
  const ScratchFolder scratch("ranks_implicit");
  const std::string soft = "parameters/cube_impact.prm --set \"End time=20e-6\" --set \"Contact/Plane wall/Stiffness=1e11\" --set "
                           "\"Checks/Maximum energy error=none\" --set \"Integrator/Name=";
  const std::string base = std::string(FREEFALL_SOURCE_DIR) + "/" + soft;
  for (const std::string method : {"Newmark", "Pushforward Newmark", "Generalised-alpha", "Implicit midpoint", "Energy-momentum", "Zhang-Skeel"})
  {
    std::string name = method;
    if (name != "Newmark" && name != "Zhang-Skeel") name[0] = static_cast<char>(std::tolower(name[0]));
    for (const std::string element : {"linear tetrahedra", "linear hexahedra"})
    {
      const std::string mesh = element == "linear tetrahedra"
                                 ? ""
                                 : " --set \"Body cube/Mesh/Type=box\" --set \"Body cube/Mesh/Element=linear hexahedra\" --set \"Body "
                                   "cube/Mesh/Size=0.1,0.1,0.1\" --set \"Body cube/Mesh/Subdivisions=3,3,3\"";
      // One rank solves directly, several by conjugate gradients; both to 1e-10 (Newton) or 1e-12 a step, 50 steps through an
      // impact that doubles differences every few steps.
      BOOST_TEST_CONTEXT(method << ", " << element)
      BOOST_TEST(difference_of_ranks(scratch, base + name + "\" --set \"Integrator/" + method + "/Time step=4e-7\"" + mesh) < 1e-6);
    }
  }
}

/// The cube slowly against a soft wall with steps that make the diagonal a bad guess of the matrix.
const std::string soft_cube =
  parameters + "cube_impact.prm --quiet --set \"End time=5e-5\" --set \"Body cube/Velocity=10;10;10\" --set \"Contact/Plane "
               "wall/Stiffness=1e10\" --set \"Contact/Plane wall/Point=0.1001,0.1001,0.1001\" --set \"Checks/Maximum energy "
               "error=none\" --set \"Output/Snapshot interval=none\" --set \"Output/History interval=5e-6\" ";
const std::string hexahedra = "--set \"Body cube/Mesh/Type=box\" --set \"Body cube/Mesh/Element=linear hexahedra\" --set \"Body "
                              "cube/Mesh/Size=0.1,0.1,0.1\" --set \"Body cube/Mesh/Subdivisions=7,7,7\" ";

BOOST_AUTO_TEST_CASE(linear_solvers_agree_on_any_number_of_ranks)
{
  const ScratchFolder scratch("ranks_solvers");
  const auto run = [&](const std::string &mesh, const std::string &method, const std::string &solver, int n_ranks)
  {
    const std::string section = "--set \"Integrator/" + method + "/";
    const fs::path folder = scratch / (method + solver + std::to_string(n_ranks));
    const auto result = run_on(n_ranks, "run " + soft_cube + mesh + "--set \"Integrator/Name=" + method + "\" " + section +
                                          "Time step=5e-6\" " + section + "Linear solver=" + solver + "\" --output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    return folder;
  };
  const auto iterations = [](const fs::path &folder)
  { return nlohmann::json::parse(read_text(folder / "summary.json"))["integrator_details"]["n_linear_iterations"].get<int>(); };
  // Newton's iteration to 1e-10 or conjugate gradients to 1e-12 in each of ten steps.
  const auto compare = [](const fs::path &a, const fs::path &b)
  { BOOST_TEST(largest_difference(history(a / "history.csv").second, history(b / "history.csv").second) < 1e-8, b); };

  const std::string tetrahedra = "--set \"Body cube/Mesh/Type=cube III\" ";
  const auto one = run(tetrahedra, "Newmark", "direct", 1), levels = run(tetrahedra, "Newmark", "multigrid", 1);
  const auto direct = run(tetrahedra, "Newmark", "direct", 2), many_levels = run(tetrahedra, "Newmark", "multigrid", 4);
  for (const auto &folder : {levels, direct, many_levels, run(tetrahedra, "Newmark", "jacobi", 3)}) compare(one, folder);
  BOOST_TEST(iterations(direct) == 0);
  // Aggregates end at ranks, which makes multigrid a little weaker than on one rank.
  BOOST_TEST(iterations(many_levels) < 1.5 * iterations(levels));
  BOOST_TEST(iterations(many_levels) > 0);

  compare(run(hexahedra, "Zhang-Skeel", "direct", 1), run(hexahedra, "Zhang-Skeel", "multigrid", 3));
}

BOOST_AUTO_TEST_CASE(linear_solvers_work_on_ranks_that_hold_nothing)
{
  const ScratchFolder scratch("ranks_nothing");
  // Five tetrahedra on seven ranks.
  const std::string few = soft_cube + "--set \"Body cube/Mesh/Type=box\" --set \"Body cube/Mesh/Subdivisions=1,1,1\" --set \"Body "
                          "cube/Mesh/Size=0.1,0.1,0.1\" --set \"Body cube/Mesh/Cut=5\" --set Integrator/Name=Newmark --set "
                          "\"Integrator/Newmark/Time step=5e-6\" --set \"Integrator/Newmark/Linear solver=";
  std::vector<std::vector<double>> serial;
  for (const auto &[n_ranks, solver] :
       std::vector<std::pair<int, std::string>>{{1, "direct"}, {7, "direct"}, {7, "jacobi"}, {7, "multigrid"}})
  {
    const fs::path folder = scratch / (solver + std::to_string(n_ranks));
    const auto result = run_on(n_ranks, "run " + few + solver + "\" --output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    BOOST_TEST(result.output.find("WARNING") == std::string::npos, result.output);
    const auto rows = history(folder / "history.csv").second;
    if (serial.empty())
      serial = rows;
    else
      BOOST_TEST(largest_difference(serial, rows) < 1e-8, solver);  // Newton's tolerance over ten steps
  }
  // A step that fails on all ranks, wherever the largest residual is, ends the run with one message.
  const auto failed = run_on(7, "run " + few + "direct\" --set \"Integrator/Newmark/Maximum iterations=1\" --output " +
                                  (scratch / "failed").string());
  BOOST_TEST(failed.exit_code == 3, failed.output);
  const std::string message = nlohmann::json::parse(read_text(scratch / "failed/summary.json"))["message"];
  BOOST_TEST(message.find("did not converge in 1 iterations") != std::string::npos, message);
  BOOST_TEST(message.find("largest at node") != std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(the_noise_of_a_heat_bath_does_not_depend_on_the_ranks)
{
  const ScratchFolder scratch("ranks_heat_bath");
  // So hot that nodes of some grams move: k_B T = 1e-3 J.
  const std::string hot = "--set \"Thermostat/Temperature=7.2e19\" --set \"Thermostat/Friction=1e5\" ";
  std::vector<std::vector<double>> serial;
  for (const int n_ranks : {1, 2, 3})
  {
    const fs::path folder = scratch / std::to_string(n_ranks);
    const auto result = run_on(n_ranks, "run " + cube + hot + "--output " + folder.string());
    BOOST_REQUIRE_MESSAGE(result.exit_code == 0, result.output);
    const auto [header, rows] = history(folder / "history.csv");
    BOOST_TEST(header.find(",heat") != std::string::npos);
    if (n_ranks == 1)
    {
      serial = rows;
      // Of some hundred joules of kinetic energy at the start, friction takes a large part.
      BOOST_TEST(std::abs(rows.back().back()) > 1);
    }
    else
      // Rounding, as without a bath.
      BOOST_TEST(largest_difference(serial, rows) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(errors_end_all_ranks_with_one_message)
{
  const ScratchFolder scratch("ranks_errors");
  const auto wrong = run_on(2, "run " + cube + "--set \"Integrator/Name=force-stepping\" --output " + (scratch / "a").string());
  BOOST_TEST(wrong.exit_code == 2);
  BOOST_TEST(wrong.output.find("started as 2 processes") != std::string::npos, wrong.output);
  BOOST_TEST(!fs::exists(scratch / "a"));

  // The failure is seen by the rank that has the element, or by all in the energy; every rank has to end, and to keep its part.
  const auto unstable = run_on(3, "run " + cube +
                                    "--set \"Integrator/Explicit Newmark/Time step=2e-6\" --set \"Integrator/Explicit "
                                    "Newmark/Allow unstable step=true\" --set \"Checks/Maximum energy error=none\" --output " +
                                    (scratch / "b").string());
  BOOST_TEST(unstable.exit_code == 3, unstable.output);
  BOOST_TEST(nlohmann::json::parse(read_text(scratch / "b/summary.json"))["status"] == "stopped");
}

BOOST_AUTO_TEST_SUITE_END()

#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/potentials/linear_tetrahedra.h>
#include <freefall/systems/fem/trilinos_multigrid.h>
#include <freefall/systems/shifted_solver.h>
#include <freefall/systems/system.h>

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

using namespace freefall;

namespace
{
const NeoHookean aluminium{60.5e9, 26e9};
constexpr double density = 2700;

/// Processor time, s.
double processor_seconds()
{
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Memory of the process in use, bytes.
double resident_bytes()
{
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// A free cube of side 1 of n^3 distorted hexahedra, each cut into six tetrahedra, with strains of a per cent.
class FreeCube : public System
{
public:
  explicit FreeCube(int n)
  {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> offset(-0.1, 0.1);
    const int m = n + 1;
    const auto number = [m](const std::array<int, 3> &i) { return (i[0] * m + i[1]) * m + i[2]; };
    Eigen::Matrix3Xd nodes(3, m * m * m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
          nodes.col(number({i, j, k})) = Eigen::Vector3d(i + offset(random), j + offset(random), k + offset(random)) / n;
    std::vector<std::array<int, 4>> cells;
    for (int i = 0; i < n * n * n; ++i)
    {
      std::array<int, 3> axes{0, 1, 2};
      do
      {
        std::array<int, 3> corner{i / (n * n), i / n % n, i % n};
        std::array<int, 4> cell{number(corner)};
        for (int a = 0; a < 3; ++a)
        {
          ++corner[axes[a]];
          cell[a + 1] = number(corner);
        }
        Eigen::Matrix3d edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = nodes.col(cell[a + 1]) - nodes.col(cell[0]);
        if (edges.determinant() < 0) std::swap(cell[2], cell[3]);
        cells.push_back(cell);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
    std::vector<int> names(cells.size());
    std::iota(names.begin(), names.end(), 0);
    auto elements = std::make_unique<LinearTetrahedra<NeoHookean>>(aluminium, nodes, cells, names);
    diagonal_mass_.setZero(nodes.size());
    for (int e = 0; e < elements->n_terms(); ++e)
      for (const int dof : elements->dofs(e)) diagonal_mass_[dof] += density * elements->volume(e) / 4;
    initial_state_.q = nodes.reshaped();
    for (Eigen::Index i = 0; i < initial_state_.q.size(); ++i)
      initial_state_.q[i] += 0.003 * std::sin(3 * nodes((i + 1) % 3, i / 3) + static_cast<double>(i % 3));
    initial_state_.v = Eigen::VectorXd::Zero(nodes.size());
    critical_step_ = element_step(*elements);
    terms_.push_back(std::move(elements));
  }
  std::unique_ptr<Multigrid> make_multigrid() const override { return make_trilinos_multigrid(*this); }
  int n_elements() const { return terms_[0]->n_terms(); }
  double critical() const { return critical_step_; }

private:
  /// 2 / omega of the stiffest of some elements.
  double element_step(const LinearTetrahedra<NeoHookean> &elements) const
  {
    using Matrix12 = Eigen::Matrix<double, 12, 12>;
    double highest = 0, x[12];
    for (int e = 0; e < elements.n_terms(); e += 1 + elements.n_terms() / 2000)
    {
      for (int a = 0; a < 12; ++a) x[a] = initial_state_.q[elements.dofs(e)[a]];
      Matrix12 stiffness;
      elements.hessian(e, x, stiffness.data());
      const double omega_squared = Eigen::SelfAdjointEigenSolver<Matrix12>(stiffness, Eigen::EigenvaluesOnly).eigenvalues()[11] /
                                   (density * elements.volume(e) / 4);
      highest = std::max(highest, omega_squared);
    }
    return 2 / std::sqrt(highest);
  }
  double critical_step_ = 0;
};

struct Step
{
  double seconds = 0, assembly = 0, preconditioner = 0, solve = 0;  ///< of one step
  double newton_iterations = 0;                                     ///< a step
  double linear_iterations = 0;                                     ///< a solve
};

double number(const NamedValues &values, const std::string &name)
{
  for (const auto &value : values)
    if (value.name == name) return value.value;
  return 0;
}

/// The mean of some steps after a first one, which builds what is kept.
Step measure_steps(const System &system, OneStepMethod &method, double dt, int n_steps)
{
  State now = system.initial_state(), next = now;
  method.start(system, now);
  NamedValues before;
  double start = 0;
  for (int i = 0; i <= n_steps; ++i)
  {
    if (i == 1)
    {
      before = method.summary();
      start = processor_seconds();
    }
    method.step(now, dt, next);
    std::swap(now.q, next.q);
    std::swap(now.v, next.v);
  }
  Step step;
  step.seconds = (processor_seconds() - start) / n_steps;
  const NamedValues after = method.summary();
  const auto gain = [&](const std::string &name) { return number(after, name) - number(before, name); };
  step.assembly = gain("assembly_seconds") / n_steps;
  step.preconditioner = gain("factorisation_seconds") / n_steps;
  step.solve = gain("linear_solve_seconds") / n_steps;
  step.newton_iterations = gain("n_newton_iterations") / n_steps;
  step.linear_iterations = gain("n_linear_iterations") / gain("n_linear_solves");
  return step;
}

ShiftedSolver::Settings solver_settings(ShiftedSolver::Method method)
{
  ShiftedSolver::Settings settings;
  settings.method = method;
  return settings;
}

/// Newton's tolerance for about three iterations a step.
constexpr double newton_tolerance = 1e-7;

struct Result
{
  int dofs = 0;
  double assembly_per_element = 0;  ///< s
  double setup = 0;                 ///< s, of multigrid
  double multigrid_iterations = 0;  ///< for a relative residual of 1e-8
  double bytes_per_dof = 0;         ///< matrix, scatter and levels
  Step jacobi, multigrid, zhang_skeel;
  Step default_newmark, default_zhang_skeel;  ///< as parameter files have them unless they say otherwise
};

Result measure(int n, double courant, int n_steps)
{
  Result result;
  const FreeCube cube(n);
  result.dofs = cube.n_dofs();
  const double dt = courant * cube.critical();
  const auto newmark = [&](ShiftedSolver::Method method, double tolerance)
  {
    ImplicitNewmark::Settings settings;
    settings.newton.tolerance = tolerance;
    settings.newton.solver = solver_settings(method);
    ImplicitNewmark integrator(settings);
    return measure_steps(cube, integrator, dt, n_steps);
  };
  const auto zhang_skeel = [&](ShiftedSolver::Method method, double tolerance)
  {
    ZhangSkeel::Settings settings;
    settings.tolerance = tolerance;
    settings.solver = solver_settings(method);
    ZhangSkeel integrator(settings);
    return measure_steps(cube, integrator, dt, n_steps);
  };
  {
    const double before = resident_bytes();
    ShiftedSolver solver(cube, solver_settings(ShiftedSolver::Method::multigrid));
    Eigen::VectorXd b, x;
    cube.gradient(cube.initial_state().q, b);
    result.assembly_per_element = 1e300;
    for (int i = 0; i < 5; ++i)
    {
      const double start = processor_seconds();
      solver.assemble(cube.initial_state().q, 1, 0.25 * dt * dt);
      result.assembly_per_element = std::min(result.assembly_per_element, (processor_seconds() - start) / cube.n_elements());
    }
    solver.solve(b, 1e-8, x);
    result.setup = solver.statistics().factorisation_seconds;
    result.multigrid_iterations = static_cast<double>(solver.statistics().n_iterations);
    result.bytes_per_dof = (resident_bytes() - before) / result.dofs;
  }
  using Method = ShiftedSolver::Method;
  result.jacobi = newmark(Method::jacobi, newton_tolerance);
  result.multigrid = newmark(Method::multigrid, newton_tolerance);
  result.zhang_skeel = zhang_skeel(Method::jacobi, newton_tolerance);
  result.default_newmark = newmark(Method::automatic, NewtonSolver::Settings().tolerance);
  result.default_zhang_skeel = zhang_skeel(Method::automatic, ZhangSkeel::Settings().tolerance);
  return result;
}

nlohmann::json to_json(const Step &step, int dofs)
{
  return {{"us_per_dof", 1e6 * step.seconds / dofs},
          {"seconds", step.seconds},
          {"assembly_seconds", step.assembly},
          {"preconditioner_seconds", step.preconditioner},
          {"solve_seconds", step.solve},
          {"newton_iterations", step.newton_iterations},
          {"cg_iterations", step.linear_iterations}};
}

void print(const char *name, const Step &step, int dofs)
{
  fmt::print("  {:<22} {:>9.2f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.1f} {:>9.1f}\n", name, 1e6 * step.seconds / dofs,
             step.seconds, step.assembly, step.preconditioner, step.solve, step.newton_iterations, step.linear_iterations);
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Cost of implicit steps on linear tetrahedra, one core: assembly, preconditioner, solve, iterations, memory");
  bool json = false, quick = false;
  double courant = 20;
  app.add_flag("--json", json, "one JSON object");
  app.add_flag("--quick", quick, "small meshes only");
  app.add_option("--step", courant, "length of a step in critical steps of explicit Newmark")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  nlohmann::json all = nlohmann::json::array();
  if (!json)
    fmt::print("Neo-Hookean cube, steps of {} critical steps, Newton's tolerance {:.0e}, processor time, mean of several steps.\n",
               courant, newton_tolerance);
  for (const int n : quick ? std::vector<int>{9, 16} : std::vector<int>{9, 25, 31, 54})
  {
    const Result r = measure(n, courant, n > 40 ? 2 : 4);
    const double ratio = r.jacobi.seconds / r.zhang_skeel.seconds;
    const double default_ratio = r.default_newmark.seconds / r.default_zhang_skeel.seconds;
    if (!json)
    {
      fmt::print("\n{} dofs: assembly {:.3f} us per tetrahedron; multigrid: set-up {:.3f} s, {:.0f} iterations to 1e-8, {:.0f} "
                 "bytes per dof with the matrix\n"
                 "  {:<22} {:>9} {:>10} {:>10} {:>10} {:>10} {:>8} {:>9}\n",
                 r.dofs, 1e6 * r.assembly_per_element, r.setup, r.multigrid_iterations, r.bytes_per_dof, "step", "us/dof", "s",
                 "assembly", "precond.", "solve", "Newton", "CG/solve");
      print("Newmark, jacobi", r.jacobi, r.dofs);
      print("Newmark, multigrid", r.multigrid, r.dofs);
      print("Zhang-Skeel, jacobi", r.zhang_skeel, r.dofs);
      print("Newmark, defaults", r.default_newmark, r.dofs);
      print("Zhang-Skeel, defaults", r.default_zhang_skeel, r.dofs);
      fmt::print("  Newmark / Zhang-Skeel: {:.2f}, with defaults {:.2f}\n", ratio, default_ratio);
    }
    all.push_back({{"dofs", r.dofs},
                   {"assembly_us_per_tetrahedron", 1e6 * r.assembly_per_element},
                   {"multigrid_setup_seconds", r.setup},
                   {"multigrid_iterations", r.multigrid_iterations},
                   {"bytes_per_dof", r.bytes_per_dof},
                   {"newmark_jacobi", to_json(r.jacobi, r.dofs)},
                   {"newmark_multigrid", to_json(r.multigrid, r.dofs)},
                   {"zhang_skeel", to_json(r.zhang_skeel, r.dofs)},
                   {"newmark_defaults", to_json(r.default_newmark, r.dofs)},
                   {"zhang_skeel_defaults", to_json(r.default_zhang_skeel, r.dofs)},
                   {"ratio_newmark_to_zhang_skeel", ratio},
                   {"ratio_with_defaults", default_ratio}});
  }
  if (json) fmt::print("{}\n", nlohmann::json{{"step_in_critical_steps", courant}, {"meshes", all}}.dump());
}

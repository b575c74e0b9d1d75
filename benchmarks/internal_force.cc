#include "deal_ii_forces.h"

#include <freefall/core/ranks.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/fem/make_elements.h>
#include <freefall/systems/fem/mesh_ordering.h>
#include <freefall/systems/fem/mesh_settings.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <time.h>
#include <CLI/CLI.hpp>
#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>

using namespace freefall;

namespace
{
const NeoHookean aluminium{60.5e9, 26e9};
constexpr double density = 2700;
constexpr int steps_between_diagnostics = 100;

/// Processor time, s: other programs on the machine do not count, except for the caches and the bandwidth they take.
double processor_seconds()
{
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The shortest of several runs, at least `repetitions` and half a second.
template <typename Run>
double best_seconds(int repetitions, const Run &run)
{
  double best = std::numeric_limits<double>::infinity();
  const double begin = processor_seconds();
  for (int i = 0; i < repetitions || processor_seconds() - begin < 0.5; ++i)
  {
    const double start = processor_seconds();
    run();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

/// n^3 distorted hexahedra, each cut into six tetrahedra, in random order: as unstructured as an ordering can find it.
SolidMesh shuffled_mesh(int n)
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> offset(-0.1, 0.1);
  const int m = n + 1;
  const auto number = [m](const std::array<int, 3> &i) { return (i[0] * m + i[1]) * m + i[2]; };
  SolidMesh mesh;
  mesh.nodes.resize(3, m * m * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < m; ++k)
        mesh.nodes.col(number({i, j, k})) = Eigen::Vector3d(i + offset(random), j + offset(random), k + offset(random)) / n;
  std::vector<std::array<int, 4>> cells;
  std::array<int, 3> axes{0, 1, 2};
  do
    for (int i = 0; i < n * n * n; ++i)
    {
      std::array<int, 3> corner{i / (n * n), i / n % n, i % n};
      std::array<int, 4> cell{number(corner)};
      for (int a = 0; a < 3; ++a)
      {
        ++corner[axes[a]];
        cell[a + 1] = number(corner);
      }
      Eigen::Matrix3d edges;
      for (int a = 0; a < 3; ++a) edges.col(a) = mesh.nodes.col(cell[a + 1]) - mesh.nodes.col(cell[0]);
      if (edges.determinant() < 0) std::swap(cell[2], cell[3]);
      cells.push_back(cell);
    }
  while (std::next_permutation(axes.begin(), axes.end()));
  std::shuffle(cells.begin(), cells.end(), random);
  for (const auto &cell : cells) mesh.connectivity.insert(mesh.connectivity.end(), cell.begin(), cell.end());
  mesh.bodies.assign(cells.size(), 0);
  mesh.material_ids = mesh.bodies;
  mesh.names.resize(1);
  return mesh;
}

SolidBody body_of(const NeoHookean &material)
{
  SolidBody body;
  body.name = "body";
  body.material = material;
  body.density = density;
  return body;
}

/// A smooth motion and strains of a per cent.
Eigen::VectorXd strained(const SolidMesh &mesh)
{
  Eigen::VectorXd q = mesh.nodes.reshaped();
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.003 * std::sin(3 * mesh.nodes((i + 1) % 3, i / 3) + static_cast<double>(i % 3));
  return q;
}

/// Seconds to stream that many bytes through a triad a = b + s c.
double streaming_seconds(double bytes)
{
  const auto n = static_cast<Eigen::Index>(bytes / (3 * sizeof(double)));
  Eigen::VectorXd a = Eigen::VectorXd::Zero(n), b = Eigen::VectorXd::Ones(n), c = Eigen::VectorXd::Ones(n);
  return best_seconds(5, [&] { a.noalias() = b + 0.5 * c; });
}

struct Result
{
  int elements;
  double step, force, fe_values, matrix_free, streaming;  ///< s
  double bytes;
};

void require_agreement(const Eigen::VectorXd &ours, const Eigen::VectorXd &theirs, const char *name)
{
  const double difference = (ours - theirs).norm() / ours.norm();
  if (!(difference < 1e-12))
    throw std::runtime_error(fmt::format("{} disagrees by {:.2g}: nothing to compare", name, difference));
}

/// Seconds of an explicit step of a baseline: its force and the least update that a step can have, without diagnostics.
template <typename Force>
double baseline_seconds(int repetitions, DealIIForces &baseline, const Force &force)
{
  DealIIForces::Vector v = baseline.u, u = baseline.u;
  return best_seconds(repetitions,
                      [&]
                      {
                        force();
                        v.add(-1e-20, baseline.force);
                        u.add(1e-20, v);
                      });
}

Result measure(int n)
{
  SolidSettings settings;
  settings.bodies = {body_of(aluminium)};
  SolidMesh ordered = shuffled_mesh(n);
  order_for_cache(ordered);
  const SolidSystem body(settings, std::move(ordered));
  const SolidMesh &mesh = body.mesh();
  State state = body.initial_state();
  state.q = strained(mesh);
  Eigen::VectorXd force;

  Result result{};
  const double n_elements = mesh.n_cells();
  result.elements = mesh.n_cells();
  {
    DealIIForces baseline(mesh, aluminium);
    const Eigen::VectorXd reference = mesh.nodes.reshaped();
    // Compared where forces are large: at a smooth state they nearly cancel at every node, and their rounding does not.
    const Eigen::VectorXd rough = Eigen::VectorXd::NullaryExpr(
      reference.size(), [n](Eigen::Index i) { return 0.02 / n * std::sin(static_cast<double>(i * i)); });
    body.gradient(reference + rough, force);
    baseline.set_displacement(rough);
    baseline.evaluate_fe_values();
    require_agreement(force, baseline.force_in_our_order(), "FEValues");
    baseline.evaluate_matrix_free();
    require_agreement(force, baseline.force_in_our_order(), "MatrixFree");
    baseline.set_displacement(state.q - reference);
    result.fe_values = baseline_seconds(2, baseline, [&] { baseline.evaluate_fe_values(); });
    result.matrix_free = baseline_seconds(3, baseline, [&] { baseline.evaluate_matrix_free(); });
  }
  const double time_step = 1e-3 / (n * std::sqrt((aluminium.lambda + 2 * aluminium.mu) / density));
  FixedStepIntegrator integrator(std::make_unique<VelocityVerlet>(), time_step);
  integrator.initialize(body, state);
  result.step = best_seconds(10, [&] { integrator.advance(state, state.time + time_step); });
  result.force = best_seconds(10, [&] { body.gradient(state.q, force); });
  volatile double total = 0;
  result.step += best_seconds(3, [&] { total = body.energy_balance(state).total(); }) / steps_between_diagnostics;

  // Each step reads the elements (eight numbers and four 16-bit places) and the mass, reads and writes positions and velocities.
  const double vector = static_cast<double>(state.q.size()) * sizeof(double);
  result.streaming = streaming_seconds(72 * n_elements + 5 * vector);
  // State and next state; acceleration and inverse mass of the integrator.
  result.bytes = (static_cast<double>(body.memory_consumption()) + 6 * vector) / n_elements;
  return result;
}

struct ElementResult
{
  std::string name;
  double points;                              ///< of quadrature
  double ns_per_point, fe_values, matrix_free;  ///< the last two as ratios to ours
};

/// The force of neo-Hookean elements of any type on a box, against the same baselines.
ElementResult measure_elements(ElementType type, int n)
{
  MeshSettings settings;
  settings.element = type;
  settings.box.subdivisions = {n, n, n};
  settings.box.cut = HexahedronCut::five;
  SolidMesh mesh = make_solid_mesh({settings});
  std::vector<int> cells(mesh.n_cells());
  std::iota(cells.begin(), cells.end(), 0);
  const auto elements = make_elements(aluminium, mesh, cells);
  const Eigen::VectorXd reference = mesh.nodes.reshaped();
  const Eigen::VectorXd rough = Eigen::VectorXd::NullaryExpr(
    reference.size(), [n](Eigen::Index i) { return 0.005 / n * std::sin(static_cast<double>(i * i)); });
  const Eigen::VectorXd q = reference + rough;
  Eigen::VectorXd force = Eigen::VectorXd::Zero(q.size());
  elements->add_gradient(q, force);
  DealIIForces baseline(mesh, aluminium);
  baseline.set_displacement(rough);
  baseline.evaluate_fe_values();
  require_agreement(force, baseline.force_in_our_order(), "FEValues");
  baseline.evaluate_matrix_free();
  require_agreement(force, baseline.force_in_our_order(), "MatrixFree");
  const double ours = best_seconds(5,
                                   [&]
                                   {
                                     force.setZero();
                                     elements->add_gradient(q, force);
                                   });
  ElementResult result{shape_of(type).name, static_cast<double>(baseline.n_points()) * mesh.n_cells(), 0, 0, 0};
  result.ns_per_point = 1e9 * ours / result.points;
  result.fe_values = best_seconds(1, [&] { baseline.evaluate_fe_values(); }) / ours;
  result.matrix_free = best_seconds(3, [&] { baseline.evaluate_matrix_free(); }) / ours;
  return result;
}

nlohmann::json to_json(const std::vector<ElementResult> &results)
{
  nlohmann::json list = nlohmann::json::array();
  for (const auto &result : results)
    list.push_back({{"element", result.name},
                    {"points", result.points},
                    {"ns_per_point", result.ns_per_point},
                    {"ratio_fevalues", result.fe_values},
                    {"ratio_matrix_free", result.matrix_free}});
  return list;
}

/// Wall seconds of a step of a free box on all ranks of this process's run, best of several.
double distributed_step_seconds(int n)
{
  SolidBody body = body_of(aluminium);
  body.mesh.box.subdivisions = {n, n, n};
  body.mesh.box.cut = HexahedronCut::five;
  body.spin = {0, 0, 1};
  SolidSettings settings;
  settings.bodies = {body};
  const SolidSystem system(settings);
  State state = system.initial_state();
  const double time_step = 1e-3 / (n * std::sqrt((aluminium.lambda + 2 * aluminium.mu) / density));
  FixedStepIntegrator integrator(std::make_unique<VelocityVerlet>(), time_step);
  integrator.initialize(system, state);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 100; ++i)
  {
    const auto start = std::chrono::steady_clock::now();
    integrator.advance(state, state.time + time_step);
    const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, ranks::maximum(here));
  }
  return best;
}

/// Runs this program again on some ranks for distributed_step_seconds(n).
std::optional<double> seconds_on_ranks(int n_ranks, int n)
{
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("mpirun --bind-to core -n {} {} --distributed-step {}", n_ranks, program, n);
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  double seconds = 0;
  const bool is_read = std::fscanf(pipe, "%lf", &seconds) == 1;
  const bool is_done = pclose(pipe) == 0;
  if (!is_read || !is_done) return {};
  return seconds;
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Cost of an explicit step on linear tetrahedra, one core, against deal.II and the memory bandwidth");
  bool json = false, quick = false;
  app.add_flag("--json", json, "one JSON object for the largest mesh");
  app.add_flag("--quick", quick, "small meshes only");
  int distributed = 0;
  app.add_option("--distributed-step", distributed,
                 "only print the wall seconds of a step of a box of that many hexahedra along an edge, on the ranks of mpirun");
  CLI11_PARSE(app, argc, argv);
  const ranks::Session session;
  if (distributed > 0)
  {
    const double seconds = distributed_step_seconds(distributed);
    if (ranks::rank() == 0) fmt::print("{}\n", seconds);
    return 0;
  }

  if (!json)
    fmt::print(
      "Whole explicit steps (force, update, diagnostics every {} steps), one core, processor time, best of several.\n"
      "{:>9} {:>14} {:>13} {:>13} {:>15} {:>15} {:>12}\n",
      steps_between_diagnostics, "elements", "ns/el. step", "ns/el. force", "x FEValues", "x MatrixFree", "of streaming",
      "bytes/el.");
  Result result{};
  for (const int n : quick ? std::vector<int>{6, 12} : std::vector<int>{12, 32, 55})
  {
    result = measure(n);
    if (!json)
      fmt::print("{:>9} {:>14.1f} {:>13.1f} {:>13.1f} {:>15.1f} {:>15.2f} {:>12.0f}\n", result.elements,
                 1e9 * result.step / result.elements, 1e9 * result.force / result.elements, result.fe_values / result.step,
                 result.matrix_free / result.step, result.streaming / result.step, result.bytes);
  }

  std::vector<ElementResult> others;
  for (const auto &[type, n] : {std::make_pair(ElementType::tet10, quick ? 4 : 16), std::make_pair(ElementType::hex8, quick ? 8 : 32),
                                std::make_pair(ElementType::hex27, quick ? 4 : 14)})
    others.push_back(measure_elements(type, n));
  if (!json)
  {
    fmt::print("\nForces of other elements\n{:>24} {:>10} {:>10} {:>13} {:>15}\n", "element", "points", "ns/point", "x FEValues",
               "x MatrixFree");
    for (const auto &other : others)
      fmt::print("{:>24} {:>10.0f} {:>10.1f} {:>13.1f} {:>15.2f}\n", other.name, other.points, other.ns_per_point, other.fe_values,
                 other.matrix_free);
  }

  // Wall time: what the user of two ranks gets, if both cores are free.
  const int n_distributed = quick ? 12 : 58;
  const auto one = seconds_on_ranks(1, n_distributed), two = seconds_on_ranks(2, n_distributed);
  std::optional<double> speedup;
  if (one && two) speedup = *one / *two;
  if (!json && speedup)
    fmt::print("\n{} tetrahedra on two ranks: {:.2f} times faster than on one\n", 5 * n_distributed * n_distributed * n_distributed,
               *speedup);
  if (!speedup) fmt::print(stderr, "speedup_two_ranks is not measured: mpirun failed.\n");
  if (json)
    fmt::print("{}\n", nlohmann::json{{"elements", result.elements},
                                      {"ns_per_element_step", 1e9 * result.step / result.elements},
                                      {"ratio_fevalues", result.fe_values / result.step},
                                      {"ratio_matrix_free", result.matrix_free / result.step},
                                      {"fraction_of_streaming_limit", result.streaming / result.step},
                                      {"bytes_per_element", result.bytes},
                                      {"speedup_two_ranks", speedup ? nlohmann::json(*speedup) : nlohmann::json()},
                                      {"other_elements", to_json(others)}}
                         .dump());
}

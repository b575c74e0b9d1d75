#include "deal_ii_forces.h"

#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/potentials/linear_tetrahedra.h>
#include <freefall/systems/fem/mesh_ordering.h>
#include <freefall/systems/system.h>

#include <fmt/format.h>
#include <time.h>
#include <CLI/CLI.hpp>
#include <Eigen/LU>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
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
      mesh.cells.push_back(cell);
    }
  while (std::next_permutation(axes.begin(), axes.end()));
  std::shuffle(mesh.cells.begin(), mesh.cells.end(), random);
  for (const auto &cell : mesh.cells) mesh.connectivity.insert(mesh.connectivity.end(), cell.begin(), cell.end());
  mesh.bodies.assign(mesh.cells.size(), 0);
  mesh.material_ids = mesh.bodies;
  return mesh;
}

/// A free body: the elements and lumped mass of a mesh.
class FreeBody : public System
{
public:
  explicit FreeBody(const SolidMesh &mesh)
  {
    std::vector<int> names(mesh.cells.size());
    std::iota(names.begin(), names.end(), 0);
    auto elements = std::make_unique<LinearTetrahedra<NeoHookean>>(aluminium, mesh.nodes, mesh.cells, names);
    diagonal_mass_.setZero(mesh.nodes.size());
    for (int e = 0; e < elements->n_terms(); ++e)
      for (const int dof : elements->dofs(e)) diagonal_mass_[dof] += density * elements->volume(e) / 4;
    memory_ = elements->memory_consumption();
    terms_.push_back(std::move(elements));
    initial_state_.q = mesh.nodes.reshaped();
    // A smooth motion and strains of a per cent.
    for (Eigen::Index i = 0; i < initial_state_.q.size(); ++i)
      initial_state_.q[i] += 0.003 * std::sin(3 * mesh.nodes((i + 1) % 3, i / 3) + static_cast<double>(i % 3));
    initial_state_.v = Eigen::VectorXd::Zero(mesh.nodes.size());
    memory_ += 3 * sizeof(double) * mesh.nodes.size() + mesh.nodes.size() * sizeof(double) +
               mesh.cells.size() * (sizeof(mesh.cells[0]) + sizeof(int));
  }
  /// Elements, mass, initial state and mesh, bytes.
  std::size_t memory_consumption() const { return memory_; }

private:
  std::size_t memory_ = 0;
};

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
  SolidMesh mesh = shuffled_mesh(n);
  order_for_cache(mesh);
  const FreeBody body(mesh);
  State state = body.initial_state();
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

  // Each step reads the elements (gradients, volume, local numbers) and the mass, reads and writes positions and velocities.
  const double vector = static_cast<double>(state.q.size()) * sizeof(double);
  result.streaming = streaming_seconds(84 * n_elements + 5 * vector);
  // State and next state; gradient, inverse mass and acceleration of the integrator.
  result.bytes = (static_cast<double>(body.memory_consumption()) + 7 * vector) / n_elements;
  return result;
}
}  // namespace

int main(int argc, char **argv)
{
  CLI::App app("Cost of an explicit step on linear tetrahedra, one core, against deal.II and the memory bandwidth");
  bool json = false, quick = false;
  app.add_flag("--json", json, "one JSON object for the largest mesh");
  app.add_flag("--quick", quick, "small meshes only");
  CLI11_PARSE(app, argc, argv);

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
  fmt::print(stderr, "speedup_two_ranks is null: runs on several ranks do not exist yet.\n");
  if (json)
    fmt::print("{}\n", nlohmann::json{{"elements", result.elements},
                                      {"ns_per_element_step", 1e9 * result.step / result.elements},
                                      {"ratio_fevalues", result.fe_values / result.step},
                                      {"ratio_matrix_free", result.matrix_free / result.step},
                                      {"fraction_of_streaming_limit", result.streaming / result.step},
                                      {"bytes_per_element", result.bytes},
                                      {"speedup_two_ranks", nullptr}}
                         .dump());
}

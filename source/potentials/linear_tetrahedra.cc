#if defined(__GNUC__) && __GNUC__ < 13
// Registers that avx512fintrin.h leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <freefall/core/errors.h>
#include <freefall/core/taylor.h>
#include <freefall/potentials/discrete_stress.h>
#include <freefall/potentials/linear_tetrahedra.h>

#include "tetrahedron_lanes.h"

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <utility>

namespace freefall
{
namespace
{
using namespace tetrahedron_lanes;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

inline double sum_lanes(double x) { return x; }
template <typename T>
double sum_lanes(const T &x)
{
  return xsimd::hadd(x);
}

/// Apart, so that it is not inlined into the loops.
[[noreturn, gnu::noinline]] void throw_inverted(int name, const Eigen::Vector3d &centre, double determinant)
{
  throw DomainError(fmt::format("element {} near ({:.6g}, {:.6g}, {:.6g}) is inverted: det F = {:.6g}, must be positive", name,
                                centre[0], centre[1], centre[2], determinant));
}

inline double smaller(double a, double b) { return std::min(a, b); }
inline Batch smaller(const Batch &a, const Batch &b) { return xsimd::min(a, b); }
}  // namespace

template <typename Material>
LinearTetrahedra<Material>::LinearTetrahedra(const Material &material,
                                             const Eigen::Matrix3Xd &reference_nodes,
                                             const std::vector<Cell> &cells,
                                             std::vector<int> element_names)
  : material_(material),
    names_(std::move(element_names)),
    records_(cells.size()),
    dofs_(12 * cells.size()),
    chunks_(cells, static_cast<int>(reference_nodes.cols()))
{
  int lowest = static_cast<int>(reference_nodes.cols()), highest = -1;
  for (const Cell &cell : cells)
    for (const int node : cell)
    {
      lowest = std::min(lowest, node);
      highest = std::max(highest, node);
    }
  first_node_ = lowest;
  if (!cells.empty()) reference_nodes_ = reference_nodes.middleCols(lowest, highest - lowest + 1);
  for (std::size_t e = 0; e < cells.size(); ++e)
  {
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c) dofs_[12 * e + 3 * a + c] = 3 * cells[e][a] + c;
    const Eigen::Matrix3d edges = reference_edges(static_cast<int>(e));
    const double volume = edges.determinant() / -6;  // the edges point away from node 3: a left-handed triple
    if (!(volume > 0))
      throw InputError(
        fmt::format("mesh: element {} has the volume {} m3; it must be positive. Turn its nodes around or repair "
                    "the mesh.",
                    names_[e], volume));
    const Eigen::Matrix3d N = edges.inverse();  // row a is grad N_a
    const Eigen::Matrix3d R = material.mu * volume * N * N.transpose();
    records_[e] = {R(0, 0), R(1, 1), R(2, 2), R(0, 1), R(0, 2), R(1, 2), -1 / (6 * volume), volume};
  }
}

template <typename Material>
Eigen::Matrix3d LinearTetrahedra<Material>::reference_edges(int element) const
{
  const auto node = [&](int a) { return reference_nodes_.col(dofs_[12 * element + 3 * a] / 3 - first_node_); };
  Eigen::Matrix3d edges;
  for (int a = 0; a < 3; ++a) edges.col(a) = node(a) - node(3);
  return edges;
}

template <typename Material>
Matrix34 LinearTetrahedra<Material>::shape_gradients(int element) const
{
  Matrix34 N;
  N.leftCols<3>() = reference_edges(element).inverse().transpose();
  N.col(3) = -N.leftCols<3>().rowwise().sum();
  return N;
}

template <typename Material>
Eigen::Matrix3d LinearTetrahedra<Material>::deformation_gradient(int element, const double *x) const
{
  return Eigen::Map<const Matrix34>(x) * shape_gradients(element).transpose();
}

template <typename Material>
std::size_t LinearTetrahedra<Material>::memory_consumption() const
{
  return sizeof(*this) + names_.capacity() * sizeof(int) + records_.capacity() * sizeof(Record) +
         reference_nodes_.size() * sizeof(double) + dofs_.capacity() * sizeof(int) + chunks_.memory_consumption();
}

template <typename Material>
template <typename T, typename Element, typename Position>
void LinearTetrahedra<Material>::check_positive(const T &determinant, const Element &element, const Position &position) const
{
  if (simd_detail::all(determinant > T(0))) return;
  double lanes[n_lanes<T>];
  simd_detail::store(determinant, lanes);
  int lane = 0;
  while (lanes[lane] > 0) ++lane;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int a = 0; a < 4; ++a) centre += Eigen::Map<const Eigen::Vector3d>(position(lane, a)) / 4;
  throw_inverted(names_[element(lane)], centre, lanes[lane]);
}

template <typename Material>
double LinearTetrahedra<Material>::value(int element, const double *x) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(
    J, [=](int) { return element; }, [x](int, int a) { return x + 3 * a; });
  return volume(element) * material_.energy(F);
}

template <typename Material>
void LinearTetrahedra<Material>::gradient(int element, const double *x, double *gradient) const
{
  Lanes<double> lanes;
  lanes.load_packed(records_.data(), &element, x, [](int) { return 0; });
  const double J = lanes.determinant();
  check_positive(
    J, [=](int) { return element; }, [x](int, int a) { return x + 3 * a; });
  double forces[9];
  forces_of(lanes, material_.cofactor_stress(J), forces);
  for (int c = 0; c < 3; ++c)
  {
    for (int a = 0; a < 3; ++a) gradient[3 * a + c] = forces[3 * a + c];
    gradient[9 + c] = -forces[c] - forces[3 + c] - forces[6 + c];
  }
}

template <typename Material>
void LinearTetrahedra<Material>::hessian(int element, const double *x, double *hessian) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(
    J, [=](int) { return element; }, [x](int, int a) { return x + 3 * a; });
  const Matrix34 N = shape_gradients(element);
  for (int node = 0; node < 4; ++node)
    for (int c = 0; c < 3; ++c)
    {
      Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
      A.row(c) = N.col(node).transpose();
      Eigen::Map<Matrix34>(hessian + 12 * (3 * node + c)).noalias() = volume(element) * material_.stress_derivative(F, A) * N;
    }
}

template <typename Material>
void LinearTetrahedra<Material>::third_derivative(int element,
                                                  const double *x,
                                                  const double *direction,
                                                  double *contraction) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(
    J, [=](int) { return element; }, [x](int, int a) { return x + 3 * a; });
  const Eigen::Matrix3d A = deformation_gradient(element, direction);
  Eigen::Map<Matrix34>(contraction).noalias() =
    volume(element) * material_.second_stress_derivative(F, A) * shape_gradients(element);
}

template <typename Material>
void LinearTetrahedra<Material>::discrete_gradient(int element, const double *x0, const double *x1, double *gradient) const
{
  const Eigen::Matrix3d F0 = deformation_gradient(element, x0), F1 = deformation_gradient(element, x1);
  for (const auto &[F, x] : {std::make_pair(&F0, x0), std::make_pair(&F1, x1)})
    check_positive(
      F->determinant(), [=](int) { return element; }, [x = x](int, int a) { return x + 3 * a; });
  Eigen::Map<Matrix34>(gradient).noalias() =
    volume(element) * discrete_stress(material_, F0, F1) * shape_gradients(element);
}

template <typename Material>
double LinearTetrahedra<Material>::difference(int element, const double *x, int a, double s) const
{
  return sum_of_differences(1, &element, x, &a, s);
}

template <typename Material>
double LinearTetrahedra<Material>::mixed_difference(int element, const double *x, int a, double s, int b, double r) const
{
  return sum_of_mixed_differences(1, &element, x, &a, s, &b, r);
}

namespace
{
/// A few batches that go through the steps of a force together. One batch is a long chain of operations, each waiting for
/// the one before; steps of several batches are independent of each other and fill the pipelines.
template <typename T>
struct Block
{
  static constexpr int size = std::is_same_v<T, double> ? 1 : 8;
  Lanes<T> lanes[size];
  T J[size];
};

/// Sum of kernel(T(), entry) over `count` entries; entry(lane) is the entry in a lane of T. A single one left over is done in
/// scalars, more in a batch whose unused lanes repeat the last entry and do not count.
template <typename Kernel>
double sum_in_batches(int count, const Kernel &kernel)
{
  double sum = 0;
  int first = 0;
  for (; first + batch_size <= count; first += batch_size)
    sum += sum_lanes(kernel(Batch(), [=](int lane) { return first + lane; }));
  if (first + 1 == count) return sum + kernel(double(), [=](int) { return first; });
  if (first < count)
  {
    double lanes[batch_size];
    simd_detail::store(kernel(Batch(), [=](int lane) { return std::min(first + lane, count - 1); }), lanes);
    for (int lane = 0; first + lane < count; ++lane) sum += lanes[lane];
  }
  return sum;
}
}  // namespace

template <typename Material>
[[gnu::flatten]] double LinearTetrahedra<Material>::sum_of_differences(
  int count, const int *elements, const double *x, const int *a, double s) const
{
  const int c = a[0] % 3;  // one global dof: the same component in every element
  return sum_in_batches(count,
                        [&](auto tag, const auto &entry)
                        {
                          using T = decltype(tag);
                          Lanes<T> lanes;
                          lanes.load_packed(records_.data(), elements, x, entry);
                          T w[3], e[3], n[3], Rw[3];
                          Lanes<T>::weights_of([&](int lane) { return a[entry(lane)] / 3; }, w);
                          lanes.components(c, e);
                          lanes.normals(c, n);
                          const T J = lanes.record[6] * dot(e, n);
                          const T A = T(s) * lanes.record[6] * dot(w, n);
                          check_positive(
                            T(smaller(J, T(J + A))), [&](int lane) { return elements[entry(lane)]; },
                            [&](int lane, int node) { return x + 12 * entry(lane) + 3 * node; });
                          lanes.shear_times(w, Rw);
                          const T shear = T(s) * dot(e, Rw) + T(s * s / 2) * dot(w, Rw);
                          return T(lanes.volume() * material_.difference(J, A, T(0)) + shear);
                        });
}

template <typename Material>
[[gnu::flatten]] double LinearTetrahedra<Material>::sum_of_mixed_differences(
  int count, const int *elements, const double *x, const int *a, double s, const int *b, double r) const
{
  const int c = a[0] % 3, d = b[0] % 3;
  return sum_in_batches(count,
                        [&](auto tag, const auto &entry)
                        {
                          using T = decltype(tag);
                          Lanes<T> lanes;
                          lanes.load_packed(records_.data(), elements, x, entry);
                          T wa[3], wb[3], e[3], n[3];
                          Lanes<T>::weights_of([&](int lane) { return a[entry(lane)] / 3; }, wa);
                          Lanes<T>::weights_of([&](int lane) { return b[entry(lane)] / 3; }, wb);
                          lanes.components(c, e);
                          lanes.normals(c, n);
                          const T J = lanes.record[6] * dot(e, n);
                          const T A = T(s) * lanes.record[6] * dot(wa, n);
                          T B, AB(0), shear(0);
                          if (c == d)
                          {
                            // Both increments lie in one row of F: det is linear in that row, tr F^T F is not.
                            B = T(r) * lanes.record[6] * dot(wb, n);
                            T Rw[3];
                            lanes.shear_times(wb, Rw);
                            shear = T(s * r) * dot(wa, Rw);
                          }
                          else
                          {
                            lanes.normals(d, n);
                            B = T(r) * lanes.record[6] * dot(wb, n);
                            T w[3];
                            cross(wa, wb, w);
                            lanes.components(3 - c - d, e);
                            const double sign = (c + 1) % 3 == d ? 1 : -1;
                            AB = T(sign * s * r) * lanes.record[6] * dot(w, e);
                          }
                          const T lowest = smaller(smaller(J, T(J + A)), smaller(T(J + B), T(J + A + B + AB)));
                          check_positive(
                            lowest, [&](int lane) { return elements[entry(lane)]; },
                            [&](int lane, int node) { return x + 12 * entry(lane) + 3 * node; });
                          return T(lanes.volume() * material_.mixed_difference(J, A, B, AB, T(0)) + shear);
                        });
}

template <typename Material>
template <typename Kernel>
void LinearTetrahedra<Material>::for_each_chunk(const Eigen::VectorXd &q, const Kernel &kernel) const
{
  alignas(64) double positions[4 * ElementChunks::max_nodes];
  for (int chunk = 0; chunk < chunks_.n_chunks(); ++chunk)
  {
    const auto nodes = chunks_.nodes(chunk);
    for (std::size_t i = 0; i < nodes.size(); ++i)
    {
      for (int c = 0; c < 3; ++c) positions[4 * i + c] = q[3 * nodes[i] + c];
      positions[4 * i + 3] = 0;
    }
    kernel(chunk, positions);
  }
}

template <typename Material>
template <typename Kernel>
void LinearTetrahedra<Material>::for_each_block(int chunk, const double *positions, const Kernel &kernel) const
{
  const int first = chunks_.first_element(chunk), end = chunks_.end_element(chunk);
  // Pointers of their own: through `this` they would be read again after every store.
  const auto visit = [this, positions, &kernel, records = records_.data(), places = chunks_.places(0)](
                       auto tag, int begin, int n, int stride) __attribute__((always_inline))
  {
    using T = decltype(tag);
    const auto element = [begin, stride](int i, int lane) { return begin + i + lane * stride; };
    const auto place = [places, element](int i, int lane, int a) { return places[element(i, lane)][a]; };
    Block<T> block;
    auto valid = T(1) > T(0);
    for (int i = 0; i < n; ++i)
    {
      block.lanes[i].load([&](int lane) { return records[element(i, lane)].data(); },
                          [&](int lane, int a) { return positions + place(i, lane, a); });
      block.J[i] = block.lanes[i].determinant();
      valid = valid & (block.J[i] > T(0));
    }
    if (!simd_detail::all(valid))
      for (int i = 0; i < n; ++i)
        check_positive(
          block.J[i], [&](int lane) { return element(i, lane); },
          [&](int lane, int a) { return positions + place(i, lane, a); });
    kernel(block, n, place);
  };
  // Each lane goes through a part of the chunk of its own. Neighbours share nodes, and additions to one node wait for each other's
  // stores: with neighbours in one batch a force takes a sixth longer.
  const int stride = (end - first) / n_lanes<WideBatch>;
  for (int done = 0; done < stride; done += Block<WideBatch>::size)
    visit(WideBatch(), first + done, std::min(Block<WideBatch>::size, stride - done), stride);
  for (int rest = first + stride * n_lanes<WideBatch>; rest < end; ++rest) visit(double(), rest, 1, 0);
}

template <typename Material>
[[gnu::flatten]] double LinearTetrahedra<Material>::energy(const Eigen::VectorXd &q) const
{
  double sum = 0;
  const auto add_energies = [&sum, material = material_](const auto &block, int n, const auto &)
  {
    for (int i = 0; i < n; ++i)
    {
      using T = std::decay_t<decltype(block.J[i])>;
      const Lanes<T> &lanes = block.lanes[i];
      sum += sum_lanes(T(lanes.volume() * (material.energy(block.J[i], T(3)) - T(1.5 * material.mu)) + lanes.half_trace()));
    }
  };
  for_each_chunk(q, [&](int chunk, const double *positions) { for_each_block(chunk, positions, add_energies); });
  return sum;
}

template <typename Material>
[[gnu::flatten]] void LinearTetrahedra<Material>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  alignas(64) double forces[4 * ElementChunks::max_nodes];
  const auto add_forces_of_block = [&forces, material = material_](auto &block, int n, const auto &place)
  {
    using T = std::decay_t<decltype(block.J[0])>;
    for (int i = 0; i < n; ++i) block.J[i] = material.cofactor_stress(block.J[i]);
    for (int i = 0; i < n; ++i)
    {
      T of_nodes[9];
      forces_of(block.lanes[i], block.J[i], of_nodes);
      add_in_balance<T>(of_nodes, [&](int lane, int a) { return forces + place(i, lane, a); });
    }
  };
  for_each_chunk(q,
                 [&](int chunk, const double *positions)
                 {
                   const auto nodes = chunks_.nodes(chunk);
                   std::fill_n(forces, 4 * nodes.size(), 0.0);
                   for_each_block(chunk, positions, add_forces_of_block);
                   for (std::size_t i = 0; i < nodes.size(); ++i)
                     for (int c = 0; c < 3; ++c) gradient[3 * nodes[i] + c] += forces[4 * i + c];
                 });
}

template <typename Material>
[[gnu::flatten]] void LinearTetrahedra<Material>::hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const
{
  // With g_a = F^-T grad N_a: K_ab = V (lambda g_a (x) g_b + (mu - lambda ln J) g_b (x) g_a + mu (grad N_a . grad N_b) I).
  for (int begin = first; begin < first + count; begin += batch_size)
  {
    // The unused lanes of the last batch repeat the last element.
    const auto element = [=](int lane) { return std::min(begin + lane, first + count - 1); };
    const auto dof = [&](int lane, int a) { return dofs_[12 * element(lane) + 3 * a]; };
    Lanes<Batch> lanes;
    lanes.load_global([&](int lane) { return records_[element(lane)].data(); }, q.data(), dof);
    const Batch J = lanes.determinant();
    if (!simd_detail::all(J > Batch(0)))
      check_positive(J, element, [&](int lane, int a) { return q.data() + dof(lane, a); });

    // g_a = (dJ/dx_a) / J.
    Batch g[4][3], shear[4][4];
    const Batch factor = lanes.record[6] / J;
    for (int a = 0; a < 3; ++a)
    {
      lanes.normal(a, g[a]);
      for (int c = 0; c < 3; ++c) g[a][c] = factor * g[a][c];
      for (int b = 0; b < 3; ++b) shear[a][b] = lanes.shear(a, b);
    }
    for (int c = 0; c < 3; ++c) g[3][c] = Batch(0) - g[0][c] - g[1][c] - g[2][c];
    for (int a = 0; a < 3; ++a) shear[a][3] = Batch(0) - shear[a][0] - shear[a][1] - shear[a][2];
    shear[3][3] = Batch(0) - shear[0][3] - shear[1][3] - shear[2][3];
    const Batch first_factor = lanes.volume() * Batch(material_.lambda);
    const Batch second_factor = Batch(0) - lanes.volume() * J * material_.cofactor_stress(J);

    alignas(64) double entries[144][batch_size];
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b)
      {
        const Batch diagonal = shear[a][b];
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k)
          {
            Batch entry = first_factor * g[a][i] * g[b][k] + second_factor * g[b][i] * g[a][k];
            if (i == k) entry = entry + diagonal;
            entry.store_aligned(entries[12 * (3 * a + i) + 3 * b + k]);
            entry.store_aligned(entries[12 * (3 * b + k) + 3 * a + i]);
          }
      }
    const int n = std::min(batch_size, first + count - begin);
    for (int lane = 0; lane < n; ++lane)
      for (int k = 0; k < 144; ++k) hessians[144 * (begin - first + lane) + k] = entries[k][lane];
  }
}

template <typename Material>
[[gnu::flatten]] void LinearTetrahedra<Material>::add_third_derivative(const Eigen::VectorXd &q,
                                                                       const Eigen::VectorXd &direction,
                                                                       Eigen::VectorXd &contraction) const
{
  for (int begin = 0; begin < n_terms(); begin += batch_size)
  {
    // The unused lanes of the last batch repeat the last element.
    const auto element = [=](int lane) { return std::min(begin + lane, n_terms() - 1); };
    const auto dof = [&](int lane, int a) { return dofs_[12 * element(lane) + 3 * a]; };
    const auto record = [&](int lane) { return records_[element(lane)].data(); };
    Lanes<Batch> lanes, along;
    lanes.load_global(record, q.data(), dof);
    along.load_global(record, direction.data(), dof);
    const Batch J = lanes.determinant();
    if (!simd_detail::all(J > Batch(0)))
      check_positive(J, element, [&](int lane, int a) { return q.data() + dof(lane, a); });

    // The shear part of the energy is quadratic in the edges: only the force V f'(J) dJ/dx_a is left, f' the factor of the cofactors.
    Taylor<Batch> edges[9], normals[3][3];
    for (int k = 0; k < 9; ++k) edges[k] = {lanes.edges[k], along.edges[k], Batch(0)};
    for (int a = 0; a < 3; ++a) cross(edges + 3 * ((a + 1) % 3), edges + 3 * ((a + 2) % 3), normals[a]);
    const Taylor<Batch> factor{lanes.record[6], Batch(0), Batch(0)};
    const Taylor<Batch> stress = factor * material_.cofactor_stress(factor * dot(edges, normals[0]));
    double forces[12][batch_size];
    for (int c = 0; c < 3; ++c)
    {
      Batch last(0);
      for (int a = 0; a < 3; ++a)
      {
        const Batch force = lanes.volume() * (stress * normals[a][c]).second;
        force.store_unaligned(forces[3 * a + c]);
        last = last - force;
      }
      last.store_unaligned(forces[9 + c]);
    }
    const int n = std::min(batch_size, n_terms() - begin);
    for (int lane = 0; lane < n; ++lane)
      for (int k = 0; k < 12; ++k) contraction[dofs_[12 * (begin + lane) + k]] += forces[k][lane];
  }
}

template class LinearTetrahedra<NeoHookean>;
}  // namespace freefall

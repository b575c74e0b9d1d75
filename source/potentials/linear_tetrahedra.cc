#include <freefall/core/errors.h>
#include <freefall/core/simd_transpose.h>
#include <freefall/core/taylor.h>
#include <freefall/potentials/deformation.h>
#include <freefall/potentials/discrete_stress.h>
#include <freefall/potentials/linear_tetrahedra.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <utility>

namespace freefall
{
namespace
{
using Matrix34 = Eigen::Matrix<double, 3, 4>;

inline double sum_lanes(double x) { return x; }
inline double sum_lanes(const Batch &x) { return xsimd::hadd(x); }
template <typename T>
void store(const T &value, double *lanes)
{
  if constexpr (std::is_same_v<T, double>)
    *lanes = value;
  else
    value.store_unaligned(lanes);
}

template <typename T>
T dot(const T *a, const T *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <typename T>
void cross(const T *a, const T *b, T *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/// Kinematics of one element in each lane.
template <typename T>
struct Lanes
{
  T N[10];  ///< shape gradients of the first three nodes and, last, the reference volume
  T F[9];   ///< row-major deformation gradient

  const T &volume() const { return N[9]; }

  /// From the positions of the nodes, x[a][c]. record(lane) is a pointer to the ten numbers of that element.
  template <typename Record, int stride>
  [[gnu::always_inline]] void load(const Record &record, const T (&x)[4][stride])
  {
    load_transposed<T, 10>(record, N);
    for (int c = 0; c < 3; ++c)
    {
      const T edges[3] = {x[0][c] - x[3][c], x[1][c] - x[3][c], x[2][c] - x[3][c]};
      for (int k = 0; k < 3; ++k) F[3 * c + k] = edges[0] * N[k] + edges[1] * N[3 + k] + edges[2] * N[6 + k];
    }
  }

  /// From positions that lie one after another, twelve numbers an element.
  template <typename Record, typename Entry>
  void load_packed(const Record *records, const int *elements, const double *x, const Entry &entry)
  {
    T positions[4][3];
    load_transposed<T, 12>([&](int lane) { return x + 12 * entry(lane); }, positions[0]);
    load([&](int lane) { return records[elements[entry(lane)]].data(); }, positions);
  }

  /// At global vectors: dofs(lane, a) is the first dof of node a of the element in a lane.
  template <typename Record, typename Dofs>
  [[gnu::always_inline]] void load_global(const Record &record, const double *q, const Dofs &dofs)
  {
    T x[4][3];
    for (int a = 0; a < 4; ++a) load_transposed<T, 3>([&](int lane) { return q + dofs(lane, a); }, x[a]);
    load(record, x);
  }

  T determinant() const
  {
    T cofactor[3];
    cofactor_row(0, cofactor);
    return dot(F, cofactor);
  }
  /// tr F^T F.
  T trace() const { return dot(F, F) + dot(F + 3, F + 3) + dot(F + 6, F + 6); }

  /// Row c of the cofactor matrix J F^-T.
  void cofactor_row(int c, T *row) const { cross(F + 3 * ((c + 1) % 3), F + 3 * ((c + 2) % 3), row); }

  /// grad N of local node node(lane) of each lane.
  template <typename Node>
  void shape_gradient(const Node &node, T *gradient) const
  {
    // The four shape functions sum to 1. Products with 0 and 1 are exact, so these are the stored numbers.
    static constexpr double weights[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}};
    T w[3];
    load_transposed<T, 3>([&](int lane) { return weights[node(lane)]; }, w);
    for (int k = 0; k < 3; ++k) gradient[k] = w[0] * N[k] + w[1] * N[3 + k] + w[2] * N[6 + k];
  }
};

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
  for (std::size_t e = 0; e < cells.size(); ++e)
  {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = reference_nodes.col(cells[e][a]) - reference_nodes.col(cells[e][3]);
    const double volume = edges.determinant() / -6;  // the edges point away from node 3: a left-handed triple
    if (!(volume > 0))
      throw InputError(
        fmt::format("mesh: element {} has the volume {} m3; it must be positive. Turn its nodes around or repair "
                    "the mesh.",
                    names_[e], volume));
    Eigen::Map<Eigen::Matrix3d>(records_[e].data()) = edges.inverse().transpose();
    records_[e][9] = volume;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c) dofs_[12 * e + 3 * a + c] = 3 * cells[e][a] + c;
  }
}

template <typename Material>
Matrix34 LinearTetrahedra<Material>::shape_gradients(int element) const
{
  Matrix34 N;
  N.leftCols<3>() = Eigen::Map<const Eigen::Matrix3d>(records_[element].data());
  N.col(3) = -N.leftCols<3>().rowwise().sum();
  return N;
}

template <typename Material>
Eigen::Matrix3d LinearTetrahedra<Material>::deformation_gradient(int element, const double *x) const
{
  Lanes<double> lanes;
  lanes.load_packed(records_.data(), &element, x, [](int) { return 0; });
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(lanes.F);
}

template <typename Material>
std::size_t LinearTetrahedra<Material>::memory_consumption() const
{
  return sizeof(*this) + names_.capacity() * sizeof(int) + records_.capacity() * sizeof(Record) +
         dofs_.capacity() * sizeof(int) + chunks_.memory_consumption();
}

template <typename Material>
template <typename T, typename Element, typename Position>
void LinearTetrahedra<Material>::check_positive(const T &determinant, const Element &element, const Position &position) const
{
  if (simd_detail::all(determinant > T(0))) return;
  double lanes[batch_size];
  store(determinant, lanes);
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
  double cofactor[9];
  for (int c = 0; c < 3; ++c) lanes.cofactor_row(c, cofactor + 3 * c);
  const double J = dot(lanes.F, cofactor);
  check_positive(
    J, [=](int) { return element; }, [x](int, int a) { return x + 3 * a; });
  const double factor = lanes.volume() * material_.cofactor_stress(J), shear = lanes.volume() * material_.mu;
  for (int c = 0; c < 3; ++c)
  {
    double stress[3];
    for (int k = 0; k < 3; ++k) stress[k] = factor * cofactor[3 * c + k] + shear * lanes.F[3 * c + k];
    for (int node = 0; node < 3; ++node) gradient[3 * node + c] = dot(stress, lanes.N + 3 * node);
    gradient[9 + c] = -gradient[c] - gradient[3 + c] - gradient[6 + c];
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

/// Adds the forces V P grad N_a to the padded places force(lane, a) of the nodes, where P = factor / V cof F + mu F.
template <typename T, typename Force>
void add_forces(const Lanes<T> &lanes, const T &factor, double mu, const Force &force)
{
  const T shear = lanes.volume() * T(mu);
  T f[4][3];
  for (int c = 0; c < 3; ++c)
  {
    T stress[3];
    lanes.cofactor_row(c, stress);
    for (int k = 0; k < 3; ++k) stress[k] = factor * stress[k] + shear * lanes.F[3 * c + k];
    for (int a = 0; a < 3; ++a) f[a][c] = dot(stress, lanes.N + 3 * a);
    f[3][c] = T(0) - f[0][c] - f[1][c] - f[2][c];
  }
#pragma GCC unroll 4
  for (int a = 0; a < 4; ++a) add_transposed(f[a], [&](int lane) { return force(lane, a); });
}

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
    store(kernel(Batch(), [=](int lane) { return std::min(first + lane, count - 1); }), lanes);
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
                          T Na[3], cofactor[3];
                          lanes.shape_gradient([&](int lane) { return a[entry(lane)] / 3; }, Na);
                          lanes.cofactor_row(c, cofactor);
                          const T J = dot(lanes.F + 3 * c, cofactor);
                          const T A = T(s) * dot(cofactor, Na);
                          check_positive(
                            T(smaller(J, T(J + A))), [&](int lane) { return elements[entry(lane)]; },
                            [&](int lane, int node) { return x + 12 * entry(lane) + 3 * node; });
                          const T half_trace = T(s) * dot(lanes.F + 3 * c, Na) + T(s * s / 2) * dot(Na, Na);
                          return T(lanes.volume() * material_.difference(J, A, half_trace));
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
                          T Na[3], Nb[3], cofactor_c[3], cofactor_d[3];
                          lanes.shape_gradient([&](int lane) { return a[entry(lane)] / 3; }, Na);
                          lanes.shape_gradient([&](int lane) { return b[entry(lane)] / 3; }, Nb);
                          lanes.cofactor_row(c, cofactor_c);
                          const T J = dot(lanes.F + 3 * c, cofactor_c);
                          const T A = T(s) * dot(cofactor_c, Na);
                          T B, AB(0), half_trace(0);
                          if (c == d)
                          {
                            // Both increments lie in one row of F: det is linear in that row, tr F^T F is not.
                            B = T(r) * dot(cofactor_c, Nb);
                            half_trace = T(s * r) * dot(Na, Nb);
                          }
                          else
                          {
                            lanes.cofactor_row(d, cofactor_d);
                            B = T(r) * dot(cofactor_d, Nb);
                            T normal[3];
                            cross(Na, Nb, normal);
                            const double sign = (c + 1) % 3 == d ? 1 : -1;
                            AB = T(sign * s * r) * dot(normal, lanes.F + 3 * (3 - c - d));
                          }
                          const T lowest = smaller(smaller(J, T(J + A)), smaller(T(J + B), T(J + A + B + AB)));
                          check_positive(
                            lowest, [&](int lane) { return elements[entry(lane)]; },
                            [&](int lane, int node) { return x + 12 * entry(lane) + 3 * node; });
                          return T(lanes.volume() * material_.mixed_difference(J, A, B, AB, half_trace));
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
  const auto visit = [&](auto tag, int first, int n) __attribute__((always_inline))
  {
    using T = decltype(tag);
    const auto element = [=](int i, int lane) { return first + i * n_lanes<T> + lane; };
    const auto local_node = [&](int i, int lane, int a) { return static_cast<int>(chunks_.cell(element(i, lane))[a]); };
    Block<T> block;
    auto valid = T(1) > T(0);
    for (int i = 0; i < n; ++i)
    {
      T x[4][4];
#pragma GCC unroll 4
      for (int a = 0; a < 4; ++a) load_transposed<T, 4>([&](int lane) { return positions + 4 * local_node(i, lane, a); }, x[a]);
      block.lanes[i].load([&](int lane) { return records_[element(i, lane)].data(); }, x);
      block.J[i] = block.lanes[i].determinant();
      valid = valid & (block.J[i] > T(0));
    }
    if (!simd_detail::all(valid))
      for (int i = 0; i < n; ++i)
        check_positive(
          block.J[i], [&](int lane) { return element(i, lane); },
          [&](int lane, int a) { return positions + 4 * local_node(i, lane, a); });
    kernel(block, n, local_node);
  };
  const int end = chunks_.end_element(chunk);
  int first = chunks_.first_element(chunk);
  while (first + batch_size <= end)
  {
    const int n = std::min(Block<Batch>::size, (end - first) / batch_size);
    visit(Batch(), first, n);
    first += n * batch_size;
  }
  for (; first < end; ++first) visit(double(), first, 1);
}

template <typename Material>
[[gnu::flatten]] double LinearTetrahedra<Material>::energy(const Eigen::VectorXd &q) const
{
  double sum = 0;
  const auto add_energies = [&](const auto &block, int n, const auto &)
  {
    for (int i = 0; i < n; ++i)
      sum += sum_lanes(block.lanes[i].volume() * material_.energy(block.J[i], block.lanes[i].trace()));
  };
  for_each_chunk(q, [&](int chunk, const double *positions) { for_each_block(chunk, positions, add_energies); });
  return sum;
}

template <typename Material>
[[gnu::flatten]] void LinearTetrahedra<Material>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  alignas(64) double forces[4 * ElementChunks::max_nodes];
  const auto add_forces_of_block = [&](auto &block, int n, const auto &local_node)
  {
    for (int i = 0; i < n; ++i) block.J[i] = block.lanes[i].volume() * material_.cofactor_stress(block.J[i]);
    for (int i = 0; i < n; ++i)
      add_forces(block.lanes[i], block.J[i], material_.mu,
                 [&](int lane, int a) { return forces + 4 * local_node(i, lane, a); });
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

    Batch N[4][3], g[4][3], cofactor[9];
    for (int c = 0; c < 3; ++c) lanes.cofactor_row(c, cofactor + 3 * c);
    const Batch inverse_J = Batch(1) / J;
    for (int c = 0; c < 3; ++c)
    {
      for (int a = 0; a < 3; ++a)
      {
        N[a][c] = lanes.N[3 * a + c];
        g[a][c] = inverse_J * dot(cofactor + 3 * c, lanes.N + 3 * a);
      }
      N[3][c] = Batch(0) - N[0][c] - N[1][c] - N[2][c];
      g[3][c] = Batch(0) - g[0][c] - g[1][c] - g[2][c];
    }
    const Batch first_factor = lanes.volume() * Batch(material_.lambda);
    const Batch second_factor = Batch(0) - lanes.volume() * J * material_.cofactor_stress(J);
    const Batch shear = lanes.volume() * Batch(material_.mu);

    alignas(64) double entries[144][batch_size];
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b)
      {
        const Batch diagonal = shear * dot(N[a], N[b]);
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

    Deformation<Taylor<Batch>> deformation;
    for (int k = 0; k < 9; ++k) deformation.F[k] = {lanes.F[k], along.F[k], Batch(0)};
    deformation.update_determinant();
    Taylor<Batch> P[9];
    material_.stress(deformation, P);
    double forces[12][batch_size];
    for (int c = 0; c < 3; ++c)
    {
      Batch stress[3], last(0);
      for (int k = 0; k < 3; ++k) stress[k] = lanes.volume() * P[3 * c + k].second;
      for (int a = 0; a < 3; ++a)
      {
        const Batch force = dot(stress, lanes.N + 3 * a);
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

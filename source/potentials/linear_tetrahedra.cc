#include <freefall/core/errors.h>
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
using MapMatrix34 = Eigen::Map<const Matrix34>;

template <std::size_t... lane>
Batch gather_lanes(const double *values, const int *offsets, std::index_sequence<lane...>)
{
  return Batch{values[offsets[lane]]...};
}

/// values[offsets[lane]] in each lane; `offsets` has as many entries as T has lanes.
template <typename T>
T gather(const double *values, const int *offsets)
{
  if constexpr (std::is_same_v<T, double>)
    return values[offsets[0]];
  else
    return gather_lanes(values, offsets, std::make_index_sequence<batch_size>());
}

inline double sum_lanes(double x) { return x; }
inline double sum_lanes(const Batch &x) { return xsimd::hadd(x); }
template <typename T>
constexpr int n_lanes = std::is_same_v<T, double> ? 1 : batch_size;

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
  T F[9];    ///< row-major deformation gradient
  T N[9];    ///< shape gradients of the first three nodes
  T volume;  ///< reference volume

  /// x[offset_x[lane] + stride of the coordinates k = 0..11], where coordinate(k) loads x_k of every lane.
  template <typename LoadCoordinate>
  void load(const double *gradients, const double *volumes, const int *elements, const LoadCoordinate &coordinate)
  {
    int offsets[n_lanes<T>];
    for (int lane = 0; lane < n_lanes<T>; ++lane) offsets[lane] = 12 * elements[lane];
    for (int k = 0; k < 9; ++k) N[k] = gather<T>(gradients + k, offsets);
    volume = gather<T>(volumes, elements);
    for (int c = 0; c < 3; ++c)
    {
      const T origin = coordinate(9 + c);
      const T edge[3] = {coordinate(c) - origin, coordinate(3 + c) - origin, coordinate(6 + c) - origin};
      for (int k = 0; k < 3; ++k) F[3 * c + k] = edge[0] * N[k] + edge[1] * N[3 + k] + edge[2] * N[6 + k];
    }
  }

  /// Row c of the cofactor matrix J F^-T.
  void cofactor_row(int c, T *row) const { cross(F + 3 * ((c + 1) % 3), F + 3 * ((c + 2) % 3), row); }
};

/// Coordinates of terms whose values lie one after another.
template <typename T>
struct PackedCoordinates
{
  const double *x;
  int offsets[n_lanes<T>];

  PackedCoordinates(const double *x, const int *index) : x(x)
  {
    for (int lane = 0; lane < n_lanes<T>; ++lane) offsets[lane] = 12 * index[lane];
  }
  T operator()(int k) const { return gather<T>(x + k, offsets); }
};

inline double smaller(double a, double b) { return std::min(a, b); }
inline Batch smaller(const Batch &a, const Batch &b) { return xsimd::min(a, b); }
}  // namespace

template <typename Material>
LinearTetrahedra<Material>::LinearTetrahedra(const Material &material,
                                             const Eigen::Matrix3Xd &reference_nodes,
                                             const std::vector<Cell> &cells,
                                             std::vector<int> element_names)
  : material_(material), names_(std::move(element_names))
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
    Matrix34 N;
    N.leftCols<3>() = edges.inverse().transpose();
    N.col(3) = -N.leftCols<3>().rowwise().sum();
    gradients_.insert(gradients_.end(), N.data(), N.data() + 12);
    volumes_.push_back(volume);
    for (const int node : cells[e])
      for (int c = 0; c < 3; ++c) dofs_.push_back(3 * node + c);
  }
}

template <typename Material>
Matrix34 LinearTetrahedra<Material>::shape_gradients(int element) const
{
  return MapMatrix34(gradients_.data() + 12 * element);
}

template <typename Material>
Eigen::Matrix3d LinearTetrahedra<Material>::deformation_gradient(int element, const double *x) const
{
  Lanes<double> lanes;
  lanes.load(gradients_.data(), volumes_.data(), &element, [x](int k) { return x[k]; });
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(lanes.F);
}

template <typename Material>
template <typename T, typename Coordinate>
void LinearTetrahedra<Material>::check_positive(const T &determinant, const int *elements, const Coordinate &coordinate) const
{
  if (simd_detail::all(determinant > T(0))) return;
  double lanes[batch_size];
  store(determinant, lanes);
  int lane = 0;
  while (lanes[lane] > 0) ++lane;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int k = 0; k < 12; ++k) centre[k % 3] += coordinate(lane, k) / 4;
  throw DomainError(fmt::format("element {} near ({:.6g}, {:.6g}, {:.6g}) is inverted: det F = {:.6g}, must be positive",
                                names_[elements[lane]], centre[0], centre[1], centre[2], lanes[lane]));
}

template <typename Material>
double LinearTetrahedra<Material>::value(int element, const double *x) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(J, &element, [x](int, int k) { return x[k]; });
  return volumes_[element] * material_.energy(F);
}

template <typename Material>
void LinearTetrahedra<Material>::gradient(int element, const double *x, double *gradient) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(J, &element, [x](int, int k) { return x[k]; });
  Eigen::Map<Matrix34>(gradient).noalias() = volumes_[element] * material_.stress(F) * shape_gradients(element);
}

template <typename Material>
void LinearTetrahedra<Material>::hessian(int element, const double *x, double *hessian) const
{
  const Eigen::Matrix3d F = deformation_gradient(element, x);
  const double J = F.determinant();
  check_positive(J, &element, [x](int, int k) { return x[k]; });
  const Matrix34 N = shape_gradients(element);
  for (int node = 0; node < 4; ++node)
    for (int c = 0; c < 3; ++c)
    {
      Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
      A.row(c) = N.col(node).transpose();
      Eigen::Map<Matrix34>(hessian + 12 * (3 * node + c)).noalias() = volumes_[element] * material_.stress_derivative(F, A) * N;
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
  check_positive(J, &element, [x](int, int k) { return x[k]; });
  const Eigen::Matrix3d A = deformation_gradient(element, direction);
  Eigen::Map<Matrix34>(contraction).noalias() =
    volumes_[element] * material_.second_stress_derivative(F, A) * shape_gradients(element);
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
/// Calls kernel(Batch, elements, index, n) for full and padded batches: a short batch repeats its first entry in the unused
/// lanes, and `n` says how many lanes count. A single entry is done in scalars.
template <typename Kernel>
void for_each_batch(int count, const int *elements, const Kernel &kernel)
{
  for (int first = 0; first < count; first += batch_size)
  {
    const int n = std::min(batch_size, count - first);
    int batch_elements[batch_size], index[batch_size];
    for (int lane = 0; lane < batch_size; ++lane)
    {
      index[lane] = lane < n ? first + lane : first;
      batch_elements[lane] = elements ? elements[index[lane]] : index[lane];
    }
    if (n == 1)
      kernel(double(), batch_elements, index, 1);
    else
      kernel(Batch(), batch_elements, index, n);
  }
}

/// Adds the lanes that count.
template <typename T>
double sum_first(const T &value, int n)
{
  if (n == n_lanes<T>) return sum_lanes(value);
  double lanes[batch_size], sum = 0;
  store(value, lanes);
  for (int lane = 0; lane < n; ++lane) sum += lanes[lane];
  return sum;
}
}  // namespace

template <typename Material>
double LinearTetrahedra<Material>::sum_of_differences(
  int count, const int *elements, const double *x, const int *a, double s) const
{
  double sum = 0;
  const int c = a[0] % 3;  // one global dof: the same component in every element
  for_each_batch(count, elements,
                 [&](auto tag, const int *batch_elements, const int *index, int n)
                 {
                   using T = decltype(tag);
                   Lanes<T> lanes;
                   lanes.load(gradients_.data(), volumes_.data(), batch_elements, PackedCoordinates<T>(x, index));
                   int node_a[n_lanes<T>];
                   for (int lane = 0; lane < n_lanes<T>; ++lane)
                     node_a[lane] = 12 * batch_elements[lane] + 3 * (a[index[lane]] / 3);
                   T Na[3], cofactor[3];
                   for (int k = 0; k < 3; ++k) Na[k] = gather<T>(gradients_.data() + k, node_a);
                   lanes.cofactor_row(c, cofactor);
                   const T J = dot(lanes.F + 3 * c, cofactor);
                   const T A = T(s) * dot(cofactor, Na);
                   check_positive(T(smaller(J, T(J + A))), batch_elements,
                                  [&](int lane, int k) { return x[12 * index[lane] + k]; });
                   const T half_trace = T(s) * dot(lanes.F + 3 * c, Na) + T(s * s / 2) * dot(Na, Na);
                   sum += sum_first(T(lanes.volume * material_.difference(J, A, half_trace)), n);
                 });
  return sum;
}

template <typename Material>
double LinearTetrahedra<Material>::sum_of_mixed_differences(
  int count, const int *elements, const double *x, const int *a, double s, const int *b, double r) const
{
  double sum = 0;
  const int c = a[0] % 3, d = b[0] % 3;
  for_each_batch(count, elements,
                 [&](auto tag, const int *batch_elements, const int *index, int n)
                 {
                   using T = decltype(tag);
                   Lanes<T> lanes;
                   lanes.load(gradients_.data(), volumes_.data(), batch_elements, PackedCoordinates<T>(x, index));
                   int node_a[n_lanes<T>], node_b[n_lanes<T>];
                   for (int lane = 0; lane < n_lanes<T>; ++lane)
                   {
                     node_a[lane] = 12 * batch_elements[lane] + 3 * (a[index[lane]] / 3);
                     node_b[lane] = 12 * batch_elements[lane] + 3 * (b[index[lane]] / 3);
                   }
                   T Na[3], Nb[3], cofactor_c[3], cofactor_d[3];
                   for (int k = 0; k < 3; ++k)
                   {
                     Na[k] = gather<T>(gradients_.data() + k, node_a);
                     Nb[k] = gather<T>(gradients_.data() + k, node_b);
                   }
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
                   check_positive(lowest, batch_elements, [&](int lane, int k) { return x[12 * index[lane] + k]; });
                   sum += sum_first(T(lanes.volume * material_.mixed_difference(J, A, B, AB, half_trace)), n);
                 });
  return sum;
}

template <typename Material>
double LinearTetrahedra<Material>::energy(const Eigen::VectorXd &q) const
{
  double sum = 0;
  for_each_batch(n_terms(), nullptr,
                 [&](auto tag, const int *elements, const int *, int n)
                 {
                   using T = decltype(tag);
                   Lanes<T> lanes;
                   int dofs[n_lanes<T>];
                   lanes.load(gradients_.data(), volumes_.data(), elements,
                              [&](int k)
                              {
                                for (int lane = 0; lane < n_lanes<T>; ++lane) dofs[lane] = dofs_[12 * elements[lane] + k];
                                return gather<T>(q.data(), dofs);
                              });
                   T cofactor[3];
                   lanes.cofactor_row(0, cofactor);
                   const T J = dot(lanes.F, cofactor);
                   check_positive(J, elements, [&](int lane, int k) { return q[dofs_[12 * elements[lane] + k]]; });
                   const T trace = dot(lanes.F, lanes.F) + dot(lanes.F + 3, lanes.F + 3) + dot(lanes.F + 6, lanes.F + 6);
                   sum += sum_first(T(lanes.volume * material_.energy(J, trace)), n);
                 });
  return sum;
}

template <typename Material>
void LinearTetrahedra<Material>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  for_each_batch(n_terms(), nullptr,
                 [&](auto tag, const int *elements, const int *, int n)
                 {
                   using T = decltype(tag);
                   Lanes<T> lanes;
                   int dofs[n_lanes<T>];
                   lanes.load(gradients_.data(), volumes_.data(), elements,
                              [&](int k)
                              {
                                for (int lane = 0; lane < n_lanes<T>; ++lane) dofs[lane] = dofs_[12 * elements[lane] + k];
                                return gather<T>(q.data(), dofs);
                              });
                   T cofactor[9];
                   for (int c = 0; c < 3; ++c) lanes.cofactor_row(c, cofactor + 3 * c);
                   const T J = dot(lanes.F, cofactor);
                   check_positive(J, elements, [&](int lane, int k) { return q[dofs_[12 * elements[lane] + k]]; });
                   const T factor = lanes.volume * material_.cofactor_stress(J);
                   const T shear = lanes.volume * T(material_.mu);
                   double force[12][batch_size];
                   for (int c = 0; c < 3; ++c)
                   {
                     T stress[3], last(0);
                     for (int k = 0; k < 3; ++k) stress[k] = factor * cofactor[3 * c + k] + shear * lanes.F[3 * c + k];
                     for (int node = 0; node < 3; ++node)
                     {
                       const T f = dot(stress, lanes.N + 3 * node);
                       last -= f;
                       store(f, force[3 * node + c]);
                     }
                     store(last, force[9 + c]);
                   }
                   for (int lane = 0; lane < n; ++lane)
                     for (int k = 0; k < 12; ++k) gradient[dofs_[12 * elements[lane] + k]] += force[k][lane];
                 });
}

template class LinearTetrahedra<NeoHookean>;
}  // namespace freefall

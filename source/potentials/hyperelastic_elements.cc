#include <freefall/core/differences.h>
#include <freefall/core/errors.h>
#include <freefall/core/simd_transpose.h>
#include <freefall/core/taylor.h>
#include <freefall/potentials/discrete_stress.h>
#include <freefall/potentials/hyperelastic_elements.h>

#include <fmt/format.h>
#include <Eigen/LU>
#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace freefall
{
namespace
{
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// F = (sum_a x_a (x) G_a) M with the unit gradients G of a point; entry(k) gives M[k].
template <typename T, typename Entry>
void deformation_gradient_of(int n_nodes, const double *unit_gradients, const T *x, const Entry &entry, T *F)
{
  T unit[9];
  for (T &value : unit) value = T(0);
  for (int a = 0; a < n_nodes; ++a)
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) unit[3 * c + k] += x[3 * a + c] * T(unit_gradients[3 * a + k]);
  for (int j = 0; j < 3; ++j)
  {
    const T column[3] = {entry(j), entry(3 + j), entry(6 + j)};
    for (int c = 0; c < 3; ++c)
      F[3 * c + j] = unit[3 * c] * column[0] + unit[3 * c + 1] * column[1] + unit[3 * c + 2] * column[2];
  }
}

/// Adds P : d(F)/dx of a point, times the weight entry(9), to the forces on the nodes.
template <typename T, typename Entry>
void add_stress(int n_nodes, const double *unit_gradients, const T *P, const Entry &entry, T *gradient)
{
  T unit[9];  // w P M^T
  const T weight = entry(9);
  for (int k = 0; k < 3; ++k)
  {
    const T row[3] = {weight * entry(3 * k), weight * entry(3 * k + 1), weight * entry(3 * k + 2)};
    for (int c = 0; c < 3; ++c) unit[3 * c + k] = P[3 * c] * row[0] + P[3 * c + 1] * row[1] + P[3 * c + 2] * row[2];
  }
  for (int a = 0; a < n_nodes; ++a)
    for (int c = 0; c < 3; ++c)
      gradient[3 * a + c] += unit[3 * c] * T(unit_gradients[3 * a]) + unit[3 * c + 1] * T(unit_gradients[3 * a + 1]) +
                             unit[3 * c + 2] * T(unit_gradients[3 * a + 2]);
}

/// Entry k of one element or of all elements of a block.
struct OneElement
{
  const double *factors;
  double operator()(int k) const { return factors[k * batch_size]; }
};
struct OneBlock
{
  const double *factors;
  Batch operator()(int k) const { return Batch::load_unaligned(factors + k * batch_size); }
};

/// Derivatives of powers of a matrix (Spectrum) are there for one element at a time only.
template <typename Material>
constexpr bool differentiates_in_batches = !std::is_same_v<Material, Ogden>;
}  // namespace

template <typename Material>
HyperelasticElements<Material>::HyperelasticElements(const Material &material,
                                                     const ElementGeometry &geometry,
                                                     const std::vector<int> &connectivity,
                                                     std::vector<int> element_names)
  : material_(material),
    n_nodes_(geometry.n_nodes),
    n_points_(geometry.n_points),
    unit_gradients_(geometry.unit_gradients),
    names_(std::move(element_names))
{
  const std::size_t n_elements = names_.size(), n_weights = n_elements * n_points_;
  if (n_nodes_ < 1 || n_nodes_ > max_nodes || n_points_ < 1)
    throw std::logic_error("an element has 1 to 27 nodes and at least one quadrature point");
  if (geometry.weights.size() != n_weights || geometry.inverse_jacobians.size() != 9 * n_weights ||
      connectivity.size() != n_elements * n_nodes_ ||
      (n_elements > 0 && unit_gradients_.size() != std::size_t(3) * n_points_ * n_nodes_))
    throw std::logic_error("the arrays of hyperelastic elements have sizes that do not fit together");

  const std::size_t n_blocks = (n_elements + batch_size - 1) / batch_size;
  factors_.resize(n_blocks * n_points_ * 10 * batch_size);
  for (std::size_t padded = 0; padded < n_blocks * batch_size; ++padded)
  {
    // Padding repeats the last element, so that det F is positive there too, with weight 0.
    const std::size_t e = std::min(padded, n_elements - 1);
    for (int q = 0; q < n_points_; ++q)
    {
      double *entries = factors_.data() + (factors(static_cast<int>(padded), q) - factors_.data());
      const double *M = geometry.inverse_jacobians.data() + 9 * (e * n_points_ + q);
      for (int k = 0; k < 9; ++k) entries[k * batch_size] = M[k];
      entries[9 * batch_size] = e == padded ? geometry.weights[e * n_points_ + q] : 0;
      const double orientation = Eigen::Map<const RowMajor>(M).determinant();
      if (!(orientation > 0))
        throw InputError(
          fmt::format("mesh: element {} is turned inside out at its quadrature point {}. Turn its nodes round "
                      "or repair the mesh.",
                      names_[e], q));
    }
  }
  for (std::size_t e = 0; e < n_elements; ++e)
    if (!(volume(static_cast<int>(e)) > 0))
      throw InputError(
        fmt::format("mesh: element {} has the volume {} m3; it must be positive. Turn its nodes round or repair "
                    "the mesh.",
                    names_[e], volume(static_cast<int>(e))));
  for (const int node : connectivity)
    for (int c = 0; c < 3; ++c) dofs_.push_back(3 * node + c);
}

template <typename Material>
double HyperelasticElements<Material>::volume(int element) const
{
  double sum = 0;
  for (int q = 0; q < n_points_; ++q) sum += weight(element, q);
  return sum;
}

template <typename Material>
void HyperelasticElements<Material>::shape_gradients(int element, int point, double *gradients) const
{
  const OneElement M{factors(element, point)};
  const double *unit = unit_gradients_.data() + 3 * n_nodes_ * point;
  for (int a = 0; a < n_nodes_; ++a)
    for (int j = 0; j < 3; ++j)
      gradients[3 * a + j] = unit[3 * a] * M(j) + unit[3 * a + 1] * M(3 + j) + unit[3 * a + 2] * M(6 + j);
}

template <typename Material>
void HyperelasticElements<Material>::deform(int element, int point, const double *x, Deformation<double> &deformation) const
{
  deformation_gradient_of(n_nodes_, unit_gradients_.data() + 3 * n_nodes_ * point, x, OneElement{factors(element, point)},
                          deformation.F);
}

template <typename Material>
void HyperelasticElements<Material>::deform(int first, int point, const Batch *x, Deformation<Batch> &deformation) const
{
  deformation_gradient_of(n_nodes_, unit_gradients_.data() + 3 * n_nodes_ * point, x, OneBlock{factors(first, point)},
                          deformation.F);
  deformation.update_determinant();
}

template <typename Material>
Eigen::Matrix3d HyperelasticElements<Material>::deformation_gradient(int element, int point, const double *x) const
{
  Deformation<double> deformation;
  deform(element, point, x, deformation);
  return Eigen::Map<const RowMajor>(deformation.F);
}

template <typename Material>
void HyperelasticElements<Material>::throw_inverted(int element, int point, double J, const Eigen::Vector3d &place) const
{
  throw DomainError(
    fmt::format("element {} near ({:.6g}, {:.6g}, {:.6g}) is inverted at its quadrature point {}: det F = {:.6g}, must be "
                "positive",
                names_[element], place[0], place[1], place[2], point, J));
}

template <typename Material>
template <typename T>
void HyperelasticElements<Material>::update_determinant(int element,
                                                        int point,
                                                        const double *x,
                                                        Deformation<T> &deformation) const
{
  deformation.update_determinant();
  if constexpr (Material::needs_positive_determinant)
  {
    const double J = lowest(deformation.J);
    if (J > 0) return;
    throw_inverted(element, point, J,
                   Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>(x, 3, n_nodes_).rowwise().mean());
  }
}

template <typename Material>
void HyperelasticElements<Material>::check_positive(const Batch &J, int first, int point, const Eigen::VectorXd &q) const
{
  if constexpr (Material::needs_positive_determinant)
  {
    if (xsimd::all(J > Batch(0.))) return;
    double lanes[batch_size];
    J.store_unaligned(lanes);
    int lane = 0;
    while (lanes[lane] > 0) ++lane;
    Eigen::Vector3d place = Eigen::Vector3d::Zero();
    for (int k = 0; k < 3 * n_nodes_; ++k) place[k % 3] += q[dofs(first + lane)[k]] / n_nodes_;
    throw_inverted(first + lane, point, lanes[lane], place);
  }
}

template <typename Material>
void HyperelasticElements<Material>::deform_checked(int element,
                                                    int point,
                                                    const double *x,
                                                    Deformation<double> &deformation) const
{
  deform(element, point, x, deformation);
  update_determinant(element, point, x, deformation);
}

template <typename Material>
double HyperelasticElements<Material>::value(int element, const double *x) const
{
  double sum = 0;
  Deformation<double> deformation;
  for (int q = 0; q < n_points_; ++q)
  {
    deform_checked(element, q, x, deformation);
    sum += weight(element, q) * material_.energy(deformation);
  }
  return sum;
}

template <typename Material>
void HyperelasticElements<Material>::gradient(int element, const double *x, double *gradient) const
{
  std::fill(gradient, gradient + 3 * n_nodes_, 0.0);
  Deformation<double> deformation;
  double P[9];
  for (int q = 0; q < n_points_; ++q)
  {
    deform_checked(element, q, x, deformation);
    material_.stress(deformation, P);
    add_stress(n_nodes_, unit_gradients_.data() + 3 * n_nodes_ * q, P, OneElement{factors(element, q)}, gradient);
  }
}

template <typename Material>
void HyperelasticElements<Material>::hessian(int element, const double *x, double *hessian) const
{
  const int n = 3 * n_nodes_;
  std::fill(hessian, hessian + n * n, 0.0);
  Deformation<double> deformation;
  double N[3 * max_nodes], forces[9][3 * max_nodes];
  for (int q = 0; q < n_points_; ++q)
  {
    deform_checked(element, q, x, deformation);
    const Eigen::Matrix3d F = Eigen::Map<const RowMajor>(deformation.F);
    shape_gradients(element, q, N);
    // forces[3 c + k]: what all nodes feel when F grows by e_c (x) e_k; a node's motion along c is a sum of three of these.
    for (int ck = 0; ck < 9; ++ck)
    {
      Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
      A(ck / 3, ck % 3) = 1;
      const RowMajor dP = material_.stress_derivative(F, A);
      std::fill(forces[ck], forces[ck] + n, 0.0);
      add_stress(n_nodes_, unit_gradients_.data() + 3 * n_nodes_ * q, dP.data(), OneElement{factors(element, q)}, forces[ck]);
    }
    for (int a = 0; a < n_nodes_; ++a)
      for (int c = 0; c < 3; ++c)
      {
        double *row = hessian + n * (3 * a + c);
        for (int b = 0; b < n; ++b)
          row[b] += N[3 * a] * forces[3 * c][b] + N[3 * a + 1] * forces[3 * c + 1][b] + N[3 * a + 2] * forces[3 * c + 2][b];
      }
  }
}

template <typename Material>
void HyperelasticElements<Material>::third_derivative(int element,
                                                      const double *x,
                                                      const double *direction,
                                                      double *contraction) const
{
  std::fill(contraction, contraction + 3 * n_nodes_, 0.0);
  Deformation<double> deformation;
  for (int q = 0; q < n_points_; ++q)
  {
    deform_checked(element, q, x, deformation);
    const Eigen::Matrix3d F = Eigen::Map<const RowMajor>(deformation.F);
    const RowMajor P = material_.second_stress_derivative(F, deformation_gradient(element, q, direction));
    add_stress(n_nodes_, unit_gradients_.data() + 3 * n_nodes_ * q, P.data(), OneElement{factors(element, q)}, contraction);
  }
}

template <typename Material>
void HyperelasticElements<Material>::discrete_gradient(int element, const double *x0, const double *x1, double *gradient) const
{
  Eigen::Map<Eigen::Matrix3Xd> sum(gradient, 3, n_nodes_);
  sum.setZero();
  Deformation<double> d0, d1;
  double gradients[3 * max_nodes];
  for (int point = 0; point < n_points_; ++point)
  {
    deform_checked(element, point, x0, d0);
    deform_checked(element, point, x1, d1);
    const Eigen::Matrix3d F0 = Eigen::Map<const RowMajor>(d0.F), F1 = Eigen::Map<const RowMajor>(d1.F);
    const Eigen::Matrix3d P = weight(element, point) * discrete_stress(material_, F0, F1);
    shape_gradients(element, point, gradients);
    for (int a = 0; a < n_nodes_; ++a) sum.col(a) += P * Eigen::Map<const Eigen::Vector3d>(gradients + 3 * a);
  }
}

template <typename Material>
double HyperelasticElements<Material>::difference(int element, const double *x, int a, double s) const
{
  double sum = 0, N[3 * max_nodes];
  Deformation<double> plain;
  Deformation<Difference<double>> deformation;
  for (int q = 0; q < n_points_; ++q)
  {
    deform(element, q, x, plain);
    shape_gradients(element, q, N);
    for (int k = 0; k < 9; ++k) deformation.F[k] = {plain.F[k], k / 3 == a % 3 ? s * N[3 * (a / 3) + k % 3] : 0};
    update_determinant(element, q, x, deformation);
    sum += weight(element, q) * material_.energy(deformation).a;
  }
  return sum;
}

template <typename Material>
double HyperelasticElements<Material>::mixed_difference(int element, const double *x, int a, double s, int b, double r) const
{
  double sum = 0, N[3 * max_nodes];
  Deformation<double> plain;
  Deformation<MixedDifference<double>> deformation;
  for (int q = 0; q < n_points_; ++q)
  {
    deform(element, q, x, plain);
    shape_gradients(element, q, N);
    for (int k = 0; k < 9; ++k)
      deformation.F[k] = {plain.F[k], k / 3 == a % 3 ? s * N[3 * (a / 3) + k % 3] : 0,
                          k / 3 == b % 3 ? r * N[3 * (b / 3) + k % 3] : 0, 0};
    update_determinant(element, q, x, deformation);
    sum += weight(element, q) * material_.energy(deformation).ab;
  }
  return sum;
}

template <typename Material>
void HyperelasticElements<Material>::gather(int first, const Eigen::VectorXd &q, Batch *x) const
{
  const int n = 3 * n_nodes_, last = n_terms() - 1;
  const int *lane_dofs[batch_size];
  for (int lane = 0; lane < batch_size; ++lane) lane_dofs[lane] = dofs_.data() + n * std::min(first + lane, last);
  for (int k = 0; k < n; k += 3) load_transposed<Batch, 3>([&](int lane) { return q.data() + lane_dofs[lane][k]; }, x + k);
}

template <typename Material>
double HyperelasticElements<Material>::energy(const Eigen::VectorXd &q) const
{
  Batch x[3 * max_nodes];
  Deformation<Batch> deformation;
  double sum = 0;
  for (int first = 0; first < n_terms(); first += batch_size)
  {
    gather(first, q, x);
    Batch energies(0.);
    for (int point = 0; point < n_points_; ++point)
    {
      deform(first, point, x, deformation);
      check_positive(deformation.J, first, point, q);
      energies += OneBlock{factors(first, point)}(9) * material_.energy(deformation);
    }
    sum += xsimd::hadd(energies);
  }
  return sum;
}

template <typename Material>
void HyperelasticElements<Material>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  const int n = 3 * n_nodes_;
  Batch x[3 * max_nodes], forces[3 * max_nodes], P[9];
  Deformation<Batch> deformation;
  for (int first = 0; first < n_terms(); first += batch_size)
  {
    gather(first, q, x);
    for (int k = 0; k < n; ++k) forces[k] = Batch(0.);
    for (int point = 0; point < n_points_; ++point)
    {
      deform(first, point, x, deformation);
      check_positive(deformation.J, first, point, q);
      material_.stress(deformation, P);
      add_stress(n_nodes_, unit_gradients_.data() + n * point, P, OneBlock{factors(first, point)}, forces);
    }
    scatter(first, forces, gradient);
  }
}

template <typename Material>
void HyperelasticElements<Material>::scatter(int first, const Batch *forces, Eigen::VectorXd &global) const
{
  const int n = 3 * n_nodes_;
  double lanes[3 * max_nodes][batch_size];
  for (int k = 0; k < n; ++k) forces[k].store_unaligned(lanes[k]);
  const int n_lanes = std::min(batch_size, n_terms() - first);
  for (int lane = 0; lane < n_lanes; ++lane)
  {
    const int *lane_dofs = dofs_.data() + n * (first + lane);
    for (int k = 0; k < n; ++k) global[lane_dofs[k]] += lanes[k][lane];
  }
}

template <typename Material>
template <typename T>
void HyperelasticElements<Material>::add_hessians(const Deformation<T> &deformation, int first, int point, T *hessians) const
{
  const OneBlock M{factors(first, point)};
  // modulus[3 i + j][3 k + l] = w d P_ij / d F_kl.
  T modulus[9][9];
  for (int ij = 0; ij < 9; ++ij)
  {
    Deformation<Tangent<T>> along;
    for (int k = 0; k < 9; ++k) along.F[k] = {deformation.F[k], T(k == ij ? 1. : 0.)};
    along.update_determinant();
    Tangent<T> P[9];
    material_.stress(along, P);
    for (int k = 0; k < 9; ++k) modulus[ij][k] = M(9) * P[k].first;
  }
  T N[3 * max_nodes];
  const double *unit = unit_gradients_.data() + 3 * n_nodes_ * point;
  for (int j = 0; j < 3; ++j)
  {
    const T column[3] = {M(j), M(3 + j), M(6 + j)};
    for (int a = 0; a < n_nodes_; ++a)
      N[3 * a + j] = T(unit[3 * a]) * column[0] + T(unit[3 * a + 1]) * column[1] + T(unit[3 * a + 2]) * column[2];
  }
  const int n = 3 * n_nodes_;
  for (int a = 0; a < n_nodes_; ++a)
    for (int i = 0; i < 3; ++i)
    {
      T row[9];
      for (int k = 0; k < 9; ++k)
        row[k] = N[3 * a] * modulus[3 * i][k] + N[3 * a + 1] * modulus[3 * i + 1][k] + N[3 * a + 2] * modulus[3 * i + 2][k];
      T *to = hessians + n * (3 * a + i);
      for (int b = a; b < n_nodes_; ++b)
        for (int k = 0; k < 3; ++k)
          to[3 * b + k] += row[3 * k] * N[3 * b] + row[3 * k + 1] * N[3 * b + 1] + row[3 * k + 2] * N[3 * b + 2];
    }
}

template <typename Material>
void HyperelasticElements<Material>::hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const
{
  if constexpr (!differentiates_in_batches<Material>)
    return LocalTerms::hessians(first, count, q, hessians);
  else
  {
    const int n = 3 * n_nodes_;
    Batch x[3 * max_nodes], sums[9 * max_nodes * max_nodes];
    Deformation<Batch> deformation;
    for (int begin = first - first % batch_size; begin < first + count; begin += batch_size)
    {
      gather(begin, q, x);
      std::fill(sums, sums + n * n, Batch(0.));
      for (int point = 0; point < n_points_; ++point)
      {
        deform(begin, point, x, deformation);
        check_positive(deformation.J, begin, point, q);
        add_hessians(deformation, begin, point, sums);
      }
      const int end = std::min(begin + batch_size, first + count);
      for (int a = 0; a < n; ++a)
        for (int b = a - a % 3; b < n; ++b)
        {
          double lanes[batch_size];
          sums[n * a + b].store_unaligned(lanes);
          for (int element = std::max(begin, first); element < end; ++element)
          {
            double *hessian = hessians + static_cast<std::size_t>(n) * n * (element - first);
            hessian[n * a + b] = hessian[n * b + a] = lanes[element - begin];
          }
        }
    }
  }
}

template <typename Material>
void HyperelasticElements<Material>::add_third_derivative(const Eigen::VectorXd &q,
                                                          const Eigen::VectorXd &direction,
                                                          Eigen::VectorXd &contraction) const
{
  if constexpr (!differentiates_in_batches<Material>)
    return LocalTerms::add_third_derivative(q, direction, contraction);
  else
  {
    const int n = 3 * n_nodes_;
    Batch x[3 * max_nodes], a[3 * max_nodes], forces[3 * max_nodes], second[9];
    Deformation<Batch> deformation, change;
    Deformation<Taylor<Batch>> along;
    Taylor<Batch> P[9];
    for (int first = 0; first < n_terms(); first += batch_size)
    {
      gather(first, q, x);
      gather(first, direction, a);
      std::fill(forces, forces + n, Batch(0.));
      for (int point = 0; point < n_points_; ++point)
      {
        deform(first, point, x, deformation);
        check_positive(deformation.J, first, point, q);
        deform(first, point, a, change);
        for (int k = 0; k < 9; ++k) along.F[k] = {deformation.F[k], change.F[k], Batch(0.)};
        along.update_determinant();
        material_.stress(along, P);
        for (int k = 0; k < 9; ++k) second[k] = P[k].second;
        add_stress(n_nodes_, unit_gradients_.data() + n * point, second, OneBlock{factors(first, point)}, forces);
      }
      scatter(first, forces, contraction);
    }
  }
}

template class HyperelasticElements<NeoHookean>;
template class HyperelasticElements<SaintVenantKirchhoff>;
template class HyperelasticElements<LinearElastic>;
template class HyperelasticElements<MooneyRivlin>;
template class HyperelasticElements<Ogden>;
}  // namespace freefall

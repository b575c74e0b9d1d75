#include <freefall/core/dual.h>
#include <freefall/core/simd.h>
#include <freefall/potentials/pair_terms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace freefall
{
namespace
{
template <typename Law, int dim>
std::vector<typename RadialTerms<Law, dim>::Term> all_pairs(const std::vector<int> &points, const std::vector<double> &weights)
{
  std::vector<typename RadialTerms<Law, dim>::Term> terms;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      terms.push_back({{points[i], points[j]}, {-1., 1.}, weights[i] * weights[j]});
  return terms;
}

/// Coordinates and weights of n points, axis by axis, padded so that a batch may begin at any point.
template <int dim>
class Workspace
{
public:
  void fill(const Eigen::VectorXd &q, const std::vector<int> &points, const std::vector<double> &weights)
  {
    const int n = static_cast<int>(points.size());
    const int stride = n + batch_size;
    if (static_cast<int>(values_.size()) != (dim + 1) * stride) values_.resize((dim + 1) * stride);
    for (int axis = 0; axis < dim; ++axis)
    {
      x[axis] = values_.data() + axis * stride;
      for (int i = 0; i < n; ++i) x[axis][i] = q[dim * points[i] + axis];
      for (int i = n; i < stride; ++i) x[axis][i] = 0;
    }
    weight = values_.data() + dim * stride;
    std::copy(weights.begin(), weights.end(), weight);
    std::fill(weight + n, weight + stride, 0.);
  }

  std::array<double *, dim> x;
  double *weight = nullptr;

private:
  std::vector<double> values_;
};

template <int dim>
Workspace<dim> &workspace()
{
  thread_local Workspace<dim> instance;
  return instance;
}

/// The numbers 0, 1, 2, ... of a batch's lanes.
Batch lane_numbers()
{
  std::array<double, batch_size> numbers;
  for (int lane = 0; lane < batch_size; ++lane) numbers[lane] = lane;
  return Batch::load_unaligned(numbers.data());
}

/// |x_j - x_i|^2 of the pairs (i, j ... j + batch_size - 1), 1 beyond the last point (whose weight is 0).
template <int dim>
Batch squared_distances(const Workspace<dim> &work, int n, int i, int j, const Batch &lanes, std::array<Batch, dim> &d)
{
  Batch u(0.);
  for (int axis = 0; axis < dim; ++axis)
  {
    d[axis] = Batch::load_unaligned(work.x[axis] + j) - Batch(work.x[axis][i]);
    u = xsimd::fma(d[axis], d[axis], u);
  }
  if (j + batch_size > n) u = xsimd::select(lanes < Batch(static_cast<double>(n - j)), u, Batch(1.));
  return u;
}
}  // namespace

template <typename Law, int dim>
PairTerms<Law, dim>::PairTerms(std::string kind, const Law &law, std::vector<int> points, std::vector<double> weights)
  : Base(std::move(kind), {law}, all_pairs<Law, dim>(points, weights)),
    points_(std::move(points)),
    point_weights_(std::move(weights))
{
}

template <typename Law, int dim>
double PairTerms<Law, dim>::energy(const Eigen::VectorXd &q) const
{
  const int n = static_cast<int>(points_.size());
  Workspace<dim> &work = workspace<dim>();
  work.fill(q, points_, point_weights_);
  const Batch lanes = lane_numbers();
  const Law law = this->laws_[0];
  std::array<Batch, dim> d;
  double sum = 0;
  for (int i = 0; i < n; ++i)
  {
    Batch row(0.);
    for (int j = i + 1; j < n; j += batch_size)
      row += Batch::load_unaligned(work.weight + j) * law(squared_distances<dim>(work, n, i, j, lanes, d));
    sum += work.weight[i] * xsimd::hadd(row);
  }
  if (!std::isfinite(sum)) check_pairs(q);
  return sum;
}

template <typename Law, int dim>
void PairTerms<Law, dim>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  // A batch of points i against every point j, each pair twice: no sums over lanes and no stores in the inner loop, which
  // costs less than half as many pairs with both. Forces of a pair are the same but for the sign, to the last bit.
  const int n = static_cast<int>(points_.size());
  Workspace<dim> &work = workspace<dim>();
  work.fill(q, points_, point_weights_);
  const Batch lanes = lane_numbers();
  const Law law = this->laws_[0];
  double sum = 0;
  for (int first = 0; first < n; first += batch_size)
  {
    std::array<Batch, dim> x, force;
    for (int axis = 0; axis < dim; ++axis) x[axis] = Batch::load_unaligned(work.x[axis] + first);
    force.fill(Batch(0.));
    const auto add = [&](int j, bool may_be_itself)
    {
      std::array<Batch, dim> d;
      Batch u(0.);
      for (int axis = 0; axis < dim; ++axis)
      {
        d[axis] = x[axis] - Batch(work.x[axis][j]);
        u = xsimd::fma(d[axis], d[axis], u);
      }
      // Of a point with itself d is 0; any u will do.
      if (may_be_itself) u = xsimd::select(lanes == Batch(static_cast<double>(j - first)), Batch(1.), u);
      const Batch factor = Batch(work.weight[j]) * laws::slope(law, u);
      for (int axis = 0; axis < dim; ++axis) force[axis] = xsimd::fma(factor, d[axis], force[axis]);
    };
    const int last = std::min(first + batch_size, n);
    for (int j = 0; j < first; ++j) add(j, false);
    for (int j = first; j < last; ++j) add(j, true);
    for (int j = last; j < n; ++j) add(j, false);
    for (int axis = 0; axis < dim; ++axis)
    {
      alignas(64) double of_lane[batch_size];
      force[axis].store_aligned(of_lane);
      for (int i = first; i < last; ++i)
      {
        const double value = 2 * work.weight[i] * of_lane[i - first];
        sum += value;
        gradient[dim * points_[i] + axis] += value;
      }
    }
  }
  if (!std::isfinite(sum)) check_pairs(q);
}

template <typename Law, int dim>
void PairTerms<Law, dim>::check_pairs(const Eigen::VectorXd &q) const
{
  std::array<double, 2 * dim> x;
  for (int term = 0; term < this->n_terms(); ++term)
  {
    const auto dofs = this->dofs(term);
    for (int a = 0; a < 2 * dim; ++a) x[a] = q[dofs[a]];
    this->distance(term, x.data());
  }
}

template class PairTerms<laws::LennardJones, 1>;
template class PairTerms<laws::LennardJones, 2>;
template class PairTerms<laws::LennardJones, 3>;
template class PairTerms<laws::InverseDistance, 1>;
template class PairTerms<laws::InverseDistance, 2>;
template class PairTerms<laws::InverseDistance, 3>;
template class PairTerms<laws::Truncated<laws::LennardJones>, 1>;
template class PairTerms<laws::Truncated<laws::LennardJones>, 2>;
template class PairTerms<laws::Truncated<laws::LennardJones>, 3>;
template class PairTerms<laws::Truncated<laws::InverseDistance>, 1>;
template class PairTerms<laws::Truncated<laws::InverseDistance>, 2>;
template class PairTerms<laws::Truncated<laws::InverseDistance>, 3>;
template class PairTerms<laws::Morse, 1>;
template class PairTerms<laws::Morse, 2>;
template class PairTerms<laws::Morse, 3>;
}  // namespace freefall

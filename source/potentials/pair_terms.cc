#include <freefall/core/dual.h>
#include <freefall/core/simd.h>
#include <freefall/potentials/pair_terms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace freefall
{
namespace
{
template <typename Law, int dim>
std::vector<typename RadialTerms<Law, dim>::Term> all_pairs(const std::vector<int> &points,
                                                           const std::vector<double> &weights,
                                                           const std::vector<int> &groups)
{
  std::vector<typename RadialTerms<Law, dim>::Term> terms;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      if (groups.empty() || groups[i] != groups[j])
        terms.push_back({{points[i], points[j]}, {-1., 1.}, weights[i] * weights[j]});
  return terms;
}

/// Coordinates, weights and groups of n points, axis by axis, padded so that a batch may begin at any point.
template <int dim>
class Workspace
{
public:
  void fill(const Eigen::VectorXd &q,
            const std::vector<int> &points,
            const std::vector<double> &weights,
            const std::vector<double> &groups)
  {
    const int n = static_cast<int>(points.size());
    const int stride = n + batch_size;
    if (static_cast<int>(values_.size()) != (dim + 2) * stride) values_.resize((dim + 2) * stride);
    for (int axis = 0; axis < dim; ++axis)
    {
      x[axis] = values_.data() + axis * stride;
      for (int i = 0; i < n; ++i) x[axis][i] = q[dim * points[i] + axis];
      for (int i = n; i < stride; ++i) x[axis][i] = 0;
    }
    weight = values_.data() + dim * stride;
    std::copy(weights.begin(), weights.end(), weight);
    std::fill(weight + n, weight + stride, 0.);
    group = weight + stride;
    std::copy(groups.begin(), groups.end(), group);
    std::fill(group + n, group + stride, -1.);
  }

  std::array<double *, dim> x;
  double *weight = nullptr, *group = nullptr;

private:
  std::vector<double> values_;
};

template <int dim>
Workspace<dim> &workspace()
{
  thread_local Workspace<dim> instance;
  return instance;
}

/// Differences of a batch of points to point j, and the squares of their lengths.
template <int dim>
Batch squared_distances(const std::array<Batch, dim> &x, const Workspace<dim> &work, int j, std::array<Batch, dim> &d)
{
  Batch u(0.);
  for (int axis = 0; axis < dim; ++axis)
  {
    d[axis] = x[axis] - Batch(work.x[axis][j]);
    u = xsimd::fma(d[axis], d[axis], u);
  }
  return u;
}
}  // namespace

template <typename Law, int dim>
PairTerms<Law, dim>::PairTerms(
  std::string kind, const Law &law, std::vector<int> points, std::vector<double> weights, std::vector<int> groups)
  : Base(std::move(kind), {law}, all_pairs<Law, dim>(points, weights, groups)),
    points_(std::move(points)),
    point_weights_(std::move(weights))
{
  const int n = static_cast<int>(points_.size());
  if (groups.empty())
  {
    groups.resize(n);
    std::iota(groups.begin(), groups.end(), 0);
  }
  groups_.assign(groups.begin(), groups.end());
  std::map<int, std::pair<int, int>> ranges;
  for (int i = 0; i < n; ++i) ranges.insert({groups[i], {i, i + 1}}).first->second.second = i + 1;
  for (int first = 0; first < n; first += batch_size)
  {
    excluded_.push_back({n, 0});
    for (int i = first; i < std::min(first + batch_size, n); ++i)
    {
      const auto &[begin, end] = ranges.at(groups[i]);
      excluded_.back() = {std::min(excluded_.back().first, begin), std::max(excluded_.back().second, end)};
    }
  }
}

template <typename Law, int dim>
template <typename Sum>
double PairTerms<Law, dim>::sum_over_pairs(const Eigen::VectorXd &q, Sum &sum) const
{
  // A batch of points i against every point j, each pair twice: no sums over lanes and no stores in the inner loop, which
  // costs less than half as many pairs with both. Forces of a pair are the same but for the sign, to the last bit.
  const int n = static_cast<int>(points_.size());
  Workspace<dim> &work = workspace<dim>();
  work.fill(q, points_, point_weights_, groups_);
  const Law law = this->laws_[0];
  std::array<Batch, dim> x, d;
  const auto visit_unless_excluded = [&](int j, const Batch &groups)
  {
    // Of a point with itself d is 0; any u will do.
    const Batch u = squared_distances<dim>(x, work, j, d);
    const auto is_excluded = groups == Batch(work.group[j]);
    sum.add(law, xsimd::select(is_excluded, Batch(1.), u), work.weight[j], d, is_excluded);
  };
  if (!list_)
  {
    for (int first = 0; first < n; first += batch_size)
    {
      for (int axis = 0; axis < dim; ++axis) x[axis] = Batch::load_unaligned(work.x[axis] + first);
      const Batch groups = Batch::load_unaligned(work.group + first);
      const auto visit = [&](int j) { sum.add(law, squared_distances<dim>(x, work, j, d), work.weight[j], d); };
      const auto &[begin, end] = excluded_[first / batch_size];
      sum.begin();
      for (int j = 0; j < begin; ++j) visit(j);
      for (int j = begin; j < end; ++j) visit_unless_excluded(j, groups);
      for (int j = end; j < n; ++j) visit(j);
      for (int i = first; i < std::min(first + batch_size, n); ++i) sum.finish(i, i - first, work.weight[i]);
    }
    return sum.total();
  }
  list_->update(dim, n, work.x.data());
  for (const NeighbourList::Group &group : list_->groups())
  {
    alignas(64) double gathered[dim][batch_size], groups[batch_size];
    for (int lane = 0; lane < batch_size; ++lane)
    {
      groups[lane] = work.group[group.members[lane]];
      for (int axis = 0; axis < dim; ++axis) gathered[axis][lane] = work.x[axis][group.members[lane]];
    }
    for (int axis = 0; axis < dim; ++axis) x[axis] = Batch::load_aligned(gathered[axis]);
    const Batch groups_of_members = Batch::load_aligned(groups);
    sum.begin();
    for (int k = group.first; k < group.last; ++k) visit_unless_excluded(list_->neighbours()[k], groups_of_members);
    for (int lane = 0; lane < group.n_members; ++lane) sum.finish(group.members[lane], lane, work.weight[group.members[lane]]);
  }
  return sum.total();
}

namespace
{
/// Twice the energy, point by point, so that the order in which points come does not matter.
class EnergySum
{
public:
  explicit EnergySum(std::vector<double> &of_point) : of_point_(of_point) {}
  void begin() { row_ = Batch(0.); }
  template <typename Law, typename Distance>
  void add(const Law &law, const Batch &u, double weight, const Distance &)
  {
    row_ = xsimd::fma(Batch(weight), law(u), row_);
  }
  template <typename Law, typename Distance, typename Mask>
  void add(const Law &law, const Batch &u, double weight, const Distance &, const Mask &is_excluded)
  {
    row_ = xsimd::fma(Batch(weight), xsimd::select(is_excluded, Batch(0.), law(u)), row_);
  }
  void finish(int point, int lane, double weight)
  {
    if (lane == 0) row_.store_aligned(lanes_);
    of_point_[point] = weight * lanes_[lane];
  }
  double total() const
  {
    double sum = 0;
    for (const double value : of_point_) sum += value;
    return sum;
  }

private:
  Batch row_;
  alignas(64) double lanes_[batch_size];
  std::vector<double> &of_point_;
};

/// The gradient, added to the global one.
template <int dim>
class GradientSum
{
public:
  GradientSum(const std::vector<int> &points, double *gradient) : points_(points), gradient_(gradient) {}
  void begin() { force_.fill(Batch(0.)); }
  template <typename Law>
  void add(const Law &law, const Batch &u, double weight, const std::array<Batch, dim> &d)
  {
    const Batch factor = Batch(weight) * laws::slope(law, u);
    for (int axis = 0; axis < dim; ++axis) force_[axis] = xsimd::fma(factor, d[axis], force_[axis]);
  }
  template <typename Law, typename Mask>
  void add(const Law &law, const Batch &u, double weight, const std::array<Batch, dim> &d, const Mask &is_excluded)
  {
    const Batch factor = xsimd::select(is_excluded, Batch(0.), Batch(weight) * laws::slope(law, u));
    for (int axis = 0; axis < dim; ++axis) force_[axis] = xsimd::fma(factor, d[axis], force_[axis]);
  }
  void finish(int point, int lane, double weight)
  {
    for (int axis = 0; axis < dim; ++axis)
    {
      if (lane == 0) force_[axis].store_aligned(lanes_[axis]);
      const double value = 2 * weight * lanes_[axis][lane];
      total_ += value;
      gradient_[dim * points_[point] + axis] += value;
    }
  }
  double total() const { return total_; }

private:
  const std::vector<int> &points_;
  double *gradient_;
  std::array<Batch, dim> force_;
  alignas(64) double lanes_[dim][batch_size];
  double total_ = 0;
};
}  // namespace

template <typename Law, int dim>
double PairTerms<Law, dim>::energy(const Eigen::VectorXd &q) const
{
  thread_local std::vector<double> of_point;
  of_point.resize(points_.size());
  EnergySum sum(of_point);
  const double energy = 0.5 * sum_over_pairs(q, sum);
  if (!std::isfinite(energy)) check_pairs(q);
  return energy;
}

template <typename Law, int dim>
void PairTerms<Law, dim>::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  GradientSum<dim> sum(points_, gradient.data());
  if (!std::isfinite(sum_over_pairs(q, sum))) check_pairs(q);
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
template class PairTerms<laws::Truncated<laws::Morse>, 1>;
template class PairTerms<laws::Truncated<laws::Morse>, 2>;
template class PairTerms<laws::Truncated<laws::Morse>, 3>;
template class PairTerms<laws::Morse, 1>;
template class PairTerms<laws::Morse, 2>;
template class PairTerms<laws::Morse, 3>;
}  // namespace freefall

#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/core/simd_transpose.h>
#include <freefall/systems/constraint_clusters.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace freefall
{
namespace
{
/// The points that the distances of a cluster join.
struct Rod
{
  static constexpr int n_points = 2, n_constraints = 1;
  static constexpr int ends[1][2] = {{0, 1}};
};
struct Hinge
{
  static constexpr int n_points = 3, n_constraints = 2;
  static constexpr int ends[2][2] = {{0, 1}, {0, 2}};
};
struct Triangle
{
  static constexpr int n_points = 3, n_constraints = 3;
  static constexpr int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
};

/// x = A^-1 b by cofactors.
template <int m>
void solve_small(const Batch (&a)[m][m], const Batch (&b)[m], Batch (&x)[m])
{
  if constexpr (m == 1)
    x[0] = b[0] / a[0][0];
  else if constexpr (m == 2)
  {
    const Batch inverse = Batch(1.) / (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
    x[0] = inverse * (a[1][1] * b[0] - a[0][1] * b[1]);
    x[1] = inverse * (a[0][0] * b[1] - a[1][0] * b[0]);
  }
  else
  {
    Batch cofactor[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
      {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        cofactor[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
      }
    const Batch inverse = Batch(1.) / (a[0][0] * cofactor[0][0] + a[0][1] * cofactor[0][1] + a[0][2] * cofactor[0][2]);
    for (int i = 0; i < 3; ++i)
      x[i] = inverse * (cofactor[0][i] * b[0] + cofactor[1][i] * b[1] + cofactor[2][i] * b[2]);
  }
}

/// One cluster as it is found.
struct Cluster
{
  std::vector<int> first_dofs;   ///< of each point
  std::vector<int> constraints;  ///< their numbers in the order of the shape
};

template <typename Shape, int dim>
class ShapeGroup final : public ConstraintClusters::Group
{
public:
  ShapeGroup(const std::vector<Cluster> &clusters, const ConstraintSet &set, const Eigen::VectorXd &inverse_mass)
    : n_clusters_(static_cast<int>(clusters.size())), n_batches_((n_clusters_ + batch_size - 1) / batch_size)
  {
    masses_.resize(static_cast<std::size_t>(n_batches_) * n * batch_size);
    squares_.resize(static_cast<std::size_t>(n_batches_) * m * batch_size);
    for (int i = 0; i < n_batches_ * batch_size; ++i)
    {
      // Lanes that are left over repeat the last cluster.
      const Cluster &cluster = clusters[std::min(i, n_clusters_ - 1)];
      const int batch = i / batch_size, lane = i % batch_size;
      for (int p = 0; p < n; ++p)
      {
        first_dofs_.push_back(cluster.first_dofs[p]);
        masses_[(batch * n + p) * batch_size + lane] = inverse_mass[cluster.first_dofs[p]];
      }
      for (int c = 0; c < m; ++c)
      {
        const double length = static_cast<const DistanceConstraint &>(set[cluster.constraints[c]]).length();
        squares_[(batch * m + c) * batch_size + lane] = length * length;
        constraints_.push_back(cluster.constraints[c]);
      }
    }
  }

  int gradients_size() const override { return n_batches_ * m * dim * batch_size; }
  int impulses_size() const override { return n_batches_ * m * batch_size; }

  void gradients(const double *q, double *gradients) const override
  {
    Points x;
    Separations d;
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      load_points(q, batch, x);
      separate(x, d);
      store(d, gradients, batch);
    }
  }

  int solve_positions(const double *start, double *q, double *impulse, double *end) const override
  {
    int most = 0;
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      const int n_iterations = solve_batch(start, q, impulse, end, batch);
      if (n_iterations == 0) return 0;
      most = std::max(most, n_iterations);
    }
    return most;
  }

  void solve_velocities(const double *at, double *v, double *impulse) const override
  {
    Points x;
    Separations d, rate;
    Batch w[n], b[m], y[m];
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      load_points(v, batch, x);
      load_gradients(at, batch, d);
      load_masses(batch, w);
      separate(x, rate);
      for (int c = 0; c < m; ++c) b[c] = dot(d[c], rate[c]);
      solve_for_multipliers(d, d, w, b, y);
      move(d, w, y, x);
      for (int c = 0; c < m; ++c) y[c].store_unaligned(impulse + (batch * m + c) * batch_size);
      scatter(x, batch, v);
    }
  }

  void kick(const double *at, const double *impulse, double factor, double *v) const override
  {
    Points x;
    Separations d;
    Batch w[n], y[m];
    for (int batch = 0; batch < n_batches_; ++batch)
    {
      load_points(v, batch, x);
      load_gradients(at, batch, d);
      load_masses(batch, w);
      for (int c = 0; c < m; ++c) y[c] = Batch(factor) * Batch::load_unaligned(impulse + (batch * m + c) * batch_size);
      move(d, w, y, x);
      scatter(x, batch, v);
    }
  }

  void in_order(const double *impulse, double *ordered) const override
  {
    for (int i = 0; i < n_clusters_; ++i)
      for (int c = 0; c < m; ++c)
        ordered[constraints_[m * i + c]] = impulse[(i / batch_size * m + c) * batch_size + i % batch_size];
  }

private:
  static constexpr int n = Shape::n_points, m = Shape::n_constraints;
  using Points = Batch[n][dim];
  using Separations = Batch[m][dim];

  static Batch dot(const Batch (&a)[dim], const Batch (&b)[dim])
  {
    Batch sum = a[0] * b[0];
    for (int axis = 1; axis < dim; ++axis) sum = xsimd::fma(a[axis], b[axis], sum);
    return sum;
  }
  /// -1 at the first end of a distance, 1 at the second, 0 elsewhere.
  static constexpr int sign(int constraint, int point)
  {
    return Shape::ends[constraint][0] == point ? -1 : Shape::ends[constraint][1] == point ? 1 : 0;
  }

  void load_points(const double *q, int batch, Points &x) const
  {
    const int *first = first_dofs_.data() + batch * batch_size * n;
    for (int p = 0; p < n; ++p) load_transposed<Batch, dim>([&](int lane) { return q + first[lane * n + p]; }, x[p]);
  }
  /// Only the lanes that belong to clusters.
  void scatter(const Points &x, int batch, double *q) const
  {
    const int *first = first_dofs_.data() + batch * batch_size * n;
    const int n_lanes = std::min(batch_size, n_clusters_ - batch * batch_size);
    alignas(64) double lanes[n * dim][batch_size];
    for (int p = 0; p < n; ++p)
      for (int axis = 0; axis < dim; ++axis) x[p][axis].store_aligned(lanes[p * dim + axis]);
    for (int lane = 0; lane < n_lanes; ++lane)
      for (int p = 0; p < n; ++p)
        for (int axis = 0; axis < dim; ++axis) q[first[lane * n + p] + axis] = lanes[p * dim + axis][lane];
  }
  void load_gradients(const double *gradients, int batch, Separations &d) const
  {
    for (int c = 0; c < m; ++c)
      for (int axis = 0; axis < dim; ++axis)
        d[c][axis] = Batch::load_unaligned(gradients + ((batch * m + c) * dim + axis) * batch_size);
  }
  void store(const Separations &d, double *gradients, int batch) const
  {
    for (int c = 0; c < m; ++c)
      for (int axis = 0; axis < dim; ++axis) d[c][axis].store_unaligned(gradients + ((batch * m + c) * dim + axis) * batch_size);
  }
  void load_masses(int batch, Batch (&w)[n]) const
  {
    for (int p = 0; p < n; ++p) w[p] = Batch::load_unaligned(masses_.data() + (batch * n + p) * batch_size);
  }
  static void separate(const Points &x, Separations &d)
  {
    for (int c = 0; c < m; ++c)
      for (int axis = 0; axis < dim; ++axis) d[c][axis] = x[Shape::ends[c][1]][axis] - x[Shape::ends[c][0]][axis];
  }
  /// x -= M^-1 G^T y.
  static void move(const Separations &d, const Batch (&w)[n], const Batch (&y)[m], Points &x)
  {
    for (int p = 0; p < n; ++p)
      for (int axis = 0; axis < dim; ++axis)
        for (int c = 0; c < m; ++c)
          if (sign(c, p) < 0)
            x[p][axis] = xsimd::fma(w[p] * y[c], d[c][axis], x[p][axis]);
          else if (sign(c, p) > 0)
            x[p][axis] = xsimd::fnma(w[p] * y[c], d[c][axis], x[p][axis]);
  }
  /// y = (G M^-1 G_0^T)^-1 b.
  static void solve_for_multipliers(
    const Separations &d, const Separations &d0, const Batch (&w)[n], const Batch (&b)[m], Batch (&y)[m])
  {
    Batch a[m][m];
    for (int c = 0; c < m; ++c)
      for (int e = 0; e < m; ++e)
      {
        Batch shared(0.);
        for (int p = 0; p < n; ++p)
          if (sign(c, p) * sign(e, p) > 0)
            shared = shared + w[p];
          else if (sign(c, p) * sign(e, p) < 0)
            shared = shared - w[p];
        a[c][e] = shared * dot(d[c], d0[e]);
      }
    solve_small<m>(a, b, y);
  }

  int solve_batch(const double *start, double *q, double *impulse, double *end, int batch) const
  {
    Points x, before;
    Separations d0, d;
    Batch w[n], g[m], y[m], square[m], sum[m];
    load_points(q, batch, x);
    load_gradients(start, batch, d0);
    load_masses(batch, w);
    Batch smallest(1e300);
    for (int c = 0; c < m; ++c)
    {
      square[c] = Batch::load_unaligned(squares_.data() + (batch * m + c) * batch_size);
      smallest = xsimd::min(smallest, square[c]);
      sum[c] = Batch(0.);
    }
    // g is quadratic: after a change of x by delta it is at most 2 delta^2, here below a rounding of L^2.
    const Batch goal = Batch(1e-17) * smallest;
    for (int iteration = 1; iteration <= ConstraintClusters::max_iterations; ++iteration)
    {
      separate(x, d);
      for (int c = 0; c < m; ++c) g[c] = Batch(0.5) * (dot(d[c], d[c]) - square[c]);
      solve_for_multipliers(d, d0, w, g, y);
      for (int p = 0; p < n; ++p)
        for (int axis = 0; axis < dim; ++axis) before[p][axis] = x[p][axis];
      move(d0, w, y, x);
      for (int c = 0; c < m; ++c) sum[c] = sum[c] + y[c];
      Batch largest(0.);
      for (int p = 0; p < n; ++p)
      {
        Batch change(0.);
        for (int axis = 0; axis < dim; ++axis)
        {
          const Batch one = x[p][axis] - before[p][axis];
          change = xsimd::fma(one, one, change);
        }
        largest = xsimd::max(largest, change);
      }
      if (!xsimd::all(largest <= goal)) continue;
      separate(x, d);
      store(d, end, batch);
      for (int c = 0; c < m; ++c) sum[c].store_unaligned(impulse + (batch * m + c) * batch_size);
      scatter(x, batch, q);
      return iteration;
    }
    return 0;
  }

  int n_clusters_, n_batches_;
  std::vector<int> first_dofs_;   ///< [cluster][point], padded
  std::vector<int> constraints_;  ///< [cluster][constraint], padded
  std::vector<double> masses_;    ///< inverse masses, [batch][point][lane]
  std::vector<double> squares_;   ///< squared lengths, [batch][constraint][lane]
};

/// The first dof of each end of a distance of two points in this dimension; nothing for other constraints.
std::vector<int> ends_of(const Constraint &constraint, int dim, const Eigen::VectorXd &inverse_mass)
{
  const auto *distance = dynamic_cast<const DistanceConstraint *>(&constraint);
  if (!distance || !distance->has_two_points() || distance->dimension() != dim ||
      distance->form() != DistanceConstraint::Form::half_square)
    return {};
  const auto dofs = constraint.dofs();
  for (int a = 0; a < 2 * dim; ++a)
  {
    const int first = dofs[a / dim * dim];
    if (dofs[a] != first + a % dim || inverse_mass[dofs[a]] != inverse_mass[first]) return {};
  }
  if (inverse_mass[dofs[0]] == 0 && inverse_mass[dofs[dim]] == 0) return {};
  return {dofs[0], dofs[dim]};
}

/// Clusters by number of points and of constraints; nothing where one is none of the shapes.
using Clusters = std::map<std::pair<int, int>, std::vector<Cluster>>;

/// A hinge or triangle in the order of its shape: the common point first, or points by number.
bool put_in_order(Cluster &cluster, const std::vector<std::array<int, 2>> &ends)
{
  auto &points = cluster.first_dofs;
  const auto joins = [&](int constraint, int first, int second)
  {
    const auto &[a, b] = ends[constraint];
    return (a == first && b == second) || (a == second && b == first);
  };
  const auto constraints = cluster.constraints;
  if (points.size() == 3 && constraints.size() == 2)
  {
    const auto &[a, b] = ends[constraints[0]];
    const auto &[c, d] = ends[constraints[1]];
    const int common = a == c || a == d ? a : b;
    points = {common, common == a ? b : a, common == c ? d : c};
    return true;
  }
  if (constraints.size() == 1) return true;
  if (points.size() != 3 || constraints.size() != 3) return false;
  std::vector<int> ordered;
  for (const auto &[first, second] : Triangle::ends)
    for (const int constraint : constraints)
      if (joins(constraint, points[first], points[second])) ordered.push_back(constraint);
  cluster.constraints = ordered;
  return ordered.size() == 3;
}

/// Connected constraints, found by marking points.
std::vector<Cluster> find_clusters(const std::vector<std::array<int, 2>> &ends, const Eigen::VectorXd &inverse_mass)
{
  std::vector<int> cluster_of(ends.size());
  std::map<int, int> at_point;  // movable point: a constraint there
  for (std::size_t c = 0; c < ends.size(); ++c) cluster_of[c] = static_cast<int>(c);
  const auto root = [&](int c)
  {
    while (cluster_of[c] != c) c = cluster_of[c] = cluster_of[cluster_of[c]];
    return c;
  };
  for (std::size_t c = 0; c < ends.size(); ++c)
    for (const int point : ends[c])
    {
      if (inverse_mass[point] == 0) continue;
      const auto [known, is_new] = at_point.insert({point, static_cast<int>(c)});
      if (!is_new) cluster_of[root(static_cast<int>(c))] = root(known->second);
    }
  std::map<int, int> number;
  std::vector<Cluster> clusters;
  for (std::size_t c = 0; c < ends.size(); ++c)
  {
    const auto [place, is_new] = number.insert({root(static_cast<int>(c)), static_cast<int>(clusters.size())});
    if (is_new) clusters.emplace_back();
    Cluster &cluster = clusters[place->second];
    cluster.constraints.push_back(static_cast<int>(c));
    for (const int point : ends[c])
      if (std::find(cluster.first_dofs.begin(), cluster.first_dofs.end(), point) == cluster.first_dofs.end())
        cluster.first_dofs.push_back(point);
  }
  return clusters;
}

template <int dim>
std::vector<std::unique_ptr<ConstraintClusters::Group>> find_groups(const ConstraintSet &set, const Eigen::VectorXd &inverse_mass)
{
  std::vector<std::array<int, 2>> ends;
  for (int c = 0; c < set.size(); ++c)
  {
    const std::vector<int> both = ends_of(set[c], dim, inverse_mass);
    if (both.empty()) return {};
    ends.push_back({both[0], both[1]});
  }
  Clusters by_shape;
  for (Cluster &cluster : find_clusters(ends, inverse_mass))
  {
    if (cluster.first_dofs.size() > 3 || !put_in_order(cluster, ends)) return {};
    by_shape[{static_cast<int>(cluster.first_dofs.size()), static_cast<int>(cluster.constraints.size())}].push_back(cluster);
  }
  std::vector<std::unique_ptr<ConstraintClusters::Group>> groups;
  for (const auto &[shape, clusters] : by_shape)
    if (shape.second == 1)
      groups.push_back(std::make_unique<ShapeGroup<Rod, dim>>(clusters, set, inverse_mass));
    else if (shape.second == 2)
      groups.push_back(std::make_unique<ShapeGroup<Hinge, dim>>(clusters, set, inverse_mass));
    else
      groups.push_back(std::make_unique<ShapeGroup<Triangle, dim>>(clusters, set, inverse_mass));
  return groups;
}
}  // namespace

std::unique_ptr<ConstraintClusters> ConstraintClusters::find(const System &system)
{
  if (!system.mass_is_diagonal()) return nullptr;
  Eigen::VectorXd inverse_mass = system.diagonal_mass().cwiseInverse();
  for (const int dof : system.fixed_dofs()) inverse_mass[dof] = 0;
  auto groups = find_groups<3>(*system.constraints(), inverse_mass);
  if (groups.empty()) groups = find_groups<2>(*system.constraints(), inverse_mass);
  if (groups.empty()) return nullptr;
  return std::make_unique<ConstraintClusters>(std::move(groups), system.constraints()->size());
}

ConstraintClusters::ConstraintClusters(std::vector<std::unique_ptr<Group>> groups, int n_constraints)
  : groups_(std::move(groups)), n_constraints_(n_constraints)
{
  for (const auto &group : groups_)
  {
    gradients_size_ += group->gradients_size();
    impulses_size_ += group->impulses_size();
  }
}

void ConstraintClusters::gradients(const Eigen::VectorXd &q, Eigen::VectorXd &gradients) const
{
  gradients.resize(gradients_size_);
  double *at = gradients.data();
  for (const auto &group : groups_)
  {
    group->gradients(q.data(), at);
    at += group->gradients_size();
  }
}

int ConstraintClusters::solve_positions(const Eigen::VectorXd &start,
                                        Eigen::VectorXd &q,
                                        Eigen::VectorXd &impulse,
                                        Eigen::VectorXd &end) const
{
  impulse.resize(impulses_size_);
  end.resize(gradients_size_);
  int gradients = 0, impulses = 0, most = 0;
  for (const auto &group : groups_)
  {
    const int n_iterations =
      group->solve_positions(start.data() + gradients, q.data(), impulse.data() + impulses, end.data() + gradients);
    if (n_iterations == 0) return 0;
    most = std::max(most, n_iterations);
    gradients += group->gradients_size();
    impulses += group->impulses_size();
  }
  return most;
}

void ConstraintClusters::solve_velocities(const Eigen::VectorXd &at, Eigen::VectorXd &v, Eigen::VectorXd &impulse) const
{
  impulse.resize(impulses_size_);
  int gradients = 0, impulses = 0;
  for (const auto &group : groups_)
  {
    group->solve_velocities(at.data() + gradients, v.data(), impulse.data() + impulses);
    gradients += group->gradients_size();
    impulses += group->impulses_size();
  }
}

void ConstraintClusters::kick(const Eigen::VectorXd &at, const Eigen::VectorXd &impulse, double factor, Eigen::VectorXd &v) const
{
  int gradients = 0, impulses = 0;
  for (const auto &group : groups_)
  {
    group->kick(at.data() + gradients, impulse.data() + impulses, factor, v.data());
    gradients += group->gradients_size();
    impulses += group->impulses_size();
  }
}

Eigen::VectorXd ConstraintClusters::in_order(const Eigen::VectorXd &impulse) const
{
  Eigen::VectorXd ordered(n_constraints_);
  int impulses = 0;
  for (const auto &group : groups_)
  {
    group->in_order(impulse.data() + impulses, ordered.data());
    impulses += group->impulses_size();
  }
  return ordered;
}
}  // namespace freefall

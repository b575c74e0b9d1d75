#pragma once

#include <freefall/potentials/element_geometry.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Small meshes of tetrahedra and hexahedra with shape functions written by hand, each with one node that all elements around
/// it enclose.
namespace element_samples
{
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

/// An element on its unit cell.
struct Shape
{
  std::string name;
  std::vector<Vector3d> points;
  std::vector<double> weights;
  std::function<Matrix3Xd(const Vector3d &)> gradients;  ///< dN_a/dxi_k in column a
};

/// Lagrange polynomial a of `n` even nodes on [0, 1] and its derivative.
inline std::pair<double, double> lagrange(int n, int a, double x)
{
  double value = 1, derivative = 0;
  for (int b = 0; b < n; ++b)
  {
    if (b == a) continue;
    const double factor = (n - 1) / double(a - b), linear = x * factor - b / double(a - b);
    derivative = derivative * linear + value * factor;
    value *= linear;
  }
  return {value, derivative};
}

/// n^3 nodes, x fastest, and n^3 Gauss points, which integrate the gradients of any such element exactly.
inline Shape hexahedron(int n)
{
  const std::vector<double> place = n == 2 ? std::vector<double>{-std::sqrt(1. / 3), std::sqrt(1. / 3)}
                                           : std::vector<double>{-std::sqrt(0.6), 0, std::sqrt(0.6)};
  const std::vector<double> weight = n == 2 ? std::vector<double>{1, 1} : std::vector<double>{5. / 9, 8. / 9, 5. / 9};
  Shape shape{"hexahedron of " + std::to_string(n * n * n) + " nodes", {}, {}, {}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
      {
        shape.points.push_back(Vector3d(1 + place[i], 1 + place[j], 1 + place[k]) / 2);
        shape.weights.push_back(weight[i] * weight[j] * weight[k] / 8);
      }
  shape.gradients = [n](const Vector3d &xi)
  {
    Matrix3Xd G(3, n * n * n);
    for (int a = 0; a < n * n * n; ++a)
    {
      const auto [x, dx] = lagrange(n, a % n, xi[0]);
      const auto [y, dy] = lagrange(n, a / n % n, xi[1]);
      const auto [z, dz] = lagrange(n, a / (n * n), xi[2]);
      G.col(a) << dx * y * z, x * dy * z, x * y * dz;
    }
    return G;
  };
  return shape;
}

const std::array<std::array<int, 2>, 6> tetrahedron_edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

/// Four nodes with one point, or ten (corners, then edges) with the four points exact to second degree.
inline Shape tetrahedron(int n_nodes)
{
  Shape shape{"tetrahedron of " + std::to_string(n_nodes) + " nodes", {}, {}, {}};
  if (n_nodes == 4)
  {
    shape.points = {Vector3d::Constant(0.25)};
    shape.weights = {1. / 6};
  }
  else
  {
    const double low = (5 - std::sqrt(5.)) / 20, high = 1 - 3 * low;
    shape.points.assign(4, Vector3d::Constant(low));
    for (int c = 0; c < 3; ++c) shape.points[c][c] = high;
    shape.weights.assign(4, 1. / 24);
  }
  shape.gradients = [n_nodes](const Vector3d &xi)
  {
    const double L[4] = {1 - xi.sum(), xi[0], xi[1], xi[2]};
    Matrix3Xd dL(3, 4), G(3, n_nodes);
    dL << -1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1;
    if (n_nodes == 4) return dL;
    for (int a = 0; a < 4; ++a) G.col(a) = (4 * L[a] - 1) * dL.col(a);
    for (int edge = 0; edge < 6; ++edge)
    {
      const auto [a, b] = tetrahedron_edges[edge];
      G.col(4 + edge) = 4 * (L[a] * dL.col(b) + L[b] * dL.col(a));
    }
    return G;
  };
  return shape;
}

struct Mesh
{
  Shape shape;
  Matrix3Xd nodes;
  std::vector<int> connectivity;
  int inner_node = 0;

  int n_nodes() const { return static_cast<int>(shape.gradients(Vector3d::Zero()).cols()); }
  int n_elements() const { return static_cast<int>(connectivity.size()) / n_nodes(); }
  std::vector<int> names() const
  {
    std::vector<int> numbers;
    for (int e = 0; e < n_elements(); ++e) numbers.push_back(100 + e);
    return numbers;
  }

  freefall::ElementGeometry geometry() const
  {
    freefall::ElementGeometry g;
    g.n_nodes = n_nodes();
    g.n_points = static_cast<int>(shape.points.size());
    for (const auto &xi : shape.points)
    {
      const Matrix3Xd G = shape.gradients(xi);
      g.unit_gradients.insert(g.unit_gradients.end(), G.data(), G.data() + G.size());
    }
    for (int e = 0; e < n_elements(); ++e)
      for (int q = 0; q < g.n_points; ++q)
      {
        Matrix3Xd X(3, g.n_nodes);
        for (int a = 0; a < g.n_nodes; ++a) X.col(a) = nodes.col(connectivity[e * g.n_nodes + a]);
        const Eigen::Matrix3d jacobian = X * shape.gradients(shape.points[q]).transpose();  // dX_j/dxi_k
        const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> inverse = jacobian.inverse();
        g.inverse_jacobians.insert(g.inverse_jacobians.end(), inverse.data(), inverse.data() + 9);
        g.weights.push_back(shape.weights[q] * jacobian.determinant());
      }
    return g;
  }
};

/// The map that distorts the hexahedra: faces become curved.
inline Vector3d distorted(const Vector3d &X)
{
  return X + 0.08 * Vector3d(X[1] * X[2] + std::sin(3 * X[0]), X[0] * X[2] - X[1] * X[1], std::sin(2 * X[0] + X[1]));
}

/// per_edge^3 hexahedra of n^3 nodes in a distorted cube of edge 1.
inline Mesh hexahedra(int n, int per_edge)
{
  Mesh mesh;
  mesh.shape = hexahedron(n);
  const int m = per_edge * (n - 1) + 1;
  mesh.nodes.resize(3, m * m * m);
  for (int i = 0; i < m * m * m; ++i) mesh.nodes.col(i) = distorted(Vector3d(i % m, i / m % m, i / (m * m)) / (m - 1));
  for (int cell = 0; cell < per_edge * per_edge * per_edge; ++cell)
  {
    const int x = cell % per_edge, y = cell / per_edge % per_edge, z = cell / (per_edge * per_edge);
    for (int a = 0; a < n * n * n; ++a)
      mesh.connectivity.push_back(x * (n - 1) + a % n + m * (y * (n - 1) + a / n % n + m * (z * (n - 1) + a / (n * n))));
  }
  mesh.inner_node = (m * m * m) / 2;
  return mesh;
}

/// Eight tetrahedra around node 0, with straight edges.
inline Mesh tetrahedra(int n_nodes)
{
  Mesh mesh;
  mesh.shape = tetrahedron(n_nodes);
  std::vector<Vector3d> nodes{{0.1, 0.05, -0.1}, {1, 0, 0.1}, {-1.1, 0.1, 0}, {0, 1.2, 0},
                              {0.1, -0.9, -0.1}, {0, 0.1, 1}, {0.2, 0, -1.3}};
  std::map<std::pair<int, int>, int> edge_nodes;
  for (const int x : {1, 2})
    for (const int y : {3, 4})
      for (const int z : {5, 6})
      {
        std::array<int, 4> cell{0, x, y, z};
        Eigen::Matrix3d edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = nodes[cell[a + 1]] - nodes[0];
        if (edges.determinant() < 0) std::swap(cell[2], cell[3]);
        mesh.connectivity.insert(mesh.connectivity.end(), cell.begin(), cell.end());
        if (n_nodes == 4) continue;
        for (const auto &[a, b] : tetrahedron_edges)
        {
          const std::pair<int, int> edge = std::minmax(cell[a], cell[b]);
          const auto [position, is_new] = edge_nodes.emplace(edge, static_cast<int>(nodes.size()));
          if (is_new) nodes.push_back((nodes[edge.first] + nodes[edge.second]) / 2);
          mesh.connectivity.push_back(position->second);
        }
      }
  mesh.nodes.resize(3, nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) mesh.nodes.col(i) = nodes[i];
  return mesh;
}

/// Elements with 4, 10, 8 and 27 nodes.
inline std::vector<Mesh> all() { return {tetrahedra(4), tetrahedra(10), hexahedra(2, 2), hexahedra(3, 1)}; }
}  // namespace element_samples

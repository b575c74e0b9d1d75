#pragma once

#include <freefall/core/simd_transpose.h>

/// The arithmetic of LinearTetrahedra, one element in each lane of T: double or a batch.
namespace freefall::tetrahedron_lanes
{
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

/// One element in each lane.
template <typename T>
struct Lanes
{
  T record[8];  ///< see LinearTetrahedra::Record
  T edges[9];   ///< e_a = x_a - x_3, [a][c]

  const T &volume() const { return record[7]; }
  /// R_ab, a and b < 3.
  const T &shear(int a, int b) const { return record[a == b ? a : a + b + 2]; }

  /// record(lane) is a pointer to the eight numbers of an element, row(lane, a) one to the position of its node a and one more
  /// number.
  template <typename Record, typename Row>
  [[gnu::always_inline]] void load(const Record &record_of, const Row &row)
  {
    load_transposed<T, 8>(record_of, record);
    load_edges<T>(row, edges);
  }

  /// From positions that lie one after another, twelve numbers an element.
  template <typename Record, typename Entry>
  void load_packed(const Record *records, const int *elements, const double *x, const Entry &entry)
  {
    load_transposed<T, 8>([&](int lane) { return records[elements[entry(lane)]].data(); }, record);
    T positions[12];
    load_transposed<T, 12>([&](int lane) { return x + 12 * entry(lane); }, positions);
    for (int k = 0; k < 9; ++k) edges[k] = positions[k] - positions[9 + k % 3];
  }

  /// At global vectors: dofs(lane, a) is the first dof of node a of the element in a lane.
  template <typename Record, typename Dofs>
  [[gnu::always_inline]] void load_global(const Record &record_of, const double *q, const Dofs &dofs)
  {
    load_transposed<T, 8>(record_of, record);
    T x[4][3];
    for (int a = 0; a < 4; ++a) load_transposed<T, 3>([&](int lane) { return q + dofs(lane, a); }, x[a]);
    for (int k = 0; k < 9; ++k) edges[k] = x[k / 3][k % 3] - x[3][k % 3];
  }

  /// n_a = e_b x e_c for cyclic a, b, c: twice the outward area vector of the face opposite to node a. dJ/dx_a = record[6] n_a.
  void normal(int a, T *n) const { cross(edges + 3 * ((a + 1) % 3), edges + 3 * ((a + 2) % 3), n); }
  /// Component c of all three.
  void normals(int c, T *n) const
  {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    for (int a = 0; a < 3; ++a)
    {
      const T *p = edges + 3 * ((a + 1) % 3), *q = edges + 3 * ((a + 2) % 3);
      n[a] = p[d] * q[e] - p[e] * q[d];
    }
  }
  /// Component c of the edges.
  void components(int c, T *e) const
  {
    for (int a = 0; a < 3; ++a) e[a] = edges[3 * a + c];
  }

  /// J = det F.
  T determinant() const
  {
    T n[3];
    normal(0, n);
    return record[6] * dot(edges, n);
  }
  /// Half of mu V tr F^T F: half the sum of R_ab e_a . e_b.
  T half_trace() const
  {
    const T diagonal = shear(0, 0) * dot(edges, edges) + shear(1, 1) * dot(edges + 3, edges + 3) +
                       shear(2, 2) * dot(edges + 6, edges + 6);
    const T mixed = shear(0, 1) * dot(edges, edges + 3) + shear(0, 2) * dot(edges, edges + 6) +
                    shear(1, 2) * dot(edges + 3, edges + 6);
    return T(0.5) * diagonal + mixed;
  }
  /// sum_b R_ab w_b.
  void shear_times(const T *w, T *product) const
  {
    for (int a = 0; a < 3; ++a) product[a] = shear(a, 0) * w[0] + shear(a, 1) * w[1] + shear(a, 2) * w[2];
  }

  /// How the edges move with node(lane) of each lane: e_a by weights[a] times what the node moves by.
  template <typename Node>
  static void weights_of(const Node &node, T *weights)
  {
    // Products with 0 and 1 are exact.
    static constexpr double of_nodes[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}};
    load_transposed<T, 3>([&](int lane) { return of_nodes[node(lane)]; }, weights);
  }
};

/// The forces V P grad N_a on the first three nodes, P = factor cof F + mu F: -factor / 6 n_a + sum_b R_ab e_b.
template <typename T>
[[gnu::always_inline]] inline void forces_of(const Lanes<T> &lanes, const T &factor, T *forces)
{
  const T pressure = T(-1. / 6) * factor;
  for (int a = 0; a < 3; ++a)
  {
    T n[3];
    lanes.normal(a, n);
    for (int c = 0; c < 3; ++c)
      forces[3 * a + c] = pressure * n[c] + lanes.shear(a, 0) * lanes.edges[c] + lanes.shear(a, 1) * lanes.edges[3 + c] +
                          lanes.shear(a, 2) * lanes.edges[6 + c];
  }
}
}  // namespace freefall::tetrahedron_lanes

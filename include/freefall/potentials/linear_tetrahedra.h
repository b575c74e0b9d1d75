#pragma once

#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/element_chunks.h>
#include <freefall/potentials/neo_hookean.h>
#include <freefall/potentials/solid_elements.h>

#include <Eigen/Core>
#include <array>
#include <vector>

namespace freefall
{
/// Total-Lagrangian linear tetrahedra of one hyperelastic material: each element is one term of twelve dofs,
///
///   V_e = V W(F),   F = sum_a x_a (x) grad N_a,   x_a current node positions, dof 3 * node + component,
///
/// of a material W(F) = U(J) + mu/2 (tr F^T F - 3). F itself is not needed for energy and force: with the edges e_a = x_a - x_3,
///
///   J = -e_0 . (e_1 x e_2) / 6 V,   mu V tr F^T F = sum_ab R_ab e_a . e_b,   R_ab = mu V grad N_a . grad N_b,   a, b < 3.
///
/// Guarantees: the reference elements have positive volume (the constructor throws InputError otherwise). An element with
/// det F <= 0 throws DomainError naming it, its place and det F. Whole-mesh functions and the sums of differences run in
/// SIMD batches, allocate nothing, and give the same bits whenever they are called with the same arguments. They are fast
/// when elements that follow each other share nodes (see ElementChunks); any order is right.
template <typename Material>
class LinearTetrahedra : public SolidElements, public TermsWithDiscreteGradient
{
public:
  using Cell = std::array<int, 4>;

  /// `element_names` are the numbers by which messages call the elements.
  LinearTetrahedra(const Material &material,
                   const Eigen::Matrix3Xd &reference_nodes,
                   const std::vector<Cell> &cells,
                   std::vector<int> element_names);

  const Material &material() const { return material_; }
  double volume(int element) const override { return records_[element][7]; }
  std::size_t memory_consumption() const override;
  int element_name(int element) const override { return names_[element]; }
  /// grad N_a, one column a node, 1/m.
  Eigen::Matrix<double, 3, 4> shape_gradients(int element) const;
  Eigen::Matrix3d deformation_gradient(int element, const double *x) const;

  int n_points() const override { return 1; }
  double weight(int element, int) const override { return volume(element); }
  Eigen::Matrix3d deformation_gradient(int element, int, const double *x) const override
  {
    return deformation_gradient(element, x);
  }
  bool needs_positive_determinant() const override { return Material::needs_positive_determinant; }
  double energy_density(const Eigen::Matrix3d &F) const override { return material_.energy(F); }
  Eigen::Matrix3d stress(const Eigen::Matrix3d &F) const override { return material_.stress(F); }
  LameConstants linearised() const override { return material_.linearised(); }

  int n_terms() const override { return static_cast<int>(records_.size()); }
  int dofs_per_term() const override { return 12; }
  Span<const int> dofs(int element) const override { return {dofs_.data() + 12 * element, 12}; }

  double value(int element, const double *x) const override;
  void gradient(int element, const double *x, double *gradient) const override;
  void hessian(int element, const double *x, double *hessian) const override;
  void third_derivative(int element, const double *x, const double *direction, double *contraction) const override;
  void discrete_gradient(int element, const double *x0, const double *x1, double *gradient) const override;
  double difference(int element, const double *x, int a, double s) const override;
  double mixed_difference(int element, const double *x, int a, double s, int b, double r) const override;
  double sum_of_differences(int count, const int *elements, const double *x, const int *a, double s) const override;
  double sum_of_mixed_differences(
    int count, const int *elements, const double *x, const int *a, double s, const int *b, double r) const override;
  void hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const override;
  double energy(const Eigen::VectorXd &q) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;
  void add_third_derivative(const Eigen::VectorXd &q,
                            const Eigen::VectorXd &direction,
                            Eigen::VectorXd &contraction) const override;

private:
  /// What energy, force and differences need: the shear stiffnesses R_ab = mu V grad N_a . grad N_b of the first three nodes (00, 11,
  /// 22, 01, 02, 12), N/m; -1 / (6 V), with which J = det F comes from the edges e_a = x_a - x_3; V. A cache line.
  struct alignas(64) Record : std::array<double, 8>
  {
  };

  /// X_a - X_3, one column each.
  Eigen::Matrix3d reference_edges(int element) const;
  /// Throws DomainError naming the first element whose det F is not positive, NaN included, its place and det F.
  /// element(lane) is the element in that lane, position(lane, a) a pointer to the position of its node a.
  template <typename T, typename Element, typename Position>
  void check_positive(const T &determinant, const Element &element, const Position &position) const;
  /// Calls kernel(chunk, positions) for each chunk with the padded positions of its nodes, four doubles a node.
  template <typename Kernel>
  void for_each_chunk(const Eigen::VectorXd &q, const Kernel &kernel) const;
  /// Calls kernel(block, n, place) for the elements of a chunk: `block` holds the kinematics of n batches, and place(i, lane, a)
  /// is where node a of the element in that lane of batch i is in buffers like `positions`.
  template <typename Kernel>
  void for_each_block(int chunk, const double *positions, const Kernel &kernel) const;

  Material material_;
  std::vector<int> names_;
  std::vector<Record> records_;
  Eigen::Matrix3Xd reference_nodes_;  ///< from the lowest to the highest node of the elements
  int first_node_ = 0;                ///< the lowest
  std::vector<int> dofs_;  ///< 12 for each element
  ElementChunks chunks_;
};

extern template class LinearTetrahedra<NeoHookean>;
}  // namespace freefall

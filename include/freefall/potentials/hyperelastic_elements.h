#pragma once

#include <freefall/potentials/deformation.h>
#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/element_geometry.h>
#include <freefall/potentials/linear_elastic.h>
#include <freefall/potentials/mooney_rivlin.h>
#include <freefall/potentials/neo_hookean.h>
#include <freefall/potentials/ogden.h>
#include <freefall/potentials/saint_venant_kirchhoff.h>
#include <freefall/potentials/solid_elements.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// Total-Lagrangian elements of any one shape with quadrature, of one hyperelastic material: each element is one term,
///
///   V_e = sum_q w_q W(F_q),   F_q = sum_a x_a (x) grad N_a(q),   x_a current node positions, dof 3 * node + component.
///
/// Guarantees
/// * Derivatives are exact. difference() and mixed_difference() evaluate W in the arithmetic of core/differences.h, which never
///   subtracts energies: their error is a few roundings of modulus * volume * strain increment (times the second increment).
/// * Whole-mesh functions and hessians() run in SIMD batches of elements (Ogden's second and third derivatives do not); nothing
///   here allocates after construction.
/// * Where the material needs it, det F <= 0 (or NaN) throws DomainError naming element, quadrature point, place and det F.
/// * The constructor throws InputError for an element of no or negative volume, std::logic_error for arrays that do not fit.
template <typename Material>
class HyperelasticElements : public SolidElements, public TermsWithDiscreteGradient
{
public:
  /// Triquadratic hexahedra are the largest.
  static constexpr int max_nodes = 27;

  /// `connectivity`: the nodes of each element, [element][node], in the order of the shape functions of `geometry`.
  /// `element_names` are the numbers by which messages call the elements.
  HyperelasticElements(const Material &material,
                       const ElementGeometry &geometry,
                       const std::vector<int> &connectivity,
                       std::vector<int> element_names);

  const Material &material() const { return material_; }
  int n_nodes() const { return n_nodes_; }
  int n_points() const override { return n_points_; }
  int element_name(int element) const override { return names_[element]; }
  double volume(int element) const override;
  double weight(int element, int point) const override { return factors(element, point)[9 * batch_size]; }
  /// grad N_a, three numbers a node, 1/m.
  void shape_gradients(int element, int point, double *gradients) const;
  Eigen::Matrix3d deformation_gradient(int element, int point, const double *x) const override;
  bool needs_positive_determinant() const override { return Material::needs_positive_determinant; }
  double energy_density(const Eigen::Matrix3d &F) const override { return material_.energy(F); }
  Eigen::Matrix3d stress(const Eigen::Matrix3d &F) const override { return material_.stress(F); }
  LameConstants linearised() const override { return material_.linearised(); }
  std::size_t memory_consumption() const override
  {
    return sizeof(*this) + sizeof(double) * (unit_gradients_.capacity() + factors_.capacity()) +
           sizeof(int) * (dofs_.capacity() + names_.capacity());
  }

  int n_terms() const override { return static_cast<int>(names_.size()); }
  int dofs_per_term() const override { return 3 * n_nodes_; }
  Span<const int> dofs(int element) const override
  {
    return {dofs_.data() + 3 * n_nodes_ * element, std::size_t(3) * n_nodes_};
  }

  double value(int element, const double *x) const override;
  void gradient(int element, const double *x, double *gradient) const override;
  void hessian(int element, const double *x, double *hessian) const override;
  void third_derivative(int element, const double *x, const double *direction, double *contraction) const override;
  void discrete_gradient(int element, const double *x0, const double *x1, double *gradient) const override;
  double difference(int element, const double *x, int a, double s) const override;
  double mixed_difference(int element, const double *x, int a, double s, int b, double r) const override;
  double energy(const Eigen::VectorXd &q) const override;
  void add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const override;
  void hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const override;
  void add_third_derivative(const Eigen::VectorXd &q,
                            const Eigen::VectorXd &direction,
                            Eigen::VectorXd &contraction) const override;

private:
  /// The nine entries of the inverse Jacobian and the weight of a point: entry k at [k * batch_size].
  const double *factors(int element, int point) const
  {
    const int block = element / batch_size, lane = element % batch_size;
    return factors_.data() + 10 * batch_size * (std::size_t(block) * n_points_ + point) + lane;
  }
  /// Positions of the nodes of a batch of elements beginning with `first`: T x[3 * n_nodes].
  void gather(int first, const Eigen::VectorXd &q, Batch *x) const;
  /// F and det F at a point from the positions or displacements x of the element's nodes.
  void deform(int element, int point, const double *x, Deformation<double> &deformation) const;
  void deform(int block, int point, const Batch *x, Deformation<Batch> &deformation) const;
  /// The same for one element, whose det F must be positive if the material needs it.
  void deform_checked(int element, int point, const double *x, Deformation<double> &deformation) const;
  /// Sets the determinant and throws DomainError when the lowest of the values it stands for is not positive.
  template <typename T>
  void update_determinant(int element, int point, const double *x, Deformation<T> &deformation) const;
  /// Adds the upper blocks (a <= b) of the Hessians of a batch of elements at a point to hessians[3 a + i][3 b + k].
  template <typename T>
  void add_hessians(const Deformation<T> &deformation, int first, int point, T *hessians) const;
  /// Adds forces[3 * node + c] of a batch of elements to a global vector.
  void scatter(int first, const Batch *forces, Eigen::VectorXd &global) const;
  void check_positive(const Batch &J, int first, int point, const Eigen::VectorXd &q) const;
  [[noreturn]] void throw_inverted(int element, int point, double J, const Eigen::Vector3d &place) const;

  Material material_;
  int n_nodes_ = 0;
  int n_points_ = 0;
  std::vector<double> unit_gradients_;  ///< [point][node][3]
  std::vector<double> factors_;         ///< [block of elements][point][10][element of the block]; padding has weight 0
  std::vector<int> dofs_;               ///< [element][node][3]
  std::vector<int> names_;
};

extern template class HyperelasticElements<NeoHookean>;
extern template class HyperelasticElements<SaintVenantKirchhoff>;
extern template class HyperelasticElements<LinearElastic>;
extern template class HyperelasticElements<MooneyRivlin>;
extern template class HyperelasticElements<Ogden>;
}  // namespace freefall

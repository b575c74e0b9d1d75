#pragma once

#include <freefall/potentials/neo_hookean.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/matrix_free.h>

/// The internal force of a neo-Hookean mesh as one writes it with deal.II: the baselines of benchmarks/internal_force.
class DealIIForces
{
public:
  using Vector = dealii::LinearAlgebra::distributed::Vector<double>;

  DealIIForces(const freefall::SolidMesh &mesh, const freefall::NeoHookean &material)
    : material_(material), fe_(dealii::FE_SimplexP<3>(1), 3), mapping_(dealii::FE_SimplexP<3>(1)), quadrature_(1)
  {
    std::vector<dealii::Point<3>> vertices(mesh.n_nodes());
    for (int node = 0; node < mesh.n_nodes(); ++node)
      for (int c = 0; c < 3; ++c) vertices[node][c] = mesh.nodes(c, node);
    std::vector<dealii::CellData<3>> cells(mesh.n_cells(), dealii::CellData<3>(4));
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
      for (int a = 0; a < 4; ++a) cells[cell].vertices[a] = mesh.cells[cell][a];
    triangulation_.create_triangulation(vertices, cells, {});
    dof_handler_.reinit(triangulation_);
    dof_handler_.distribute_dofs(fe_);
    constraints_.close();
    dealii::MatrixFree<3, double>::AdditionalData data;
    data.tasks_parallel_scheme = dealii::MatrixFree<3, double>::AdditionalData::none;
    data.mapping_update_flags = dealii::update_gradients | dealii::update_JxW_values;
    matrix_free_.reinit(mapping_, dof_handler_, constraints_, quadrature_, data);
    matrix_free_.initialize_dof_vector(u);
    matrix_free_.initialize_dof_vector(force);
    dof_of_.resize(3 * mesh.n_nodes());
    for (const auto &cell : dof_handler_.active_cell_iterators())
      for (unsigned int a = 0; a < 4; ++a)
        for (unsigned int c = 0; c < 3; ++c) dof_of_[3 * cell->vertex_index(a) + c] = cell->vertex_dof_index(a, c);
  }

  void set_displacement(const Eigen::VectorXd &displacement)
  {
    for (std::size_t i = 0; i < dof_of_.size(); ++i) u[dof_of_[i]] = displacement[i];
  }
  Eigen::VectorXd force_in_our_order() const
  {
    Eigen::VectorXd ours(dof_of_.size());
    for (std::size_t i = 0; i < dof_of_.size(); ++i) ours[i] = force[dof_of_[i]];
    return ours;
  }

  /// A scalar loop over FEValues.
  void evaluate_fe_values()
  {
    force = 0;
    dealii::FEValues<3> values(mapping_, fe_, quadrature_, dealii::update_gradients | dealii::update_JxW_values);
    const dealii::FEValuesExtractors::Vector displacement(0);
    std::vector<dealii::Tensor<2, 3>> gradients(1);
    std::vector<dealii::types::global_dof_index> dofs(fe_.n_dofs_per_cell());
    for (const auto &cell : dof_handler_.active_cell_iterators())
    {
      values.reinit(cell);
      values[displacement].get_function_gradients(u, gradients);
      const dealii::Tensor<2, 3> P = stress(gradients[0]);
      cell->get_dof_indices(dofs);
      for (unsigned int i = 0; i < dofs.size(); ++i)
        force[dofs[i]] += dealii::scalar_product(P, values[displacement].gradient(i, 0)) * values.JxW(0);
    }
  }

  void evaluate_matrix_free() { matrix_free_.cell_loop(&DealIIForces::evaluate_range, this, force, u, true); }

  Vector u, force;  ///< displacement, gradient of the energy

private:
  /// First Piola-Kirchhoff stress of the displacement gradient F - I.
  template <typename Number>
  dealii::Tensor<2, 3, Number> stress(dealii::Tensor<2, 3, Number> F) const
  {
    for (int c = 0; c < 3; ++c) F[c][c] += 1.;
    using std::log;
    const Number pressure = material_.lambda * log(determinant(F)) - material_.mu;
    return pressure * transpose(invert(F)) + material_.mu * F;
  }

  void evaluate_range(const dealii::MatrixFree<3, double> &data,
                      Vector &to,
                      const Vector &from,
                      const std::pair<unsigned int, unsigned int> &range) const
  {
    dealii::FEEvaluation<3, -1, 0, 3, double> cell(data, range);
    for (unsigned int batch = range.first; batch < range.second; ++batch)
    {
      cell.reinit(batch);
      cell.gather_evaluate(from, dealii::EvaluationFlags::gradients);
      for (unsigned int point = 0; point < cell.n_q_points; ++point)
        cell.submit_gradient(stress(dealii::Tensor<2, 3, dealii::VectorizedArray<double>>(cell.get_gradient(point))), point);
      cell.integrate_scatter(dealii::EvaluationFlags::gradients, to);
    }
  }

  freefall::NeoHookean material_;
  dealii::FESystem<3> fe_;
  dealii::MappingFE<3> mapping_;
  dealii::QGaussSimplex<3> quadrature_;
  dealii::Triangulation<3> triangulation_;
  dealii::DoFHandler<3> dof_handler_;
  dealii::AffineConstraints<double> constraints_;
  dealii::MatrixFree<3, double> matrix_free_;
  std::vector<dealii::types::global_dof_index> dof_of_;
};

#pragma once

#include <freefall/potentials/neo_hookean.h>
#include <freefall/systems/fem/solid_mesh.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/matrix_free.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

/// The internal force of a neo-Hookean mesh as one writes it with deal.II: the baselines of benchmarks/internal_force.
class DealIIForces
{
public:
  using Vector = dealii::LinearAlgebra::distributed::Vector<double>;

  DealIIForces(const freefall::SolidMesh &mesh, const freefall::NeoHookean &material)
    : material_(material), fe_(*element(mesh.element), 3), mapping_(*linear(mesh.element)), quadrature_(rule(mesh.element))
  {
    const auto &shape = freefall::shape_of(mesh.element);
    // Corners alone are vertices; deal.II's go through a hexahedron line by line, ours around its faces.
    const std::vector<int> corner =
      shape.is_tetrahedron ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 1, 3, 2, 4, 5, 7, 6};
    std::vector<int> vertex_of(mesh.n_nodes(), -1);
    std::vector<dealii::Point<3>> vertices;
    std::vector<dealii::CellData<3>> cells(mesh.n_cells(), dealii::CellData<3>(shape.n_corners));
    for (int cell = 0; cell < mesh.n_cells(); ++cell)
      for (int a = 0; a < shape.n_corners; ++a)
      {
        const int node = mesh.cell_nodes(cell)[corner[a]];
        if (vertex_of[node] < 0)
        {
          vertex_of[node] = static_cast<int>(vertices.size());
          vertices.emplace_back(mesh.nodes(0, node), mesh.nodes(1, node), mesh.nodes(2, node));
        }
        cells[cell].vertices[a] = vertex_of[node];
      }
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
    find_dofs(mesh);
  }

  unsigned int n_points() const { return quadrature_.size(); }

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
    std::vector<dealii::Tensor<2, 3>> gradients(quadrature_.size());
    std::vector<dealii::types::global_dof_index> dofs(fe_.n_dofs_per_cell());
    for (const auto &cell : dof_handler_.active_cell_iterators())
    {
      values.reinit(cell);
      values[displacement].get_function_gradients(u, gradients);
      cell->get_dof_indices(dofs);
      for (unsigned int point = 0; point < quadrature_.size(); ++point)
      {
        const dealii::Tensor<2, 3> P = stress(gradients[point]);
        for (unsigned int i = 0; i < dofs.size(); ++i)
          force[dofs[i]] += dealii::scalar_product(P, values[displacement].gradient(i, point)) * values.JxW(point);
      }
    }
  }

  void evaluate_matrix_free() { matrix_free_.cell_loop(&DealIIForces::evaluate_range, this, force, u, true); }

  Vector u, force;  ///< displacement, gradient of the energy

private:
  static std::unique_ptr<dealii::FiniteElement<3>> element(freefall::ElementType type, unsigned int degree)
  {
    if (freefall::shape_of(type).is_tetrahedron) return std::make_unique<dealii::FE_SimplexP<3>>(degree);
    return std::make_unique<dealii::FE_Q<3>>(degree);
  }
  static std::unique_ptr<dealii::FiniteElement<3>> element(freefall::ElementType type)
  {
    return element(type, freefall::shape_of(type).is_quadratic ? 2 : 1);
  }
  static std::unique_ptr<dealii::FiniteElement<3>> linear(freefall::ElementType type) { return element(type, 1); }
  /// The same points as ours.
  static dealii::Quadrature<3> rule(freefall::ElementType type)
  {
    const auto &shape = freefall::shape_of(type);
    if (shape.is_tetrahedron) return dealii::QGaussSimplex<3>(shape.is_quadratic ? 2 : 1);
    return dealii::QGauss<3>(shape.is_quadratic ? 3 : 2);
  }

  /// Which dof belongs to a node and component: they lie at the same place.
  void find_dofs(const freefall::SolidMesh &mesh)
  {
    // Nodes are much farther apart than this from each other.
    const double grain = 1e-7 * (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
    using Place = std::array<long long, 3>;
    const auto place = [grain](double x, double y, double z) { return Place{std::llround(x / grain), std::llround(y / grain), std::llround(z / grain)}; };
    std::vector<dealii::Point<3>> points(dof_handler_.n_dofs());
    dealii::DoFTools::map_dofs_to_support_points(mapping_, dof_handler_, points);
    std::vector<std::pair<Place, int>> nodes;
    for (int node = 0; node < mesh.n_nodes(); ++node)
      nodes.emplace_back(place(mesh.nodes(0, node), mesh.nodes(1, node), mesh.nodes(2, node)), node);
    std::sort(nodes.begin(), nodes.end());
    const auto node_at = [&](const Place &wanted)
    {
      // Rounding may fall to the other side of a grain.
      for (long long dx = -1; dx <= 1; ++dx)
        for (long long dy = -1; dy <= 1; ++dy)
          for (long long dz = -1; dz <= 1; ++dz)
          {
            const Place near{wanted[0] + dx, wanted[1] + dy, wanted[2] + dz};
            const auto found = std::lower_bound(nodes.begin(), nodes.end(), std::make_pair(near, -1));
            if (found != nodes.end() && found->first == near) return found->second;
          }
      throw std::runtime_error("a dof of deal.II lies at none of the nodes");
    };
    dof_of_.resize(3 * mesh.n_nodes());
    std::vector<dealii::types::global_dof_index> dofs(fe_.n_dofs_per_cell());
    for (const auto &cell : dof_handler_.active_cell_iterators())
    {
      cell->get_dof_indices(dofs);
      for (unsigned int i = 0; i < dofs.size(); ++i)
      {
        const auto &x = points[dofs[i]];
        dof_of_[3 * node_at(place(x[0], x[1], x[2])) + fe_.system_to_component_index(i).first] = dofs[i];
      }
    }
  }

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
  dealii::Quadrature<3> quadrature_;
  dealii::Triangulation<3> triangulation_;
  dealii::DoFHandler<3> dof_handler_;
  dealii::AffineConstraints<double> constraints_;
  dealii::MatrixFree<3, double> matrix_free_;
  std::vector<dealii::types::global_dof_index> dof_of_;
};

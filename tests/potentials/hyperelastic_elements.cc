#include <freefall/core/errors.h>
#include <freefall/potentials/hyperelastic_elements.h>
#include <freefall/potentials/linear_tetrahedra.h>

#include "element_samples.h"
#include "material_samples.h"
#include "term_checks.h"

#include <Eigen/Geometry>
#include <random>

using namespace freefall;
using element_samples::Mesh;
using material_samples::sample;

namespace
{
template <typename Material>
HyperelasticElements<Material> elements_of(const Mesh &mesh)
{
  return HyperelasticElements<Material>(sample<Material>(), mesh.geometry(), mesh.connectivity, mesh.names());
}

Eigen::VectorXd positions(const Eigen::Matrix3Xd &nodes)
{
  return Eigen::Map<const Eigen::VectorXd>(nodes.data(), nodes.size());
}

/// A mesh strained by about 20 % with some noise, well inside the domain of every material.
Eigen::VectorXd deformed(const Mesh &mesh, unsigned seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-0.03, 0.03);
  Eigen::Matrix3d F;
  F << 1.1, 0.2, 0, -0.1, 0.9, 0.15, 0.05, 0.1, 1.2;
  Eigen::VectorXd q = positions(F * mesh.nodes);
  for (auto &value : q) value += noise(random);
  return q;
}

std::vector<double> local(const LocalTerms &elements, int e, const Eigen::VectorXd &q)
{
  std::vector<double> x;
  for (const int dof : elements.dofs(e)) x.push_back(q[dof]);
  return x;
}

Eigen::VectorXd gradient_of(const LocalTerms &elements, const Eigen::VectorXd &q)
{
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(q.size());
  elements.add_gradient(q, gradient);
  return gradient;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(hyperelastic_elements)

BOOST_AUTO_TEST_CASE_TEMPLATE(derivatives_to_third_order_agree_with_differences, Material, material_samples::All)
{
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      const auto q = deformed(mesh, 1), direction = deformed(mesh, 2);
      const int last = elements.n_terms() - 1;
      term_checks::derivatives(elements, last, local(elements, last, q), local(elements, last, direction), 1.0,
                               std::is_same_v<Material, LinearElastic>);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(differences_agree_with_differences_of_values, Material, material_samples::All)
{
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      const auto x = local(elements, 0, deformed(mesh, 3));
      // Four energies of size one have rounding errors of some 1e-15; the largest mixed difference is about 6e-4.
      term_checks::differences(elements, 0, x, 0.02, -0.03, 5e-11);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(differences_of_tiny_steps_keep_their_digits, Material, material_samples::All)
{
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      // Undeformed (coincident stretches) and deformed.
      for (const Eigen::VectorXd &q : {positions(mesh.nodes), deformed(mesh, 4)})
      {
        const auto x = local(elements, 0, q);
        const int n = elements.dofs_per_term();
        std::vector<double> gradient(n), hessian(n * n);
        elements.gradient(0, x.data(), gradient.data());
        elements.hessian(0, x.data(), hessian.data());
        const double size = term_checks::largest(hessian), s = 1e-8;
        for (int a = 0; a < n; ++a)
        {
          // s g + s^2 H / 2 up to s^3; the gradient's own rounding is 1e-15 of the moduli. Subtracted energies: 1e-16 / 1e-8.
          const double expected = gradient[a] + s / 2 * hessian[n * a + a];
          BOOST_TEST(std::abs(elements.difference(0, x.data(), a, s) / s - expected) < 1e-13 * size);
        }
        for (int a = 0; a < n; a += 2)
          for (int b = 1; b < n; b += 5)
            if (a != b)
            {
              // s^2 H up to s^3, third derivatives being up to 100 times larger; subtracted energies would leave nothing
              // (1e-16 / 1e-16).
              const double mixed = elements.mixed_difference(0, x.data(), a, s, b, -s) / (-s * s);
              BOOST_TEST(std::abs(mixed - hessian[n * a + b]) < 1e-6 * size);
            }
      }
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(whole_mesh_functions_are_the_sums_of_the_terms, Material, material_samples::All)
{
  for (const auto &full : element_samples::all()) BOOST_TEST_CONTEXT(full.shape.name)
  // Every remainder of a batch.
  for (int count = 1; count <= full.n_elements(); ++count)
  {
    Mesh mesh = full;
    mesh.connectivity.resize(count * full.n_nodes());
    const auto elements = elements_of<Material>(mesh);
    const auto q = deformed(mesh, 5);
    Eigen::VectorXd plain = Eigen::VectorXd::Zero(q.size());
    elements.LocalTerms::add_gradient(q, plain);
    BOOST_TEST_REQUIRE(plain.norm() > 0.01);
    // Another order of a few hundred additions, and other vector functions.
    BOOST_TEST((gradient_of(elements, q) - plain).norm() < 1e-13 * plain.norm());
    BOOST_TEST(elements.energy(q) == elements.LocalTerms::energy(q), boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(second_and_third_derivatives_in_batches_are_those_of_single_elements, Material, material_samples::All)
{
  for (const auto &full : element_samples::all()) BOOST_TEST_CONTEXT(full.shape.name)
  for (int count = 1; count <= full.n_elements(); ++count)
  {
    Mesh mesh = full;
    mesh.connectivity.resize(count * full.n_nodes());
    const auto elements = elements_of<Material>(mesh);
    const auto q = deformed(mesh, 5), direction = deformed(mesh, 6);
    const int n = elements.dofs_per_term(), first = count / 3;
    std::vector<double> batched(n * n * (count - first)), single(n * n);
    elements.hessians(first, count - first, q, batched.data());
    for (int e = first; e < count; ++e)
    {
      elements.hessian(e, local(elements, e, q).data(), single.data());
      const double size = term_checks::largest(single);
      double error = 0;
      for (int k = 0; k < n * n; ++k) error = std::max(error, std::abs(single[k] - batched[n * n * (e - first) + k]));
      BOOST_TEST(error < 1e-13 * size);  // rounding, of sums over up to 27 points
    }
    Eigen::VectorXd plain = Eigen::VectorXd::Zero(q.size()), found = plain;
    elements.LocalTerms::add_third_derivative(q, direction, plain);
    elements.add_third_derivative(q, direction, found);
    BOOST_TEST((plain.norm() > 0.01) == !(std::is_same_v<Material, LinearElastic>));
    // Rounding of terms of the size of the moduli, 1.
    BOOST_TEST((found - plain).norm() < 1e-13 * std::max(1., plain.norm()));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_linear_elasticity_depends_on_the_frame, Material, material_samples::All)
{
  const Eigen::Matrix3d R = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      const auto q = deformed(mesh, 6);
      const Eigen::Matrix3Xd x = Eigen::Map<const Eigen::Matrix3Xd>(q.data(), 3, q.size() / 3);
      const auto turned = positions((R * x).colwise() + Eigen::Vector3d(3, -2, 1));
      if (std::is_same_v<Material, LinearElastic>)
      {
        BOOST_TEST(std::abs(elements.energy(turned) - elements.energy(q)) > 0.1 * elements.energy(q));
        continue;
      }
      // Positions of size four with gradients of size ten: F has errors of 1e-14.
      BOOST_TEST(elements.energy(turned) == elements.energy(q), boost::test_tools::tolerance(1e-11));
      const Eigen::VectorXd force = gradient_of(elements, q), turned_force = gradient_of(elements, turned);
      for (Eigen::Index node = 0; node < q.size() / 3; ++node)
        BOOST_TEST((R * force.segment<3>(3 * node) - turned_force.segment<3>(3 * node)).norm() < 1e-11 * force.norm());
      // The rotated undeformed mesh rests.
      BOOST_TEST(gradient_of(elements, positions(R * mesh.nodes)).norm() < 1e-12 * force.norm());
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(patch_in_uniform_strain_is_in_equilibrium_inside, Material, material_samples::All)
{
  Eigen::Matrix3d F, A;
  F << 1.1, 0.2, 0, -0.1, 0.9, 0.3, 0.05, 0, 1.2;
  A << 0.3, -1, 2, 0.1, 0.5, 1, 1, 2, -0.7;
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      const Eigen::VectorXd force = gradient_of(elements, positions(F * mesh.nodes));
      BOOST_TEST_REQUIRE(force.norm() > 0.1);
      // Sums of some dozens of cancelling contributions.
      BOOST_TEST(force.segment<3>(3 * mesh.inner_node).norm() < 1e-14 * 10 * force.norm());
      double volume = 0;
      for (int e = 0; e < elements.n_terms(); ++e) volume += elements.volume(e);
      // Virtual work of the constant stress against a uniform gradient.
      BOOST_TEST(force.dot(positions(A * mesh.nodes)) == volume * elements.material().stress(F).cwiseProduct(A).sum(),
                 boost::test_tools::tolerance(1e-12));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(inverted_element_is_named_with_place_and_quadrature_point, Material, material_samples::All)
{
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<Material>(mesh);
      Eigen::VectorXd q = positions(mesh.nodes);
      q[3 * mesh.inner_node] += 5;  // far outside: the elements behind it are turned inside out
      const auto names_it = [&](const DomainError &error)
      {
        const std::string text = error.what();
        const int e = std::stoi(text.substr(std::string("element ").size())) - 100;
        const auto at = text.find("quadrature point ");
        if (at == std::string::npos || text.find("near (") == std::string::npos) return false;
        const int point = std::stoi(text.substr(at + std::string("quadrature point ").size()));
        const double J = elements.deformation_gradient(e, point, local(elements, e, q).data()).determinant();
        return J <= 0 && std::abs(std::stod(text.substr(text.find("det F = ") + 8)) - J) < 1e-4 * std::abs(J);
      };
      if (std::is_same_v<Material, LinearElastic>)
      {
        BOOST_TEST(elements.energy(q) > 0);
        continue;
      }
      BOOST_CHECK_EXCEPTION(elements.energy(q), DomainError, names_it);
      BOOST_CHECK_EXCEPTION(elements.LocalTerms::energy(q), DomainError, names_it);
      BOOST_CHECK_EXCEPTION(gradient_of(elements, q), DomainError, names_it);
      q[0] = std::nan("");
      BOOST_CHECK_THROW(elements.energy(q), DomainError);
      // A step into inversion: the start is fine, the end is not.
      const auto x = local(elements, 0, positions(mesh.nodes));
      const auto step_both_ways = [&]
      { return elements.difference(0, x.data(), 0, 50) + elements.difference(0, x.data(), 0, -50); };
      BOOST_CHECK_THROW(step_both_ways(), DomainError);
    }
}

BOOST_AUTO_TEST_CASE(four_nodes_and_one_point_are_linear_tetrahedra)
{
  const auto mesh = element_samples::tetrahedra(4);
  const auto elements = elements_of<NeoHookean>(mesh);
  std::vector<LinearTetrahedra<NeoHookean>::Cell> cells;
  for (int e = 0; e < mesh.n_elements(); ++e)
  {
    const int *cell = mesh.connectivity.data() + 4 * e;
    cells.push_back({cell[1], cell[2], cell[3], cell[0]});
    // Its sense of orientation is that of the unit cell with node 0 last, an odd permutation.
    std::swap(cells.back()[0], cells.back()[1]);
  }
  const LinearTetrahedra<NeoHookean> linear(elements.material(), mesh.nodes, cells, mesh.names());
  const auto q = deformed(mesh, 8);
  BOOST_TEST(elements.energy(q) == linear.energy(q), boost::test_tools::tolerance(1e-13));
  const Eigen::VectorXd force = gradient_of(linear, q);
  BOOST_TEST((gradient_of(elements, q) - force).norm() < 1e-13 * force.norm());
}

BOOST_AUTO_TEST_CASE(geometry_can_come_from_shape_gradients)
{
  for (const auto &mesh : element_samples::all()) BOOST_TEST_CONTEXT(mesh.shape.name)
    {
      const auto elements = elements_of<NeoHookean>(mesh);
      const int n = elements.n_nodes(), m = elements.n_points();
      std::vector<double> gradients(3 * n * m * elements.n_terms());
      for (int e = 0; e < elements.n_terms(); ++e)
        for (int q = 0; q < m; ++q) elements.shape_gradients(e, q, gradients.data() + 3 * n * (m * e + q));
      const auto geometry = ElementGeometry::from_shape_gradients(n, m, gradients, mesh.geometry().weights);
      const HyperelasticElements<NeoHookean> same(elements.material(), geometry, mesh.connectivity, mesh.names());
      const auto q = deformed(mesh, 9);
      const Eigen::VectorXd force = gradient_of(elements, q);
      // A least-squares solution with a condition of ten or so.
      BOOST_TEST((gradient_of(same, q) - force).norm() < 1e-12 * force.norm());
      if (elements.n_terms() > 1 && m > 1)
      {
        std::swap(gradients[3 * n * m], gradients[3 * n * m + 3]);
        BOOST_CHECK_THROW(ElementGeometry::from_shape_gradients(n, m, gradients, mesh.geometry().weights), InputError);
      }
    }
}

BOOST_AUTO_TEST_CASE(reference_element_inside_out_is_an_input_error)
{
  Mesh mesh = element_samples::hexahedra(2, 2);
  for (int a = 0; a < 4; ++a) std::swap(mesh.connectivity[24 + a], mesh.connectivity[28 + a]);  // top and bottom of element 3
  const auto names_element = [](const InputError &error)
  { return std::string(error.what()).find("element 103 ") != std::string::npos; };
  BOOST_CHECK_EXCEPTION(elements_of<NeoHookean>(mesh), InputError, names_element);
}

BOOST_AUTO_TEST_CASE(no_elements_have_no_energy)
{
  Mesh mesh = element_samples::hexahedra(2, 1);
  mesh.connectivity.clear();
  const auto elements = elements_of<NeoHookean>(mesh);
  BOOST_TEST(elements.energy(positions(mesh.nodes)) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

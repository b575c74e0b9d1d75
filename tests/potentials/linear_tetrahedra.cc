#include <freefall/core/errors.h>
#include <freefall/potentials/linear_tetrahedra.h>

#include "term_checks.h"

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <limits>
#include <numeric>
#include <random>

using namespace freefall;

namespace
{
using Tetrahedra = LinearTetrahedra<NeoHookean>;
const NeoHookean aluminium{60.5e9, 26e9};

/// A cell-centred fan of eight elements around one node: an octahedron with an uneven shape.
struct Octahedron
{
  Octahedron() : nodes(3, 7)
  {
    nodes << 0.1, 1, -1.1, 0, 0.1, 0, 0.2,  //
      0.05, 0, 0.1, 1.2, -0.9, 0.1, 0,      //
      -0.1, 0.1, 0, 0, -0.1, 1, -1.3;
    for (const int x : {1, 2})
      for (const int y : {3, 4})
        for (const int z : {5, 6})
        {
          Tetrahedra::Cell cell{0, x, y, z};
          Eigen::Matrix3d edges;
          for (int a = 0; a < 3; ++a) edges.col(a) = nodes.col(cell[a + 1]) - nodes.col(0);
          if (edges.determinant() < 0) std::swap(cell[2], cell[3]);
          cells.push_back(cell);
        }
  }
  Tetrahedra elements(const NeoHookean &material = aluminium) const
  {
    return Tetrahedra(material, nodes, cells, {0, 1, 2, 3, 4, 5, 6, 7});
  }
  /// Random current positions, deformed by about 10 %, well inside the domain.
  Eigen::VectorXd deformed(unsigned seed) const
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> offset(-0.1, 0.1);
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(nodes.data(), nodes.size());
    for (auto &value : q) value += offset(random);
    return q;
  }
  Eigen::Matrix3Xd nodes;
  std::vector<Tetrahedra::Cell> cells;
};

/// Elements between random nodes, most of them overlapping: no mesh, but every order and sharing of nodes happens, up to
/// repeated elements. Little deformed.
struct RandomElements
{
  explicit RandomElements(int count) : nodes(3, 400)
  {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> place(0, 1), offset(-0.001, 0.001);
    for (auto &x : nodes.reshaped()) x = place(random);
    while (static_cast<int>(cells.size()) < count)
    {
      Tetrahedra::Cell cell;
      for (int &node : cell) node = static_cast<int>(random() % 400);
      Eigen::Matrix3d edges;
      for (int a = 0; a < 3; ++a) edges.col(a) = nodes.col(cell[a + 1]) - nodes.col(cell[0]);
      if (std::abs(edges.determinant()) < 0.02) continue;
      if (edges.determinant() < 0) std::swap(cell[2], cell[3]);
      cells.push_back(cell);
      if (cells.size() % 50 == 0) cells.push_back(cell);
    }
    cells.resize(count);
    q = nodes.reshaped();
    for (auto &value : q) value += offset(random);
  }
  Tetrahedra elements(int count) const
  {
    std::vector<int> names(count);
    std::iota(names.begin(), names.end(), 0);
    return Tetrahedra(aluminium, nodes, {cells.begin(), cells.begin() + count}, names);
  }
  Eigen::Matrix3Xd nodes;
  std::vector<Tetrahedra::Cell> cells;
  Eigen::VectorXd q;
};

std::vector<double> local(const Tetrahedra &elements, int e, const Eigen::VectorXd &q)
{
  std::vector<double> x;
  for (const int dof : elements.dofs(e)) x.push_back(q[dof]);
  return x;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(linear_tetrahedra)

BOOST_AUTO_TEST_CASE(derivatives_to_third_order_agree_with_differences)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  for (unsigned seed = 1; seed <= 3; ++seed)
  {
    const auto q = mesh.deformed(seed), direction = mesh.deformed(seed + 10);
    for (int e = 0; e < elements.n_terms(); ++e)
      term_checks::derivatives(elements, e, local(elements, e, q), local(elements, e, direction), 1.0);
  }
}

BOOST_AUTO_TEST_CASE(the_third_derivative_in_batches_is_the_sum_of_the_elements)
{
  const RandomElements mesh(37);  // no multiple of a batch
  for (const int count : {1, 8, 37})
  {
    const Tetrahedra elements = mesh.elements(count);
    const Eigen::VectorXd direction = mesh.q.array().sin();
    Eigen::VectorXd plain = Eigen::VectorXd::Zero(mesh.q.size()), found = plain;
    elements.LocalTerms::add_third_derivative(mesh.q, direction, plain);
    elements.add_third_derivative(mesh.q, direction, found);
    BOOST_TEST_REQUIRE(plain.norm() > 1e9);
    BOOST_TEST((found - plain).norm() < 1e-13 * plain.norm());  // rounding
  }
}

BOOST_AUTO_TEST_CASE(differences_agree_with_differences_of_values)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const auto q = mesh.deformed(4);
  // Steps of 2 and 3 %: the sums of four energies of 1e9 J lose four digits of sixteen.
  for (int e = 0; e < elements.n_terms(); ++e) term_checks::differences(elements, e, local(elements, e, q), 0.02, -0.03, 1e-11);
}

BOOST_AUTO_TEST_CASE(mixed_differences_of_tiny_steps_keep_their_digits)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const auto q = mesh.deformed(5);
  const double s = 1e-7;
  for (int e = 0; e < elements.n_terms(); ++e)
  {
    const auto x = local(elements, e, q);
    std::vector<double> hessian(144);
    elements.hessian(e, x.data(), hessian.data());
    const double size = term_checks::largest(hessian);
    for (int a = 0; a < 12; ++a)
      for (int b = 0; b < 12; ++b)
        if (a != b)
        {
          // The mixed difference is s^2 times the Hessian up to O(s); four energies subtracted would leave nothing
          // (1e-16/1e-14).
          const double mixed = elements.mixed_difference(e, x.data(), a, s, b, s) / (s * s);
          BOOST_TEST(std::abs(mixed - hessian[12 * a + b]) < 1e-5 * size);
        }
  }
}

BOOST_AUTO_TEST_CASE(whole_mesh_functions_are_the_sums_of_the_terms)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const auto q = mesh.deformed(6);
  const LocalTerms &terms = elements;
  Eigen::VectorXd fast = Eigen::VectorXd::Zero(q.size()), plain = fast;
  elements.add_gradient(q, fast);
  terms.LocalTerms::add_gradient(q, plain);
  // Sums of eight forces in another order: a few roundings.
  BOOST_TEST((fast - plain).norm() < 1e-14 * plain.norm());
  BOOST_TEST(elements.energy(q) == terms.LocalTerms::energy(q), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(any_number_of_elements_gives_the_sums_of_the_terms)
{
  // From none and less than a batch to several chunks, in an order without rhyme, with elements that share nodes everywhere.
  const RandomElements mesh(900);
  for (const int count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 200, 899, 900})
  {
    const Tetrahedra elements = mesh.elements(count);
    const LocalTerms &terms = elements;
    Eigen::VectorXd fast = Eigen::VectorXd::Constant(mesh.q.size(), 7), plain = fast, again = fast;
    elements.add_gradient(mesh.q, fast);
    elements.add_gradient(mesh.q, again);
    terms.LocalTerms::add_gradient(mesh.q, plain);
    // Up to 900 forces of the same size in another order.
    BOOST_TEST((fast - plain).norm() <= 1e-13 * plain.norm(), count << " elements");
    BOOST_TEST(((fast.array() == again.array()).all()), "other bits in a second call with " << count << " elements");
    // tr F^T F is rounded at the size 3: times mu and the volume, whatever is left of the energy.
    double volume = 0;
    for (int e = 0; e < count; ++e) volume += elements.volume(e);
    BOOST_TEST(std::abs(elements.energy(mesh.q) - terms.LocalTerms::energy(mesh.q)) <= 3e-16 * 3 * aluminium.mu * volume);
  }
}

BOOST_AUTO_TEST_CASE(shape_gradients_sum_to_zero_and_give_the_identity_in_the_reference_configuration)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(mesh.nodes.data(), mesh.nodes.size());
  for (int e = 0; e < elements.n_terms(); ++e)
  {
    // A few roundings of numbers of size 1.
    BOOST_TEST(elements.shape_gradients(e).rowwise().sum().norm() < 1e-14);
    const auto x = local(elements, e, q);
    BOOST_TEST((elements.deformation_gradient(e, x.data()) - Eigen::Matrix3d::Identity()).norm() < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(sums_of_differences_are_the_sums_of_the_single_ones)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const auto q = mesh.deformed(7);
  for (int count = 1; count <= 8; ++count)
  {
    std::vector<int> chosen, a, b;
    std::vector<double> x;
    for (int e = 0; e < count; ++e)
    {
      chosen.push_back(7 - e);
      const auto x_e = local(elements, 7 - e, q);
      x.insert(x.end(), x_e.begin(), x_e.end());
      a.push_back(1);      // y of the common node 0
      b.push_back(3 + 2);  // z of the second node
    }
    double single = 0, mixed = 0;
    for (int i = 0; i < count; ++i)
    {
      single += elements.difference(chosen[i], x.data() + 12 * i, a[i], 0.01);
      mixed += elements.mixed_difference(chosen[i], x.data() + 12 * i, a[i], 0.01, b[i], 0.02);
    }
    BOOST_TEST(elements.sum_of_differences(count, chosen.data(), x.data(), a.data(), 0.01) == single,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(elements.sum_of_mixed_differences(count, chosen.data(), x.data(), a.data(), 0.01, b.data(), 0.02) == mixed,
               boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(energy_is_frame_indifferent)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const auto q = mesh.deformed(8);
  const Eigen::Matrix3d R = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  Eigen::VectorXd turned = q;
  for (Eigen::Index node = 0; node < q.size() / 3; ++node)
    turned.segment<3>(3 * node) = R * q.segment<3>(3 * node) + Eigen::Vector3d(3, -2, 1);
  // Positions of size 4 with gradients of size 1: a few roundings of F, relative to an energy of 1 % of the moduli.
  BOOST_TEST(elements.energy(turned) == elements.energy(q), boost::test_tools::tolerance(1e-11));
  Eigen::VectorXd force = Eigen::VectorXd::Zero(q.size()), turned_force = force;
  elements.add_gradient(q, force);
  elements.add_gradient(turned, turned_force);
  for (Eigen::Index node = 0; node < q.size() / 3; ++node)
    BOOST_TEST((R * force.segment<3>(3 * node) - turned_force.segment<3>(3 * node)).norm() < 1e-12 * force.norm());
}

BOOST_AUTO_TEST_CASE(rotated_undeformed_mesh_has_no_energy_and_no_force)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  const Eigen::Matrix3d R = Eigen::AngleAxisd(0.7, Eigen::Vector3d(-1, 1, 2).normalized()).toRotationMatrix();
  const Eigen::Matrix3Xd turned = R * mesh.nodes;
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(turned.data(), turned.size());
  Eigen::VectorXd force = Eigen::VectorXd::Zero(q.size());
  elements.add_gradient(q, force);
  // Rounding of F times the modulus 60 GPa times areas of size 1.
  BOOST_TEST(force.cwiseAbs().maxCoeff() < 1e-14 * 60.5e9);
  BOOST_TEST(std::abs(elements.energy(q)) < 1e-14 * 60.5e9);
}

BOOST_AUTO_TEST_CASE(patch_of_elements_in_uniform_strain_is_in_equilibrium_inside)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  Eigen::Matrix3d F;
  F << 1.1, 0.2, 0, -0.1, 0.9, 0.3, 0.05, 0, 1.2;
  const Eigen::Matrix3Xd moved = F * mesh.nodes;
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(moved.data(), moved.size());
  Eigen::VectorXd force = Eigen::VectorXd::Zero(q.size());
  elements.add_gradient(q, force);
  const double size = force.norm();
  BOOST_TEST_REQUIRE(size > 1e9);
  // Node 0 is interior: the forces of its eight elements cancel.
  BOOST_TEST(force.head<3>().norm() < 1e-14 * size);
  // Outside they are the tractions of the constant stress: virtual work against any other uniform gradient is V P : A.
  Eigen::Matrix3d A;
  A << 0.3, -1, 2, 0.1, 0.5, 1, 1, 2, -0.7;
  double volume = 0;
  for (int e = 0; e < 8; ++e) volume += elements.volume(e);
  const Eigen::Matrix3Xd virtual_motion = A * mesh.nodes;
  const double work = force.dot(Eigen::Map<const Eigen::VectorXd>(virtual_motion.data(), virtual_motion.size()));
  BOOST_TEST(work == volume * aluminium.stress(F).cwiseProduct(A).sum(), boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(inverted_element_is_named_with_its_place)
{
  const Octahedron mesh;
  const Tetrahedra elements = mesh.elements();
  Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(mesh.nodes.data(), mesh.nodes.size());
  q[0] = 2;  // the inner node leaves through the side of node 1
  Eigen::VectorXd force = Eigen::VectorXd::Zero(q.size());
  const auto names_element = [](const DomainError &error)
  {
    const std::string text = error.what();
    return text.find("element ") == 0 && text.find("is inverted: det F = -") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(elements.add_gradient(q, force), DomainError, names_element);
  BOOST_CHECK_EXCEPTION(elements.energy(q), DomainError, names_element);
  const auto x = local(elements, 0, q);
  BOOST_CHECK_EXCEPTION(elements.value(0, x.data()), DomainError, names_element);
}

BOOST_AUTO_TEST_CASE(inverted_element_is_found_wherever_it_stands)
{
  RandomElements mesh(45);
  for (const int inverted : {0, 1, 7, 30, 31, 40, 43, 44})
  {
    // A tetrahedron of its own, turned inside out.
    mesh.nodes.conservativeResize(3, 404);
    mesh.nodes.rightCols(4) << 5, 6, 5, 5, 0, 0, 1, 0, 0, 0, 0, 1;
    auto cells = mesh.cells;
    cells[inverted] = {400, 401, 402, 403};
    std::vector<int> names(45);
    std::iota(names.begin(), names.end(), 100);
    const Tetrahedra elements(aluminium, mesh.nodes, cells, names);
    Eigen::VectorXd q = mesh.nodes.reshaped(), force = Eigen::VectorXd::Zero(q.size());
    q[3 * 403 + 2] = -1;
    const auto names_it = [&](const DomainError &error)
    {
      return error.what() ==
             fmt::format("element {} near (5.25, 0.25, -0.25) is inverted: det F = -1, must be positive", 100 + inverted);
    };
    BOOST_CHECK_EXCEPTION(elements.add_gradient(q, force), DomainError, names_it);
    BOOST_CHECK_EXCEPTION(elements.energy(q), DomainError, names_it);
    q[3 * 403 + 2] = std::numeric_limits<double>::quiet_NaN();
    BOOST_CHECK_THROW(elements.add_gradient(q, force), DomainError);
  }
}

BOOST_AUTO_TEST_CASE(reference_element_of_negative_volume_is_an_input_error)
{
  Octahedron mesh;
  std::swap(mesh.cells[3][0], mesh.cells[3][1]);
  BOOST_CHECK_THROW(mesh.elements(), InputError);
}

BOOST_AUTO_TEST_SUITE_END()

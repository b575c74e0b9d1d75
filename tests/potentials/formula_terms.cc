#include <freefall/core/errors.h>
#include <freefall/potentials/formula_terms.h>

#include "check_terms.h"

using namespace freefall;
using check_terms::Real;

BOOST_AUTO_TEST_SUITE(formula_terms)

BOOST_AUTO_TEST_CASE(a_field_with_every_operation_agrees_with_fifty_digits)
{
  const FormulaTerms<3> terms(
    "external field",
    Expression("x^3*y - 2*exp(-z)*sin(x*y) + log(1 + x^2)/sqrt(z) + cos(z)^-2 + x^1.5 + y^x", {"x", "y", "z"}),
    FormulaVariables::coordinates, {0, 1, 2}, EnergyAccount::external);
  const std::vector<double> x = {0.8, 1.3, 0.6};
  const auto energy = [&](const std::vector<Real> &y) { return terms.evaluate(0, y.data()); };
  check_terms::check_derivatives(terms, 0, x, energy);
  check_terms::check_differences(terms, 0, x, energy, 0.05);
}

BOOST_AUTO_TEST_CASE(the_other_functions_agree_with_fifty_digits)
{
  const FormulaTerms<2> terms(
    "external field",
    Expression("tan(x)*y + sinh(x)*cosh(y) + tanh(x*y) + asin(x/2)*acos(y/3) + atan(y) + atan2(x, y)", {"x", "y"}),
    FormulaVariables::coordinates, {0, 1}, EnergyAccount::external);
  const std::vector<double> x = {0.8, 1.3};
  const auto energy = [&](const std::vector<Real> &y) { return terms.evaluate(0, y.data()); };
  check_terms::check_derivatives(terms, 0, x, energy);
  check_terms::check_differences(terms, 0, x, energy, 0.05);
}

BOOST_AUTO_TEST_CASE(neighbours_of_a_lattice_see_their_difference)
{
  const FormulaTerms<2> terms("nearest-neighbour potential", Expression("d^2/2 + 0.25*d^3/3 + d^4/4", {"d"}),
                              FormulaVariables::difference, {0, 1, 1, 2}, EnergyAccount::internal);
  BOOST_TEST(terms.n_terms() == 2);
  BOOST_TEST(terms.dofs(1)[0] == 1);
  const std::vector<double> x = {0.4, -0.7};
  const auto energy = [&](const std::vector<Real> &y) { return terms.evaluate(1, y.data()); };
  check_terms::check_derivatives(terms, 1, x, energy);
  check_terms::check_differences(terms, 1, x, energy, 0.1);
}

BOOST_AUTO_TEST_CASE(a_place_without_a_value_is_named)
{
  const FormulaTerms<2> terms("external field", Expression("log(x) + y", {"x", "y"}), FormulaVariables::coordinates, {0, 1},
                              EnergyAccount::external);
  const double x[2] = {-1, 3}, y[2] = {1, 3};
  const auto names_the_place = [](const DomainError &error)
  { return std::string(error.what()).find("external field 1: the formula 'log(x) + y'") == 0; };
  BOOST_CHECK_EXCEPTION(terms.value(0, x), DomainError, names_the_place);
  BOOST_CHECK_EXCEPTION(terms.difference(0, y, 0, -2), DomainError, names_the_place);
}

BOOST_AUTO_TEST_SUITE_END()

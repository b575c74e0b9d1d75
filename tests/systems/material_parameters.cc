#include <freefall/core/parameter_file.h>
#include <freefall/systems/fem/material_parameters.h>

#include <core/thrown_text.h>
#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace freefall;

namespace
{
struct Section
{
  explicit Section(const std::string &settings)
  {
    declare_material_parameters(root);
    read_prm(settings, "rubber.prm", root);
  }
  ParameterSection root;
};

MaterialSettings parsed(const std::string &settings) { return parse_material_parameters(Section(settings).root); }

/// The settings must be refused by an error that names file, key and reason.
void refused(const std::string &settings, const std::string &key, const std::string &reason)
{
  const std::string text = thrown_text([&] { parsed(settings); });
  BOOST_TEST(contains(text, "rubber.prm"), text);
  BOOST_TEST(contains(text, key), text);
  BOOST_TEST(contains(text, reason), text);
}

const auto few_roundings = boost::test_tools::tolerance(1e-15);  // one or two roundings
}  // namespace

BOOST_AUTO_TEST_SUITE(material_parameters)

BOOST_AUTO_TEST_CASE(defaults_are_the_aluminium_of_the_paper)
{
  const auto settings = parsed("");
  const auto &material = std::get<NeoHookean>(settings.material);
  BOOST_TEST(material.lambda == 60.5e9);
  BOOST_TEST(material.mu == 26e9);
  BOOST_TEST(settings.density == 2700);
}

BOOST_AUTO_TEST_CASE(every_model_gets_its_constants)
{
  const auto kirchhoff = std::get<SaintVenantKirchhoff>(
    parsed("set Model = Saint Venant-Kirchhoff\nset Lame lambda = 2\nset Lame mu = 3\nset Density = 7\n").material);
  BOOST_TEST(kirchhoff.lambda == 2);
  BOOST_TEST(kirchhoff.mu == 3);

  const auto linear =
    std::get<LinearElastic>(parsed("set Model = linear elastic\nset Young modulus = 2.5\nset Poisson ratio = 0.25\n").material);
  BOOST_TEST(linear.lambda == 1, few_roundings);
  BOOST_TEST(linear.mu == 1, few_roundings);

  const auto mooney = std::get<MooneyRivlin>(
    parsed("set Model = Mooney-Rivlin\nset Mooney C10 = 4\nset Mooney C01 = -1\nset Bulk modulus = 9\n").material);
  BOOST_TEST(mooney.c10 == 4);
  BOOST_TEST(mooney.c01 == -1);
  BOOST_TEST(mooney.bulk == 9);

  const auto settings = parsed(
    "set Model = Ogden\nset Ogden mu = 0.63e6, 0.0012e6, -0.01e6\nset Ogden alpha = 1.3, 5, -2\nset Bulk modulus = 1e9\n");
  const auto &ogden = std::get<Ogden>(settings.material);
  BOOST_TEST_REQUIRE(ogden.terms.size() == 3);
  BOOST_TEST(ogden.terms[2].mu == -0.01e6);
  BOOST_TEST(ogden.terms[1].alpha == 5);
  BOOST_TEST(ogden.bulk == 1e9);
  BOOST_TEST(settings.linearised().mu == (0.63e6 * 1.3 + 0.0012e6 * 5 + 0.01e6 * 2) / 2, few_roundings);
  BOOST_TEST(settings.linearised().bulk_modulus() == 1e9, few_roundings);
}

BOOST_AUTO_TEST_CASE(every_model_named_is_parsed_to_its_own_type)
{
  const auto names = material_models();
  BOOST_TEST_REQUIRE(names.size() == std::variant_size_v<SolidMaterial>);
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    std::string settings = "set Model = " + names[i] + "\n";
    if (names[i] == "Mooney-Rivlin") settings += "set Mooney C10 = 1\nset Bulk modulus = 2\n";
    if (names[i] == "Ogden") settings += "set Ogden mu = 1\nset Ogden alpha = 2\nset Bulk modulus = 2\n";
    BOOST_TEST(parsed(settings).material.index() == i, names[i]);
  }
}

BOOST_AUTO_TEST_CASE(parameters_as_written_by_a_run_are_read_again)
{
  for (const char *settings : {"set Young modulus = 7e10\nset Poisson ratio = 0.3\n",
                               "set Model = Ogden\nset Ogden mu = 1\nset Ogden alpha = 2\nset Bulk modulus = 2\n"})
  {
    const Section first(settings);
    std::ostringstream stream;
    write_prm(first.root, stream);
    const auto again = parsed(stream.str()), before = parse_material_parameters(first.root);
    BOOST_TEST(again.material.index() == before.material.index());
    BOOST_TEST(again.linearised().mu == before.linearised().mu);
    BOOST_TEST(again.linearised().lambda == before.linearised().lambda);
  }
}

BOOST_AUTO_TEST_CASE(mistakes_are_named)
{
  refused("set Model = rubber\n", "Model", "Ogden");
  refused("set Density = 0\n", "Density", "positive");
  refused("set Young modulus = 7e10\n", "Poisson ratio", "together");
  refused("set Poisson ratio = 0.3\n", "Young modulus", "together");
  refused("set Young modulus = 7e10\nset Poisson ratio = 0.3\nset Lame mu = 3e10\n", "Lame mu", "given twice");
  refused("set Young modulus = -1\nset Poisson ratio = 0.3\n", "Young modulus", "positive");
  refused("set Young modulus = 1\nset Poisson ratio = 0.5\n", "Poisson ratio", "0.5");
  refused("set Young modulus = 1\nset Poisson ratio = -0.1\n", "Poisson ratio", "lambda >= 0");
  refused("set Lame lambda = -1\n", "Lame lambda", "lambda >= 0");
  refused("set Model = linear elastic\nset Lame lambda = -3\nset Lame mu = 1\n", "Lame lambda", "bulk modulus");
  refused("set Mooney C10 = 1\n", "Mooney C10", "does not apply to the model neo-Hookean");
  refused("set Model = Mooney-Rivlin\nset Bulk modulus = 1\n", "Mooney C10", "needs a number");
  refused("set Model = Mooney-Rivlin\nset Mooney C10 = 1\n", "Bulk modulus", "needs a number");
  refused("set Model = Mooney-Rivlin\nset Mooney C10 = 1\nset Mooney C01 = -1\nset Bulk modulus = 1\n", "Mooney C10",
          "must be positive");
  refused("set Model = Mooney-Rivlin\nset Mooney C10 = 1\nset Bulk modulus = 1\nset Lame mu = 1\n", "Lame mu",
          "does not apply");
  refused("set Model = Ogden\nset Bulk modulus = 1\n", "Ogden mu", "at least one term");
  refused("set Model = Ogden\nset Ogden mu = 1, 2\nset Ogden alpha = 2\nset Bulk modulus = 1\n", "Ogden alpha", "as many");
  refused("set Model = Ogden\nset Ogden mu = 1\nset Ogden alpha = 0\nset Bulk modulus = 1\n", "Ogden alpha", "not be zero");
  refused("set Model = Ogden\nset Ogden mu = 1\nset Ogden alpha = 41\nset Bulk modulus = 1\n", "Ogden alpha", "40");
  refused("set Model = Ogden\nset Ogden mu = 1\nset Ogden alpha = -2\nset Bulk modulus = 1\n", "Ogden mu", "positive");
  refused("set Model = Ogden\nset Ogden mu = 1\nset Ogden alpha = 2\n", "Bulk modulus", "needs a number");
}

BOOST_AUTO_TEST_SUITE_END()

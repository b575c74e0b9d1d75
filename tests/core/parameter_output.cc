#include <freefall/core/parameter_file.h>

#include <core/thrown_text.h>
#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace freefall;

namespace
{
struct Tree : ParameterSection
{
  Tree()
  {
    declare("Title", "", Pattern::text(), "Title of the run.\nShown in the output, with a # and a \\");
    declare("End time", "1", Pattern::number("s", Bounds::positive()).or_word("never"), "When to stop.");
    ParameterSection &material = section("Material", "What the body is made of.");
    material.declare(
      "Density", "1000", Pattern::number("kg/m3", Bounds::positive()),
      "Mass density rho in the reference configuration, a description that is much too long for a single line of the "
      "help and so must be wrapped.");
    section("Contact").declare_list("Plane", "A rigid plane.",
                                    [](ParameterSection &plane)
                                    {
                                      plane.declare("Normal", "0, 0, 1", Pattern::vector(3), "Normal.");
                                      plane.declare("Height", "0", Pattern::formula(1, {"t"}, "m"), "Height at time t.");
                                    });
  }
};

std::string written(const ParameterSection &root)
{
  std::ostringstream stream;
  write_prm(root, stream);
  return stream.str();
}

std::string help(const ParameterSection &root, const std::string &filter, bool expected)
{
  std::ostringstream stream;
  BOOST_TEST(write_parameter_help(root, stream, filter) == expected);
  return stream.str();
}
}  // namespace

BOOST_FIXTURE_TEST_SUITE(parameter_output, Tree)

BOOST_AUTO_TEST_CASE(a_written_file_shows_every_parameter_as_used)
{
  read_prm("set End time = 2.50\nsubsection Contact\nsubsection Plane wall\nset Height = 2 * t\nend\nend", "cube.prm", *this);
  BOOST_TEST(written(*this) ==
             "# Title of the run.\n"
             "# Shown in the output, with a # and a \\\n"
             "set Title =\n"
             "\n"
             "# When to stop.\n"
             "set End time = 2.50\n"
             "\n"
             "# What the body is made of.\n"
             "subsection Material\n"
             "  # Mass density rho in the reference configuration, a description that is much too long for a\n"
             "  # single line of the help and so must be wrapped.\n"
             "  set Density = 1000\n"
             "end\n"
             "\n"
             "subsection Contact\n"
             "  # A rigid plane.\n"
             "  subsection Plane wall\n"
             "    # Normal.\n"
             "    set Normal = 0, 0, 1\n"
             "\n"
             "    # Height at time t.\n"
             "    set Height = 2 * t\n"
             "  end\n"
             "end\n");
}

BOOST_AUTO_TEST_CASE(reading_a_written_file_gives_identical_values)
{
  read_json(R"({ "Title": "x \\ y = \"z\"\ttab é", "End time": 0.1234567890123456789,
                 "Contact": { "Plane b": { "Normal": [1e-300, -0.0, 12345678901234567890], "Height": "t^2" }, "Plane": {}, "Plane a": {} } })",
            "cube.json", *this);
  apply_setting(*this, "Material/Density=+7.85e3");
  Tree again;
  read_prm(written(*this), "parameters.prm", again);
  BOOST_TEST(again.text("Title") == "x \\ y = \"z\"\ttab é");
  BOOST_TEST(again.number("End time") == 0.1234567890123456789);
  BOOST_TEST(again.section("Material").number("Density") == 7850.);
  const auto planes = again.section("Contact").list("Plane");
  BOOST_REQUIRE(planes.size() == 3u);
  BOOST_TEST(planes[0]->name() == "Plane b");
  BOOST_TEST(planes[0]->vector3("Normal") == Eigen::Vector3d(1e-300, -0., 12345678901234567890.));
  BOOST_TEST(planes[0]->text("Height") == "t^2");
  BOOST_TEST(planes[1]->name() == "Plane");
  BOOST_TEST(planes[2]->name() == "Plane a");
  BOOST_TEST(written(again) == written(*this));
}

BOOST_AUTO_TEST_CASE(the_help_shows_default_unit_allowed_values_and_meaning)
{
  const std::string text = help(*this, "", true);
  BOOST_TEST(contains(text,
                      "End time\n    When to stop.\n    Default: 1\n    Unit: s\n"
                      "    Allowed: a positive number in s, or never\n"),
             text);
  BOOST_TEST(contains(text, "section Material\n    What the body is made of.\n"), text);
  BOOST_TEST(contains(text, "\nMaterial/Density\n    Mass density rho"), text);
  BOOST_TEST(contains(text, "Contact/Plane .../Height\n"), text);
  BOOST_TEST(contains(text, "Default: (empty)\n"), text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 100u, line);
}

BOOST_AUTO_TEST_CASE(the_help_can_be_narrowed_by_a_name_in_any_case)
{
  BOOST_TEST(help(*this, "DENS", true).rfind("Material/Density\n", 0) == 0);
  BOOST_TEST(!contains(help(*this, "dens", true), "End time"));
  const std::string planes = help(*this, "contact", true);
  BOOST_TEST(contains(planes, "section Contact/Plane ...\n"));
  BOOST_TEST(contains(planes, "Contact/Plane .../Normal\n"));
  BOOST_TEST(!contains(planes, "Density"));
  BOOST_TEST(contains(help(*this, "material/density", true), "Material/Density"));
}

BOOST_AUTO_TEST_CASE(the_help_says_when_nothing_matches)
{
  BOOST_TEST(help(*this, "Densty", false) == "No section or key contains \"Densty\". Did you mean \"Density\"?\n");
  BOOST_TEST(help(*this, "Plaen", false) == "No section or key contains \"Plaen\". Did you mean \"Plane\"?\n");
  BOOST_TEST(help(*this, "wavelength", false) == "No section or key contains \"wavelength\".\n");
}

BOOST_AUTO_TEST_SUITE_END()

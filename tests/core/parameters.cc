#include <freefall/core/parameters.h>

#include <core/thrown_text.h>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace freefall;

namespace
{
const ParameterOrigin line_12{"cube.prm", 12};
const ParameterOrigin line_14{"cube.prm", 14};

void declare_plane(ParameterSection &plane)
{
  plane.declare("Stiffness", "1e6", Pattern::number("N/m", Bounds::positive()), "Penalty stiffness.");
  plane.section("Motion").declare("Velocity", "0, 0, 0", Pattern::vector(3, "m/s"), "Velocity of the plane.");
}

/// A tree with each kind of parameter.
struct Tree
{
  Tree()
  {
    root.declare("End time", "1", Pattern::number("s", Bounds::positive()), "When to stop.");
    ParameterSection &material = root.section("Material", "What the body is made of.");
    material.declare("Density", "1000", Pattern::number("kg/m3", Bounds::positive()), "Mass density.");
    material.declare("Damping", "auto", Pattern::number("1/s").or_word("auto"), "Damping.");
    ParameterSection &mesh = root.section("Mesh");
    mesh.declare("Refinements", "2", Pattern::integer(0, 10), "Refinements.");
    mesh.declare("Colour", "yes", Pattern::boolean(), "Colour.");
    mesh.declare("Shape", "cube", Pattern::choice({"cube", "ball"}), "Shape.");
    mesh.declare("Size", "1, 2, 3", Pattern::vector(3, "m"), "Size.");
    mesh.declare("Levels", "", Pattern::numbers("m"), "Levels.");
    mesh.declare("Ids", "4, 5", Pattern::integers(), "Ids.");
    mesh.declare("Displacement", "x; y; 0", Pattern::formula(3, {"x", "y", "z"}, "m"), "Displacement.");
    root.section("Contact").declare_list("Plane", "A rigid plane.", declare_plane);
  }

  ParameterSection root;
};
}  // namespace

BOOST_FIXTURE_TEST_SUITE(parameters, Tree)

BOOST_AUTO_TEST_CASE(getters_give_the_defaults_in_their_types)
{
  const ParameterSection &mesh = root.section("Mesh");
  BOOST_TEST(root.number("End time") == 1.);
  BOOST_TEST(mesh.integer("Refinements") == 2);
  BOOST_TEST(mesh.boolean("Colour"));
  BOOST_TEST(mesh.text("Shape") == "cube");
  BOOST_TEST(mesh.vector3("Size") == Eigen::Vector3d(1, 2, 3));
  BOOST_TEST(mesh.numbers("Size").size() == 3u);
  BOOST_TEST(mesh.numbers("Levels").empty());
  BOOST_TEST(mesh.integers("Ids") == (std::vector<int>{4, 5}), boost::test_tools::per_element());
  BOOST_TEST(mesh.formulas("Displacement") == (std::vector<std::string>{"x", "y", "0"}), boost::test_tools::per_element());
  BOOST_TEST(!mesh.is_set("Ids"));
}

BOOST_AUTO_TEST_CASE(a_word_stands_for_no_number)
{
  ParameterSection &material = root.section("Material");
  BOOST_TEST(material.is_word("Damping", "auto"));
  BOOST_TEST(!material.number_unless_word("Damping").has_value());
  BOOST_CHECK_THROW(material.number("Damping"), std::logic_error);
  material.set("Damping", "0.5", line_12);
  BOOST_TEST(!material.is_word("Damping", "auto"));
  BOOST_TEST(material.number_unless_word("Damping").value() == 0.5);
  BOOST_TEST(material.number("Damping") == 0.5);
}

BOOST_AUTO_TEST_CASE(a_value_that_is_set_replaces_the_default)
{
  root.set("  End   time ", " 2.5 ", line_12);
  BOOST_TEST(root.number("End time") == 2.5);
  BOOST_TEST(root.text("End time") == "2.5");
  BOOST_TEST(root.is_set("End time"));
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_match_does_not_get_in)
{
  ParameterSection &material = root.section("Material");
  BOOST_TEST(thrown_text([&] { material.set("Density", "-3", line_14); }) ==
             "cube.prm:14: Material/Density = -3: must be a positive number in kg/m3.");
  BOOST_TEST(material.number("Density") == 1000.);
  BOOST_TEST(!material.is_set("Density"));
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_an_error_with_the_nearest_one)
{
  ParameterSection &material = root.section("Material");
  BOOST_TEST(thrown_text([&] { material.set("Densty", "3", line_12); }) ==
             "cube.prm:12: section Material: unknown key \"Densty\". Did you mean \"Density\"?");
  BOOST_TEST(thrown_text([&] { material.set("density", "3", line_12); }) ==
             "cube.prm:12: section Material: unknown key \"density\". Did you mean \"Density\"?");
  BOOST_TEST(thrown_text([&] { root.section("Mesh").set("Density", "3", line_12); }) ==
             "cube.prm:12: section Mesh: unknown key \"Density\". There is such a key in section Material.");
  BOOST_TEST(thrown_text([&] { root.section("Mesh").set("Densty", "3", line_12); }) ==
             "cube.prm:12: section Mesh: unknown key \"Densty\". Did you mean \"Density\" in section Material?");
  BOOST_TEST(thrown_text([&] { material.set("End time", "3", line_12); }) ==
             "cube.prm:12: section Material: unknown key \"End time\". There is such a key outside all sections.");
  BOOST_TEST(thrown_text([&] { material.set("Stiffness", "3", line_12); }) ==
             "cube.prm:12: section Material: unknown key \"Stiffness\". There is such a key in section Contact/Plane.");
  BOOST_TEST(thrown_text([&] { material.set("Wavelength", "3", line_12); }) ==
             "cube.prm:12: section Material: unknown key \"Wavelength\". Allowed here: Density, Damping.");
  BOOST_TEST(thrown_text([&] { root.set("Material", "3", line_12); }) ==
             "cube.prm:12: \"Material\" is a section, not a key with a value.");
}

BOOST_AUTO_TEST_CASE(an_unknown_section_is_an_error_with_the_nearest_one)
{
  BOOST_TEST(thrown_text([&] { root.enter("Materials", line_12); }) ==
             "cube.prm:12: unknown section \"Materials\". Did you mean \"Material\"?");
  BOOST_TEST(thrown_text([&] { root.enter("Plane", line_12); }) ==
             "cube.prm:12: unknown section \"Plane\". There is such a section in section Contact.");
  BOOST_TEST(thrown_text([&] { root.section("Contact").enter("Plan wall", line_12); }) ==
             "cube.prm:12: section Contact: unknown section \"Plan wall\". Did you mean \"Plane wall\"?");
  BOOST_TEST(thrown_text([&] { root.enter("Wavelength", line_12); }) ==
             "cube.prm:12: unknown section \"Wavelength\". Allowed here: Material, Mesh, Contact.");
  BOOST_TEST(thrown_text([&] { root.section("Material").enter("Density", line_12); }) ==
             "cube.prm:12: section Material: \"Density\" is a key, not a section. Give it a value.");
  BOOST_TEST(thrown_text([&] { root.section("Material").enter("Zzzzzz", line_12); }) ==
             "cube.prm:12: section Material: unknown section \"Zzzzzz\". There are no sections here.");
}

BOOST_AUTO_TEST_CASE(a_key_set_twice_is_an_error_that_names_both_lines)
{
  root.set("End time", "2", line_12);
  BOOST_TEST(thrown_text([&] { root.set("End time", "3", line_14); }) ==
             "cube.prm:14: End time = 3: is set twice, the first time at cube.prm:12. Remove one of the two.");
  BOOST_TEST(root.number("End time") == 2.);
}

BOOST_AUTO_TEST_CASE(the_command_line_overrides_a_file_but_not_itself)
{
  root.set("End time", "2", line_12);
  root.set("End time", "3", ParameterOrigin::command_line());
  BOOST_TEST(root.number("End time") == 3.);
  BOOST_TEST(contains(thrown_text([&] { root.set("End time", "4", ParameterOrigin::command_line()); }),
                      "--set: End time = 4: is set twice, the first time at --set."));
}

BOOST_AUTO_TEST_CASE(values_that_a_file_could_not_hold_are_refused)
{
  ParameterSection section;
  section.declare("Title", "", Pattern::text(), "Title.");
  for (const char *value : {"a # b", "two\nlines",
                            "a\x01"
                            "b",
                            "back\\"})
    BOOST_TEST(contains(thrown_text([&] { section.set("Title", value, line_12); }), "cube.prm:12: Title: the value contains "));
  section.set("Title", "C:\\folder with = and \t tab", line_12);
  BOOST_TEST(section.text("Title") == "C:\\folder with = and \t tab");
}

BOOST_AUTO_TEST_CASE(a_list_has_the_sections_that_a_file_makes_in_its_order)
{
  ParameterSection &contact = root.section("Contact");
  BOOST_TEST(contact.list("Plane").empty());
  contact.enter("Plane  wall", line_12).set("Stiffness", "5", line_12);
  contact.enter("Plane", line_14).enter("Motion", line_14).set("Velocity", "1, 0, 0", line_14);
  const auto planes = contact.list("Plane");
  BOOST_REQUIRE(planes.size() == 2u);
  BOOST_TEST(planes[0]->name() == "Plane wall");
  BOOST_TEST(planes[0]->label() == "wall");
  BOOST_TEST(planes[0]->path() == "Contact/Plane wall");
  BOOST_TEST(planes[0]->number("Stiffness") == 5.);
  BOOST_TEST(planes[1]->label() == "");
  BOOST_TEST(planes[1]->number("Stiffness") == 1e6);
  BOOST_TEST(planes[1]->section("Motion").vector3("Velocity") == Eigen::Vector3d(1, 0, 0));
  BOOST_TEST(planes[1]->section("Motion").path() == "Contact/Plane/Motion");
}

BOOST_AUTO_TEST_CASE(a_section_of_a_list_is_made_once_and_by_files_only)
{
  ParameterSection &contact = root.section("Contact");
  contact.enter("Plane wall", line_12);
  BOOST_TEST(
    thrown_text([&] { contact.enter("Plane wall", line_14); }) ==
    "cube.prm:14: section Contact: there is a section \"Plane wall\" already, at cube.prm:12. Give each its own name, such as "
    "\"Plane 2\".");
  BOOST_TEST(thrown_text([&] { contact.enter("Plane wal", ParameterOrigin::command_line()); }) ==
             "--set: section Contact: the file has no section \"Plane wal\". It has: Plane wall.");
  contact.enter("Plane wall", ParameterOrigin::command_line()).set("Stiffness", "7", ParameterOrigin::command_line());
  BOOST_TEST(contact.list("Plane")[0]->number("Stiffness") == 7.);
  BOOST_TEST(contains(thrown_text([&] { contact.enter("Plane a/b", line_14); }), "contains / or =. Remove it."));
}

BOOST_AUTO_TEST_CASE(of_two_lists_the_longer_name_is_meant)
{
  root.declare_list("Plane strain", "", [](ParameterSection &) {});
  root.declare_list("Plane", "", [](ParameterSection &) {});
  root.enter("Plane strain left", line_12);
  root.enter("Plane strained", line_12);
  BOOST_REQUIRE(root.list("Plane strain").size() == 1u);
  BOOST_TEST(root.list("Plane strain")[0]->label() == "left");
  BOOST_REQUIRE(root.list("Plane").size() == 1u);
  BOOST_TEST(root.list("Plane")[0]->label() == "strained");
}

BOOST_AUTO_TEST_CASE(errors_of_the_owners_name_place_and_value)
{
  root.begin_file("cube.prm");
  ParameterSection &material = root.enter("Material", line_12);
  BOOST_TEST(std::string(material.error("Density", "is too small.").what()) ==
             "cube.prm:12: Material/Density = 1000 (the default): is too small.");
  material.set("Density", "5", line_14);
  BOOST_TEST(std::string(material.error("Density", "is too small.").what()) ==
             "cube.prm:14: Material/Density = 5: is too small.");
  BOOST_TEST(std::string(material.error("", "needs more.").what()) == "cube.prm:12: section Material: needs more.");
  BOOST_TEST(std::string(root.section("Mesh").error("Shape", "does not fit.").what()) ==
             "cube.prm: Mesh/Shape = cube (the default): does not fit.");
  BOOST_TEST(std::string(ParameterSection().error("", "is wrong.").what()) == "is wrong.");
}

BOOST_AUTO_TEST_CASE(mistakes_of_the_program_are_logic_errors)
{
  const ParameterSection &mesh = root.section("Mesh");
  const ParameterSection &constant_root = root;
  BOOST_CHECK_THROW(mesh.number("Nothing"), std::logic_error);
  BOOST_CHECK_THROW(mesh.integer("Size"), std::logic_error);
  BOOST_CHECK_THROW(mesh.number("Shape"), std::logic_error);
  BOOST_CHECK_THROW(mesh.vector3("Levels"), std::logic_error);
  BOOST_CHECK_THROW(mesh.formulas("Size"), std::logic_error);
  BOOST_CHECK_THROW(mesh.is_word("Size", "auto"), std::logic_error);
  BOOST_CHECK_THROW(mesh.list("Plane"), std::logic_error);
  BOOST_CHECK_THROW(constant_root.section("Nothing"), std::logic_error);
  BOOST_CHECK_THROW(root.declare("End time", "1", Pattern::number(), ""), std::logic_error);
  BOOST_CHECK_THROW(root.declare("Wrong default", "one", Pattern::number(), ""), std::logic_error);
  BOOST_CHECK_THROW(root.declare("a = b", "1", Pattern::number(), ""), std::logic_error);
  BOOST_CHECK_THROW(root.section("a/b"), std::logic_error);
  BOOST_CHECK_THROW(root.section("Contact").section("Plane wall"), std::logic_error);
  BOOST_CHECK_THROW(root.section("Contact").declare_list("Plane", "", [](ParameterSection &) {}), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()

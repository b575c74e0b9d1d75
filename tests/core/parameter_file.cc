#include <freefall/core/parameter_file.h>
#include <unistd.h>

#include <core/thrown_text.h>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <locale>

using namespace freefall;

namespace
{
void declare_plane(ParameterSection &plane)
{
  plane.declare("Stiffness", "1e6", Pattern::number("N/m", Bounds::positive()), "Penalty stiffness.");
}

void declare_all(ParameterSection &root)
{
  root.declare("Title", "", Pattern::text(), "Title of the run.");
  root.declare("End time", "1", Pattern::number("s", Bounds::positive()), "When to stop.");
  ParameterSection &material = root.section("Material", "What the body is made of.");
  material.declare("Density", "1000", Pattern::number("kg/m3", Bounds::positive()), "Mass density.");
  material.declare("Clamped", "no", Pattern::boolean(), "Clamped.");
  material.declare("Cells", "1", Pattern::integer(1), "Cells.");
  ParameterSection &motion = material.section("Initial motion");
  motion.declare("Velocity", "0, 0, 0", Pattern::vector(3, "m/s"), "Velocity.");
  motion.declare("Displacement", "0; 0; 0", Pattern::formula(3, {"x", "y", "z"}, "m"), "Displacement.");
  root.section("Contact").declare_list("Plane", "A rigid plane.", declare_plane);
}

struct Tree : ParameterSection
{
  Tree() { declare_all(*this); }
};

/// The error of reading this text, as a .prm or .json file.
std::string prm_error(const std::string &text)
{
  Tree root;
  return thrown_text([&] { read_prm(text, "cube.prm", root); });
}

std::string json_error(const std::string &text)
{
  Tree root;
  return thrown_text([&] { read_json(text, "cube.json", root); });
}

/// A file in the folder of temporary files that goes with the object.
struct TemporaryFile
{
  TemporaryFile(const std::string &name, const std::string &text)
    : path((std::filesystem::temp_directory_path() / ("freefall_" + std::to_string(getpid()) + "_" + name)).string())
  {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string path;
};
}  // namespace

BOOST_FIXTURE_TEST_SUITE(parameter_file, Tree)

BOOST_AUTO_TEST_CASE(a_prm_file_sets_what_it_says_and_leaves_the_rest)
{
  read_prm(
    "# a comment\r\n"
    "set   End time=2.5   # until here\r\n"
    "\r\n"
    "subsection Material\r\n"
    "  set Density = \\\r\n"
    "      78\\\r\n"
    "      50\r\n"
    "  subsection  Initial   motion\r\n"
    "    set Velocity = 1, \\   # x\n"
    "                   2, 3\n"
    "    set Displacement = x == 1 ? 2 : 3; 0; 0\n"
    "  end\n"
    "end\n"
    "subsection Material\n"
    "  set Clamped = yes\n"
    "end\n"
    "set Title =",
    "cube.prm", *this);
  BOOST_TEST(number("End time") == 2.5);
  BOOST_TEST(text("Title") == "");
  BOOST_TEST(is_set("Title"));
  BOOST_TEST(section("Material").number("Density") == 7850.);
  BOOST_TEST(section("Material").boolean("Clamped"));
  BOOST_TEST(!section("Material").is_set("Cells"));
  BOOST_TEST(section("Material").section("Initial motion").vector3("Velocity") == Eigen::Vector3d(1, 2, 3));
  BOOST_TEST(section("Material").section("Initial motion").formulas("Displacement")[0] == "x == 1 ? 2 : 3");
}

BOOST_AUTO_TEST_CASE(a_comment_that_ends_with_a_backslash_does_not_swallow_the_next_line)
{
  read_prm("# see C:\\\nset End time = 3\n", "cube.prm", *this);
  BOOST_TEST(number("End time") == 3.);
}

BOOST_AUTO_TEST_CASE(an_empty_file_means_all_defaults)
{
  for (const char *text : {"", "\n\n", "# nothing", "\xEF\xBB\xBF# with a byte order mark"}) read_prm(text, "cube.prm", *this);
  for (const char *text : {"", " \n", "{}"}) read_json(text, "cube.json", *this);
  BOOST_TEST(number("End time") == 1.);
  BOOST_TEST(!is_set("End time"));
}

BOOST_AUTO_TEST_CASE(mistakes_in_a_prm_file_name_line_and_remedy)
{
  BOOST_TEST(prm_error("\nsubsection Material\n\n set Densty = 3\nend") ==
             "cube.prm:4: section Material: unknown key \"Densty\". Did you mean \"Density\"?");
  BOOST_TEST(prm_error("subsection Material\nset Density = -3\nend") ==
             "cube.prm:2: Material/Density = -3: must be a positive number in kg/m3.");
  BOOST_TEST(prm_error("set End time = 1\n\nset End  time = 2") ==
             "cube.prm:3: End time = 2: is set twice, the first time at cube.prm:1. Remove one of the two.");
  BOOST_TEST(prm_error("subsection Materail\nend") == "cube.prm:1: unknown section \"Materail\". Did you mean \"Material\"?");
  BOOST_TEST(prm_error("set End time = \\\n 1 \\\n 2") == "cube.prm:1: End time = 1 2: must be a positive number in s.");
  BOOST_TEST(
    contains(prm_error("subsection Material\nsubsection Initial motion\nset Displacement = x; q; 0\nend\nend"),
             "cube.prm:3: Material/Initial motion/Displacement = x; q; 0: must be 3 formulas of x, y, z in m, separated by ;. "
             "Formula \"q\" at position 1: \"q\" is not known. Variables: x, y, z;"));
}

BOOST_AUTO_TEST_CASE(lines_that_are_not_prm_are_refused)
{
  const std::string remedy = " A line is \"subsection NAME\", \"set KEY = VALUE\", \"end\" or a comment after #.";
  BOOST_TEST(prm_error("End time = 3") == "cube.prm:1: cannot understand \"End time = 3\"." + remedy);
  BOOST_TEST(prm_error("include other.prm") == "cube.prm:1: cannot understand \"include other.prm\"." + remedy);
  BOOST_TEST(prm_error("subsection Material\nend Material") == "cube.prm:2: cannot understand \"end Material\"." + remedy);
  BOOST_TEST(prm_error("settle = 3") == "cube.prm:1: cannot understand \"settle = 3\"." + remedy);
  BOOST_TEST(prm_error("set End time 3") == "cube.prm:1: cannot understand \"set End time 3\". Write \"set KEY = VALUE\".");
  BOOST_TEST(prm_error("set = 3") == "cube.prm:1: cannot understand \"set = 3\". Write \"set KEY = VALUE\".");
  BOOST_TEST(prm_error("subsection") == "cube.prm:1: the subsection has no name. Write \"subsection NAME\".");
  BOOST_TEST(prm_error("set End time = 3 \\") == "cube.prm:1: the last line ends with \\ but no line follows. Remove it.");
  BOOST_TEST(prm_error(std::string("\nset End time = 3\0", 18)) ==
             "cube.prm:2: contains a NUL byte. Is it a text file (in UTF-8)?");
}

BOOST_AUTO_TEST_CASE(unbalanced_sections_are_refused)
{
  BOOST_TEST(prm_error("set End time = 1\nend") == "cube.prm:2: \"end\" without a subsection that it could end. Remove it.");
  BOOST_TEST(prm_error("\nsubsection Material\nsubsection Initial motion\nend\n\n") ==
             "cube.prm:2: the subsection \"Material\" that begins here has no \"end\". Add it.");
}

BOOST_AUTO_TEST_CASE(sections_may_be_nested_32_deep_and_no_deeper)
{
  ParameterSection root, *section = &root;
  std::string prm, json = "{", ends;
  for (int depth = 1; depth <= 33; ++depth)
  {
    section = &section->section("S");
    if (depth == 33)
    {
      read_prm(prm + ends, "deep.prm", root);
      read_json(json + std::string(32, '}') + "}", "deep.json", root);
    }
    prm += "subsection S\n";
    ends += "end\n";
    json += "\"S\": {";
  }
  BOOST_TEST(thrown_text([&] { read_prm(prm + ends, "deep.prm", root); }) ==
             "deep.prm:33: sections are nested more than 32 deep. Is an \"end\" missing?");
  BOOST_TEST(contains(thrown_text([&] { read_json(json + std::string(34, '}'), "deep.json", root); }),
                      "sections are nested more than 32 deep."));
}

BOOST_AUTO_TEST_CASE(lists_are_made_by_the_file)
{
  read_prm("subsection Contact\nsubsection Plane wall\nset Stiffness = 2\nend\nsubsection Plane\nend\nend", "cube.prm", *this);
  const auto planes = section("Contact").list("Plane");
  BOOST_REQUIRE(planes.size() == 2u);
  BOOST_TEST(planes[0]->label() == "wall");
  BOOST_TEST(planes[0]->number("Stiffness") == 2.);
  BOOST_TEST(planes[1]->number("Stiffness") == 1e6);
}

BOOST_AUTO_TEST_CASE(a_json_file_sets_values_of_all_kinds)
{
  read_json(R"({
    "Title": "a \"name\"",
    "End time": 0.10000000000000001,
    "Material": {
      "Density": 7850,
      "Clamped": true,
      "Cells": 12,
      "Initial motion": { "Velocity": [1, -2.5, 1.2345678901234567e-3], "Displacement": "x; 0; 0" }
    },
    "Contact": { "Plane wall": { "Stiffness": "2" }, "Plane": {} }
  })",
            "cube.json", *this);
  BOOST_TEST(text("Title") == "a \"name\"");
  BOOST_TEST(text("End time") == "0.10000000000000001");
  BOOST_TEST(section("Material").number("Density") == 7850.);
  BOOST_TEST(section("Material").boolean("Clamped"));
  BOOST_TEST(section("Material").integer("Cells") == 12);
  // Equality: all 17 digits must arrive.
  BOOST_TEST(section("Material").section("Initial motion").vector3("Velocity") ==
             Eigen::Vector3d(1, -2.5, 1.2345678901234567e-3));
  BOOST_TEST(section("Contact").list("Plane").size() == 2u);
}

BOOST_AUTO_TEST_CASE(mistakes_in_a_json_file_name_line_and_key)
{
  BOOST_TEST(json_error("{\n\"Material\": {\n\"Densty\": 3 } }") ==
             "cube.json:3: section Material: unknown key \"Densty\". Did you mean \"Density\"?");
  BOOST_TEST(json_error("{\n\n\"Material\":\n{ \"Density\":\n -3 } }") ==
             "cube.json:4: Material/Density = -3: must be a positive number in kg/m3.");
  BOOST_TEST(json_error("{ \"End time\": 1,\n \"End  time\": 1 }") ==
             "cube.json:2: End time: is given twice, the first time in line 1. Remove one of the two.");
  BOOST_TEST(json_error("{ \"Material\": {},\n \"Material\": {} }") ==
             "cube.json:2: Material: is given twice, the first time in line 1. Remove one of the two.");
  BOOST_TEST(json_error("{ \"Material\": { \"Cells\": 1.5 } }") ==
             "cube.json:1: Material/Cells = 1.5: must be an integer of at least 1.");
  BOOST_TEST(json_error("{ \"End time\": null }") ==
             "cube.json:1: End time: null is not a value. Leave the key out to get its default.");
  BOOST_TEST(json_error("{ \"End time\": {} }") == "cube.json:1: \"End time\" is a key, not a section. Give it a value.");
  BOOST_TEST(json_error("{ \"Material\": 3 }") == "cube.json:1: \"Material\" is a section, not a key with a value.");
  for (const char *array : {"[\"1\"]", "[[1]]", "[true]", "[{}]"})
    BOOST_TEST(json_error(std::string("{ \"End time\": ") + array + "}") ==
               "cube.json:1: End time: an array may contain numbers only.");
  BOOST_TEST(contains(json_error("{ \"Title\": \"a # b\" }"), "cube.json:1: Title: the value contains #"));
}

BOOST_AUTO_TEST_CASE(text_that_is_not_json_is_refused)
{
  for (const char *text : {"3", "[1]", "\"text\"", "null", "true", "[null]"})
    BOOST_TEST(contains(json_error(text), "cube.json: must be an object"), json_error(text));
  for (const char *text : {"{", "{ \"End time\": }", "{} {}", "{ \"End time\": 1, }", "{ 'End time': 1 }",
                           "{ \"End time\": 1e400 }", "{ \"End time\": nan }", "set End time = 1", "{ \"Title\": \"\xff\" }"})
    BOOST_TEST(contains(json_error(text), "cube.json:1: is not valid JSON: "), json_error(text));
  BOOST_TEST(contains(json_error("{\n\n ! }"), "cube.json:3: is not valid JSON: "));
  BOOST_TEST(contains(json_error(std::string("{}\n\0", 4)), "cube.json:2: contains a NUL byte."));
}

BOOST_AUTO_TEST_CASE(a_locale_with_decimal_commas_changes_nothing)
{
  struct DecimalComma : std::numpunct<char>
  {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  read_json("{ \"End time\": 1234.5, \"Material\": { \"Density\": 1234567 } }", "cube.json", *this);
  apply_setting(*this, "Material/Initial motion/Displacement=1.5 * x; 0; 0");
  const std::string comma = thrown_text([this] { apply_setting(*this, "End time=1,5"); });
  std::locale::global(before);
  BOOST_TEST(number("End time") == 1234.5);
  BOOST_TEST(section("Material").number("Density") == 1234567.);
  BOOST_TEST(section("Material").section("Initial motion").formulas("Displacement")[0] == "1.5 * x");
  BOOST_TEST(comma == "--set: End time = 1,5: must be a positive number in s. Write decimals with a point: 1.5.");
}

BOOST_AUTO_TEST_CASE(a_message_about_a_very_long_value_stays_readable)
{
  // The value (200), the formula (200) and the list of names; not the 18000 characters.
  const std::string endless(18000, '(');
  const std::string message =
    prm_error("subsection Material\nsubsection Initial motion\nset Displacement = " + endless + "\nend\nend");
  BOOST_TEST(contains(message, "(((...: must be 3 formulas"));
  BOOST_TEST(message.size() < 1000u);
  BOOST_TEST(prm_error("set End time = " + std::string(5000, '1')).size() < 1000u);
  BOOST_TEST(json_error("{ \"" + std::string(5000, 'k') + "\": 1 }").size() < 1000u);
  BOOST_TEST(json_error("{ \"" + std::string(5000, 'k') + "\" 1 }").size() < 1000u);
}

BOOST_AUTO_TEST_CASE(files_are_found_and_told_apart_by_their_names)
{
  const TemporaryFile prm("cube.prm", "set End time = 2\n"), json("cube.json", "{ \"Material\": { \"Density\": 3 } }");
  read_parameter_file(prm.path, *this);
  read_parameter_file(json.path, *this);
  BOOST_TEST(number("End time") == 2.);
  BOOST_TEST(section("Material").number("Density") == 3.);
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_parameter_files_are_refused)
{
  const auto error = [this](const std::string &path) { return thrown_text([&] { read_parameter_file(path, *this); }); };
  BOOST_TEST(error("no/such.prm") == "no/such.prm: there is no such file.");
  BOOST_TEST(error("") == ": there is no such file.");
  const std::string folder = std::filesystem::temp_directory_path().string();
  BOOST_TEST(error(folder) == folder + ": is a folder. Name a .prm or .json file in it.");
  const TemporaryFile text("cube.txt", "");
  BOOST_TEST(error(text.path) == text.path + ": unknown kind of file. Its name must end in .prm or .json.");
  const TemporaryFile large("large.prm", std::string(10'000'001, '\n'));
  BOOST_TEST(error(large.path) == large.path + ": is larger than 10 MB. Is it a parameter file?");
  const TemporaryFile largest("largest.prm", std::string(10'000'000, '\n'));
  BOOST_TEST(error(largest.path) == "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(a_setting_of_the_command_line_finds_its_key)
{
  read_prm("subsection Material\nset Density = 2\nend\nsubsection Contact\nsubsection Plane wall\nend\nend", "cube.prm", *this);
  apply_setting(*this, "Material/Density=3");
  apply_setting(*this, " Material / Initial  motion/Displacement = x == 1; 0; 0 ");
  apply_setting(*this, "Contact/Plane wall/Stiffness=4");
  apply_setting(*this, "Title=a/b");
  BOOST_TEST(section("Material").number("Density") == 3.);
  BOOST_TEST(section("Material").section("Initial motion").formulas("Displacement")[0] == "x == 1");
  BOOST_TEST(section("Contact").list("Plane")[0]->number("Stiffness") == 4.);
  BOOST_TEST(text("Title") == "a/b");
}

BOOST_AUTO_TEST_CASE(mistakes_in_a_setting_are_explained)
{
  const auto error = [this](const std::string &setting) { return thrown_text([&] { apply_setting(*this, setting); }); };
  BOOST_TEST(error("Material/Density=-3") == "--set: Material/Density = -3: must be a positive number in kg/m3.");
  BOOST_TEST(error("Material/Densty=3") == "--set: section Material: unknown key \"Densty\". Did you mean \"Density\"?");
  BOOST_TEST(error("Density=3") == "--set: unknown key \"Density\". There is such a key in section Material.");
  BOOST_TEST(error("Matter/Density=3") == "--set: unknown section \"Matter\". Allowed here: Material, Contact.");
  BOOST_TEST(error("Material") == "--set: \"Material\" has no =. Write \"Section/Key=value\".");
  BOOST_TEST(error("=3") == "--set: \"=3\" names no key. Write \"Section/Key=value\".");
  BOOST_TEST(contains(error("Material/=3"), "--set: section Material: unknown key \"\"."));
  BOOST_TEST(error("Contact/Plane wall/Stiffness=4") ==
             "--set: section Contact: the file has no section \"Plane wall\". Add it to the file.");
}

BOOST_AUTO_TEST_SUITE_END()

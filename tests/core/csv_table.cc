#include <freefall/core/csv_table.h>
#include <freefall/core/errors.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <fstream>

using namespace freefall;

namespace
{
/// A file that is gone at the end of the test.
class TemporaryCsv
{
public:
  explicit TemporaryCsv(const std::string &text) { std::ofstream(name) << text; }
  ~TemporaryCsv() { std::remove(name.c_str()); }
  const std::string name = "csv_table_test.csv";
};

CsvTable read(const std::string &text)
{
  const TemporaryCsv file(text);
  return CsvTable(file.name, {"name", "mass", "x", "y"}, {"name", "mass"});
}

void check_error(const std::string &text, const std::string &expected)
{
  BOOST_CHECK_EXCEPTION(read(text), InputError,
                        [&](const InputError &error)
                        {
                          BOOST_TEST_MESSAGE(error.what());
                          return std::string(error.what()).find(expected) == 0;
                        });
}
}  // namespace

BOOST_AUTO_TEST_SUITE(csv_table)

BOOST_AUTO_TEST_CASE(columns_may_come_in_any_order_and_comments_are_skipped)
{
  const CsvTable table = read("# two bodies\n\n x , name,mass\r\n1.5, sun ,2  # heavy\n -2e3,earth,1\n");
  BOOST_TEST(table.n_rows() == 2);
  BOOST_TEST(table.text(0, "name") == "sun");
  BOOST_TEST(table.number(1, "x") == -2000);
  BOOST_TEST(table.number_or(1, "y", 7) == 7);
  BOOST_TEST(!table.has("y"));
  BOOST_TEST(table.place(1) == "csv_table_test.csv:5");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_file_and_line)
{
  check_error("name,mass,x\nsun,1\n", "csv_table_test.csv:2: the row has 2 columns, but the header has 3: name,mass,x");
  check_error("name,mass\nsun,1,2\n", "csv_table_test.csv:2: the row has 3 columns, but the header has 2");
  check_error("name,mas\n", "csv_table_test.csv:1: there is no column 'mas'; known: name, mass, x, y. Did you mean \"mass\"?");
  check_error("name,x\n", "csv_table_test.csv:1: the column 'mass' is missing");
  check_error("name,mass,mass\n", "csv_table_test.csv:1: the column 'mass' occurs twice");
  check_error("", "csv_table_test.csv: the file is empty");
  const CsvTable table = read("name,mass\nsun,heavy\n");
  BOOST_CHECK_EXCEPTION(table.number(0, "mass"), InputError,
                        [](const InputError &error)
                        { return std::string(error.what()) == "csv_table_test.csv:2: mass = 'heavy' is not a number"; });
  BOOST_CHECK_THROW(CsvTable("there_is_no_such_file.csv", {"a"}, {}), InputError);
}

BOOST_AUTO_TEST_SUITE_END()

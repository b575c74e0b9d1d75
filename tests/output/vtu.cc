#include <freefall/core/errors.h>
#include <freefall/output/vtu.h>
#include <output/deforming_block.h>
#include <output/file_size_limit.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <stdexcept>

using namespace freefall;
using namespace freefall::testing;

namespace
{
/// The value of an attribute of the element that begins at `begin`.
std::string attribute(const std::string &xml, std::size_t begin, const std::string &name)
{
  const std::size_t found = xml.find(" " + name + "=\"", begin);
  BOOST_REQUIRE_MESSAGE(found < xml.find('>', begin), "no attribute " << name);
  const std::size_t value = found + name.size() + 3;
  return xml.substr(value, xml.find('"', value) - value);
}

/// Reads an appended array the way the file format describes it, and checks its announcement.
template <typename Number>
std::vector<Number> appended_array(
  const std::string &file, const std::string &section, const std::string &name, const std::string &type, int n_components)
{
  const std::size_t open = file.find("<" + section + ">"), close = file.find("</" + section + ">");
  const std::size_t named = file.find("Name=\"" + name + "\"", open);
  BOOST_REQUIRE_MESSAGE(named < close, "no array " << name << " in " << section);
  const std::size_t element = file.rfind('<', named);
  BOOST_TEST(attribute(file, element, "type") == type);
  BOOST_TEST(attribute(file, element, "format") == "appended");
  BOOST_TEST(std::stoi(attribute(file, element, "NumberOfComponents")) == n_components);
  const std::string marker = "<AppendedData encoding=\"raw\">";
  const std::size_t block = file.find('_', file.find(marker) + marker.size()) + 1;
  const char *bytes = file.data() + block + std::stoull(attribute(file, element, "offset"));
  std::uint64_t n_bytes;
  std::memcpy(&n_bytes, bytes, sizeof n_bytes);
  BOOST_REQUIRE(bytes + sizeof n_bytes + n_bytes <= file.data() + file.size());
  std::vector<Number> values(n_bytes / sizeof(Number));
  std::memcpy(values.data(), bytes + sizeof n_bytes, n_bytes);
  return values;
}

std::string written(const Snapshot &snapshot)
{
  TemporaryFolder folder;
  write_vtu(folder / "a.vtu", snapshot);
  return contents_of(folder / "a.vtu");
}
}  // namespace

BOOST_AUTO_TEST_SUITE(vtu)

BOOST_AUTO_TEST_CASE(points_cells_and_fields_come_back_bit_for_bit)
{
  const Snapshot snapshot = deforming_block(2, 43.21e-6);
  const std::string file = written(snapshot);
  const std::size_t piece = file.find("<Piece");
  BOOST_TEST(attribute(file, piece, "NumberOfPoints") == "27");
  BOOST_TEST(attribute(file, piece, "NumberOfCells") == "48");
  BOOST_TEST(attribute(file, file.find("<VTKFile"), "header_type") == "UInt64");

  const std::vector<double> points(snapshot.points.data(), snapshot.points.data() + snapshot.points.size());
  BOOST_TEST(appended_array<double>(file, "Points", "Points", "Float64", 3) == points, boost::test_tools::per_element());
  BOOST_TEST(appended_array<std::int64_t>(file, "Cells", "connectivity", "Int64", 1) == snapshot.connectivity);
  BOOST_TEST(appended_array<std::int64_t>(file, "Cells", "offsets", "Int64", 1) == snapshot.offsets);
  BOOST_TEST(appended_array<std::uint8_t>(file, "Cells", "types", "UInt8", 1) == snapshot.cell_types);
  BOOST_TEST(appended_array<double>(file, "PointData", "velocity", "Float64", 3) == snapshot.point_fields[0].values);
  BOOST_TEST(appended_array<double>(file, "CellData", "von_mises_stress", "Float64", 1) == snapshot.cell_fields[0].values);
}

BOOST_AUTO_TEST_CASE(the_time_is_written_with_full_precision)
{
  Snapshot snapshot = deforming_block(1, 0);
  snapshot.time = 0.1 + 0.2;
  BOOST_TEST(contains(written(snapshot), "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.30000000000000004<"));
}

BOOST_AUTO_TEST_CASE(fields_of_two_components_get_a_third_one)
{
  Snapshot snapshot;
  snapshot.points = Eigen::Matrix3Xd::Zero(3, 2);
  snapshot.point_fields = {{"velocity", 2, {1, 2, 3, 4}}, {"other", 2, {5, 6, 7, 8}}};
  const std::string file = written(snapshot);
  const std::vector<double> velocity = {1, 2, 0, 3, 4, 0}, other = {5, 6, 0, 7, 8, 0};
  BOOST_TEST(appended_array<double>(file, "PointData", "velocity", "Float64", 3) == velocity);
  BOOST_TEST(appended_array<double>(file, "PointData", "other", "Float64", 3) == other);
}

BOOST_AUTO_TEST_CASE(names_are_escaped)
{
  Snapshot snapshot;
  snapshot.points = Eigen::Matrix3Xd::Zero(3, 1);
  snapshot.point_fields = {{"a<b & \"c\">", 1, {1}}};
  BOOST_TEST(contains(written(snapshot), "Name=\"a&lt;b &amp; &quot;c&quot;&gt;\""));
}

BOOST_AUTO_TEST_CASE(texts_are_string_arrays_of_points)
{
  Snapshot snapshot;
  snapshot.points = Eigen::Matrix3Xd::Zero(3, 2);
  snapshot.point_texts = {{"name", {"Ab", "c"}}};
  BOOST_TEST(contains(written(snapshot),
                      "<DataArray type=\"String\" Name=\"name\" NumberOfComponents=\"1\" "
                      "format=\"ascii\">\n65 98 0\n99 0\n"));
  snapshot.point_texts[0].values.pop_back();
  TemporaryFolder folder;
  BOOST_CHECK_THROW(write_vtu(folder / "a.vtu", snapshot), std::logic_error);
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_agree_are_a_mistake_of_the_program)
{
  TemporaryFolder folder;
  const auto refused = [&](auto &&spoil)
  {
    Snapshot snapshot = deforming_block(1, 0);
    spoil(snapshot);
    BOOST_CHECK_THROW(write_vtu(folder / "a.vtu", snapshot), std::logic_error);
  };
  refused([](Snapshot &s) { s.cell_types.pop_back(); });
  refused([](Snapshot &s) { s.offsets.back() += 1; });
  refused([](Snapshot &s) { std::swap(s.offsets[0], s.offsets[1]); });
  refused([](Snapshot &s) { s.connectivity[3] = 8; });
  refused([](Snapshot &s) { s.connectivity[3] = -1; });
  refused([](Snapshot &s) { s.point_fields[0].values.pop_back(); });
  refused([](Snapshot &s) { s.cell_fields[0].n_components = 2; });
  BOOST_TEST(folder.holds_nothing());
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_no_file)
{
  TemporaryFolder folder;
  {
    FileSizeLimit limit(5000);
    BOOST_CHECK_THROW(write_vtu(folder / "a.vtu", deforming_block(4, 0)), RunError);
  }
  BOOST_TEST(folder.holds_nothing());
}

BOOST_AUTO_TEST_SUITE_END()

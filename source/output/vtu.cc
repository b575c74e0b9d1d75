#include <fmt/format.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/vtu.h>
#include <freefall/output/xml.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace freefall
{
namespace
{
/// An array of the appended block, and the words that announce it.
struct AppendedArray
{
  std::string type;
  std::string name;
  int n_components = 1;
  const void *bytes = nullptr;
  std::uint64_t n_bytes = 0;
};

template <typename Number>
AppendedArray appended(const std::string &type, const std::string &name, int n_components, const std::vector<Number> &values)
{
  return {type, name, n_components, values.data(), values.size() * sizeof(Number)};
}

/// Announces arrays in the XML in the order in which their bytes follow.
class AppendedBlock
{
public:
  std::string announce(const AppendedArray &array)
  {
    const std::string element =
      fmt::format("        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                  array.type, escape_xml(array.name), array.n_components, offset_);
    offset_ += sizeof(std::uint64_t) + array.n_bytes;
    arrays_.push_back(array);
    return element;
  }

  void write(AtomicFile &file) const
  {
    for (const AppendedArray &array : arrays_)
    {
      file.write(&array.n_bytes, sizeof array.n_bytes);
      file.write(array.bytes, array.n_bytes);
    }
  }

private:
  std::vector<AppendedArray> arrays_;
  std::uint64_t offset_ = 0;
};

const char *byte_order()
{
  const std::uint16_t one = 1;
  std::uint8_t first_byte;
  std::memcpy(&first_byte, &one, 1);
  return first_byte == 1 ? "LittleEndian" : "BigEndian";
}

void check_field(const SnapshotField &field, std::size_t n_places, const char *kind)
{
  if (field.n_components < 1 || field.values.size() != n_places * static_cast<std::size_t>(field.n_components))
    throw std::logic_error(fmt::format("Snapshot: the {} field '{}' has {} values of {} components for {} places.", kind,
                                       field.name, field.values.size(), field.n_components, n_places));
}

void check_sizes(const Snapshot &snapshot)
{
  const std::size_t n_cells = snapshot.offsets.size();
  if (snapshot.cell_types.size() != n_cells)
    throw std::logic_error(
      fmt::format("Snapshot: {} cell types for {} cells.", snapshot.cell_types.size(), snapshot.offsets.size()));
  std::int64_t begin = 0;
  for (const std::int64_t end : snapshot.offsets)
  {
    if (end < begin) throw std::logic_error("Snapshot: offsets of cells decrease.");
    begin = end;
  }
  if (begin != static_cast<std::int64_t>(snapshot.connectivity.size()))
    throw std::logic_error(
      fmt::format("Snapshot: the cells end at {} of {} point numbers.", begin, snapshot.connectivity.size()));
  for (const std::int64_t point : snapshot.connectivity)
    if (point < 0 || point >= snapshot.points.cols())
      throw std::logic_error(fmt::format("Snapshot: a cell names point {} of {}.", point, snapshot.points.cols()));
  for (const SnapshotField &field : snapshot.point_fields)
    check_field(field, static_cast<std::size_t>(snapshot.points.cols()), "point");
  for (const SnapshotField &field : snapshot.cell_fields) check_field(field, n_cells, "cell");
}

std::vector<double> with_third_component(const SnapshotField &field)
{
  std::vector<double> values;
  values.reserve(field.values.size() / 2 * 3);
  for (std::size_t i = 0; i < field.values.size(); i += 2)
    values.insert(values.end(), {field.values[i], field.values[i + 1], 0.});
  return values;
}

/// Announces the fields of points or cells; what has to be copied lives in `copies` until it is written.
std::string announce_fields(const std::vector<SnapshotField> &fields,
                            AppendedBlock &block,
                            std::vector<std::vector<double>> &copies)
{
  std::string xml;
  for (const SnapshotField &field : fields)
  {
    if (field.n_components == 2) copies.push_back(with_third_component(field));
    xml += field.n_components == 2 ? block.announce(appended("Float64", field.name, 3, copies.back()))
                                   : block.announce(appended("Float64", field.name, field.n_components, field.values));
  }
  return xml;
}
}  // namespace

void write_vtu(const std::filesystem::path &path, const Snapshot &snapshot)
{
  check_sizes(snapshot);
  AppendedBlock block;
  // Growing it moves the inner vectors but not their values, which the block points to.
  std::vector<std::vector<double>> copies;
  const std::uint64_t n_point_bytes = static_cast<std::uint64_t>(snapshot.points.size()) * sizeof(double);

  std::string xml = fmt::format(
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
    "  <UnstructuredGrid>\n"
    "    <FieldData>\n"
    "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
    "    </FieldData>\n"
    "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
    byte_order(), snapshot.time, snapshot.points.cols(), snapshot.offsets.size());
  xml += "      <PointData>\n" + announce_fields(snapshot.point_fields, block, copies) + "      </PointData>\n";
  xml += "      <CellData>\n" + announce_fields(snapshot.cell_fields, block, copies) + "      </CellData>\n";
  xml +=
    "      <Points>\n" + block.announce({"Float64", "Points", 3, snapshot.points.data(), n_point_bytes}) + "      </Points>\n";
  xml += "      <Cells>\n" + block.announce(appended("Int64", "connectivity", 1, snapshot.connectivity)) +
         block.announce(appended("Int64", "offsets", 1, snapshot.offsets)) +
         block.announce(appended("UInt8", "types", 1, snapshot.cell_types)) + "      </Cells>\n";
  xml += "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";

  AtomicFile file(path);
  file.write(xml);
  block.write(file);
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

void write_pvtu(const std::filesystem::path &path, const Snapshot &snapshot, const std::vector<std::string> &parts)
{
  const auto announce = [](const std::vector<SnapshotField> &fields)
  {
    std::string xml;
    for (const SnapshotField &field : fields)
      xml += fmt::format("      <PDataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n", escape_xml(field.name),
                         field.n_components == 2 ? 3 : field.n_components);
    return xml;
  };
  std::string xml = fmt::format(
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
    "  <PUnstructuredGrid GhostLevel=\"0\">\n"
    "    <FieldData>\n"
    "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
    "    </FieldData>\n",
    byte_order(), snapshot.time);
  xml += "    <PPointData>\n" + announce(snapshot.point_fields) + "    </PPointData>\n";
  xml += "    <PCellData>\n" + announce(snapshot.cell_fields) + "    </PCellData>\n";
  xml += "    <PPoints>\n      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n    </PPoints>\n";
  for (const auto &part : parts) xml += fmt::format("    <Piece Source=\"{}\"/>\n", escape_xml(part));
  xml += "  </PUnstructuredGrid>\n</VTKFile>\n";
  write_file_atomically(path, xml);
}
}  // namespace freefall

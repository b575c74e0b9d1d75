#include <fmt/format.h>
#include <freefall/core/text.h>
#include <zlib.h>

#include "mesh_text.h"
#include "vtk_cells.h"

#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

// VTK's unstructured grid in XML: one piece; arrays as text, inline binary or appended (raw or base64), plain or by zlib, which
// is all that ParaView writes unless told otherwise.
namespace freefall
{
namespace
{
namespace pt = boost::property_tree;

/// The bytes of base64 text until its end, or until `n_bytes` are there. Sets `position` behind what was read.
std::string decode_base64(std::string_view text, std::size_t &position, std::size_t n_bytes)
{
  std::string bytes;
  unsigned int group = 0;
  int n_digits = 0;
  for (; position < text.size() && (bytes.size() < n_bytes || n_digits != 0); ++position)
  {
    const char c = text[position];
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0 && c != '=') continue;
    group = group << 6 | static_cast<unsigned int>(std::max(digit, 0));
    if (++n_digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<char>(group >> shift & 255u));
    group = 0, n_digits = 0;
  }
  return bytes;
}

/// How deep the tags of XML are nested at most: the parser calls itself for each level.
int depth_of(std::string_view xml)
{
  int depth = 0, deepest = 0;
  const auto skip_to = [&](std::size_t from, std::string_view end) { return std::min(xml.find(end, from), xml.size()); };
  for (std::size_t at = xml.find('<'); at < xml.size(); at = xml.find('<', at))
  {
    const std::string_view rest = xml.substr(at);
    if (rest.substr(0, 4) == "<!--")
      at = skip_to(at + 4, "-->");
    else if (rest.substr(0, 9) == "<![CDATA[")
      at = skip_to(at + 9, "]]>");
    else if (rest.substr(0, 2) == "<?")
      at = skip_to(at + 2, "?>");
    else
    {
      std::size_t end = at + 1;
      for (char quote = 0; end < xml.size() && (quote != 0 || xml[end] != '>'); ++end)
        if (quote != 0)
          quote = xml[end] == quote ? 0 : quote;
        else if (xml[end] == '"' || xml[end] == '\'')
          quote = xml[end];
      if (rest.substr(0, 2) == "</")
        --depth;
      else if (end >= xml.size() || xml[end - 1] != '/')
        deepest = std::max(deepest, ++depth);
      at = end;
    }
  }
  return deepest;
}

class VtuReader
{
public:
  VtuReader(const std::string &path, const std::string &text) : path_(path)
  {
    // Raw bytes are not XML: they are cut out before it is parsed.
    std::string xml = text;
    const auto tag = text.find("<AppendedData");
    if (tag != std::string::npos)
    {
      const auto begin = text.find('_', tag);
      const auto end = text.rfind("</AppendedData>");
      if (begin == std::string::npos || end == std::string::npos || end < begin) throw error("the appended data are cut off.");
      appended_ = text.substr(begin + 1, end - begin - 1);
      is_raw_ = text.substr(tag, begin - tag).find("raw") != std::string::npos;
      xml = text.substr(0, tag) + text.substr(end + std::strlen("</AppendedData>"));
    }
    if (depth_of(xml) > deepest_nesting)
      throw error(fmt::format("is not a VTU file: its tags are nested more than {} deep.", deepest_nesting));
    std::istringstream stream(xml);
    try
    {
      pt::read_xml(stream, tree_);
    }
    catch (const pt::xml_parser_error &problem)
    {
      throw InputError(fmt::format("{}:{}: is not a VTU file: {}.", path, problem.line(), problem.message()));
    }
  }

  FileMesh read()
  {
    const auto root = tree_.get_child_optional("VTKFile");
    if (!root || root->get("<xmlattr>.type", "") != "UnstructuredGrid")
      throw error("is not a VTU file: it has no <VTKFile type=\"UnstructuredGrid\">.");
    const std::string compressor = root->get("<xmlattr>.compressor", "");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
      throw error(fmt::format("data compressed by {} cannot be read. Save it with zlib or without compression.", compressor));
    is_compressed_ = !compressor.empty();
    header_bytes_ = root->get("<xmlattr>.header_type", "UInt32") == "UInt64" ? 8 : 4;
    has_binary_order_ = root->get("<xmlattr>.byte_order", "LittleEndian") == "LittleEndian";
    const pt::ptree *piece = nullptr;
    for (const auto &[name, child] : children(*root, "UnstructuredGrid"))
      if (name == "Piece")
      {
        if (piece) throw error("the file has several pieces. Merge them first.");
        piece = &child;
      }
    if (!piece) throw error("the mesh is empty: it has no <Piece>.");
    return to_file_mesh(path_, read_piece(*piece));
  }

private:
  InputError error(const std::string &what) const { return InputError(fmt::format("{}: {}", path_, what)); }

  VtkCells read_piece(const pt::ptree &piece)
  {
    VtkCells cells;
    for (const auto &[name, array] : children(piece, "Points"))
      if (name == "DataArray") cells.points = values(array);
    for (const auto &[name, array] : children(piece, "Cells"))
    {
      const std::string kind = array.get("<xmlattr>.Name", "");
      if (name != "DataArray") continue;
      if (kind == "connectivity") cells.connectivity = integers(array);
      if (kind == "offsets") cells.ends = integers(array);
      if (kind == "types") cells.types = integers(array);
    }
    for (const auto &[name, array] : children(piece, "CellData"))
      if (name == "DataArray")
        if (auto *ids = cells.ids_named(array.get("<xmlattr>.Name", ""))) *ids = integers(array);
    return cells;
  }

  std::vector<long> integers(const pt::ptree &array)
  {
    std::vector<long> integers;
    for (const double value : values(array)) integers.push_back(integer_of(value, path_));
    return integers;
  }

  std::vector<double> values(const pt::ptree &array)
  {
    const std::string format = array.get("<xmlattr>.format", ""), type = array.get("<xmlattr>.type", "");
    if (format == "ascii")
    {
      MeshText text(path_, array.data());
      std::vector<double> numbers;
      try
      {
        while (!text.at_end()) numbers.push_back(text.number("a value"));
      }
      catch (const InputError &)
      {
        throw error(fmt::format("the array {} holds something that is not a number.", name_of(array)));
      }
      return numbers;
    }
    if (!has_binary_order_) throw error("the binary numbers have the byte order of another machine. Save the file as ASCII.");
    if (format == "binary") return convert(decode(array.data(), 0, false, array), type, array);
    if (format == "appended")
    {
      const auto offset = array.get<std::size_t>("<xmlattr>.offset", appended_.size());
      return convert(decode(appended_, offset, is_raw_, array), type, array);
    }
    throw error(fmt::format("the array {} has the unknown format '{}'.", name_of(array), format));
  }

  /// The children of a child, none when there is no such one.
  static const pt::ptree &children(const pt::ptree &parent, const char *name)
  {
    static const pt::ptree none;
    const auto child = parent.get_child_optional(name);
    return child ? *child : none;
  }

  static std::string name_of(const pt::ptree &array) { return array.get("<xmlattr>.Name", "without a name"); }

  /// `n` bytes of a stream from `position` on, raw or in base64.
  std::string take(std::string_view data, std::size_t &position, std::size_t n, bool is_raw, const pt::ptree &array) const
  {
    std::string bytes;
    if (is_raw && position <= data.size())
    {
      bytes = data.substr(position, n);
      position += n;
    }
    else if (!is_raw)
      bytes = decode_base64(data, position, n);
    if (bytes.size() < n) throw error(fmt::format("the array {} is cut off.", name_of(array)));
    return bytes;
  }

  std::size_t header(const std::string &bytes, std::size_t i) const
  {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + i * header_bytes_, header_bytes_);
    return value;
  }

  std::string decode(std::string_view data, std::size_t offset, bool is_raw, const pt::ptree &array) const
  {
    std::size_t position = offset;
    const std::size_t n_blocks_or_bytes = header(take(data, position, header_bytes_, is_raw, array), 0);
    if (n_blocks_or_bytes > (is_compressed_ ? data.size() : 2 * data.size()))
      throw error(fmt::format("the array {} is cut off.", name_of(array)));
    if (!is_compressed_)
    {
      // In base64, the length and the bytes are one stream.
      position = offset;
      return take(data, position, header_bytes_ + n_blocks_or_bytes, is_raw, array).substr(header_bytes_, n_blocks_or_bytes);
    }
    // Compressed: number of blocks, their size, size of the last one, compressed size of each; then the blocks.
    position = offset;
    const std::string sizes = take(data, position, header_bytes_ * (3 + n_blocks_or_bytes), is_raw, array);
    std::size_t n_compressed = 0;
    for (std::size_t b = 0; b < n_blocks_or_bytes; ++b)
    {
      if (header(sizes, 3 + b) > data.size() - n_compressed) throw error(fmt::format("the array {} is cut off.", name_of(array)));
      n_compressed += header(sizes, 3 + b);
    }
    const std::string compressed = take(data, position, n_compressed, is_raw, array);
    std::string bytes;
    std::size_t begin = 0;
    for (std::size_t b = 0; b < n_blocks_or_bytes; ++b)
    {
      const bool is_short = b + 1 == n_blocks_or_bytes && header(sizes, 2) > 0;
      uLongf size = header(sizes, is_short ? 2 : 1);
      // Deflate shrinks by a factor of 1032 at most.
      if (size > 1100 * (header(sizes, 3 + b) + 1)) throw error(fmt::format("the array {} is damaged.", name_of(array)));
      std::string block(size, '\0');
      if (uncompress(reinterpret_cast<Bytef *>(block.data()), &size, reinterpret_cast<const Bytef *>(compressed.data()) + begin,
                     header(sizes, 3 + b)) != Z_OK)
        throw error(fmt::format("the array {} is damaged.", name_of(array)));
      bytes.append(block, 0, size);
      begin += header(sizes, 3 + b);
    }
    return bytes;
  }

  template <typename Number>
  static std::vector<double> convert_to(const std::string &bytes)
  {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return {numbers.begin(), numbers.end()};
  }

  std::vector<double> convert(const std::string &bytes, const std::string &type, const pt::ptree &array) const
  {
    if (type == "Float64") return convert_to<double>(bytes);
    if (type == "Float32") return convert_to<float>(bytes);
    if (type == "Int64") return convert_to<std::int64_t>(bytes);
    if (type == "UInt64") return convert_to<std::uint64_t>(bytes);
    if (type == "Int32") return convert_to<std::int32_t>(bytes);
    if (type == "UInt32") return convert_to<std::uint32_t>(bytes);
    if (type == "Int16") return convert_to<std::int16_t>(bytes);
    if (type == "UInt16") return convert_to<std::uint16_t>(bytes);
    if (type == "Int8") return convert_to<std::int8_t>(bytes);
    if (type == "UInt8") return convert_to<std::uint8_t>(bytes);
    throw error(fmt::format("the array {} has the unknown type '{}'.", name_of(array), type));
  }

  static constexpr int deepest_nesting = 100;
  std::string path_;
  pt::ptree tree_;
  std::string appended_;
  bool is_raw_ = false, is_compressed_ = false, has_binary_order_ = true;
  std::size_t header_bytes_ = 4;
};
}  // namespace

FileMesh read_vtu(const std::string &path, const std::string &text) { return VtuReader(path, text).read(); }
}  // namespace freefall

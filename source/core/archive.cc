#include <freefall/core/archive.h>

#include <fmt/format.h>
#include <cstring>
#include <utility>

namespace freefall
{
Archive::Archive(std::string bytes) : is_loading_(true), bytes_(std::move(bytes))
{
  for (std::size_t at = 0; at < bytes_.size();)
  {
    const Block block = read_block(at);
    at = block.payload + static_cast<std::size_t>(block.count) * size_of(block.type);
  }
}

std::size_t Archive::size_of(char type)
{
  switch (type)
  {
    case 'd':
    case 'l':
    case 'u':
      return 8;
    case 'i':
      return 4;
    case 'b':
    case 't':
      return 1;
    default:
      return 0;
  }
}

Archive::Block Archive::read_block(std::size_t at) const
{
  const auto fail = [&](const std::string &what) { throw ArchiveError(fmt::format("byte {} of the data: {}", at, what)); };
  const std::size_t begin = at;
  std::size_t left = bytes_.size() - at;
  const auto take = [&](void *into, std::size_t n)
  {
    if (left < n) fail(fmt::format("the block that begins at byte {} is cut off", begin));
    std::memcpy(into, bytes_.data() + at, n);
    at += n;
    left -= n;
  };
  Block block;
  std::uint16_t length = 0;
  take(&length, sizeof length);
  if (left < length) fail("the name of a block is cut off");
  block.name.resize(length);
  take(block.name.data(), length);
  take(&block.type, 1);
  take(&block.count, sizeof block.count);
  const std::size_t size = size_of(block.type);
  if (size == 0) fail(fmt::format("there is no block type {}", static_cast<int>(block.type)));
  if (block.count > left / size) fail(fmt::format("block \"{}\" of {} entries is cut off", block.name, block.count));
  block.payload = at;
  return block;
}

Archive::Block Archive::expect(const std::string &name, char type) const
{
  const std::string whole = prefix_ + name;
  if (position_ >= bytes_.size()) throw ArchiveError(fmt::format("block \"{}\" is missing at the end", whole));
  Block block = read_block(position_);
  if (block.name != whole) throw ArchiveError(fmt::format("block \"{}\" expected, \"{}\" found", whole, block.name));
  if (block.type != type) throw ArchiveError(fmt::format("block \"{}\" is of type {}, not {}", whole, block.type, type));
  return block;
}

std::size_t Archive::next_count(const std::string &name, char type) const
{
  return static_cast<std::size_t>(expect(name, type).count);
}

void Archive::array(const std::string &name, char type, void *values, std::size_t n, std::size_t size)
{
  if (!is_loading_) return save(name, type, values, n, size);
  const Block block = expect(name, type);
  if (block.count != n)
    throw ArchiveError(fmt::format("block \"{}\" has {} entries where {} are expected", block.name, block.count, n));
  if (n > 0) std::memcpy(values, bytes_.data() + block.payload, n * size);
  position_ = block.payload + n * size;
}

void Archive::save(const std::string &name, char type, const void *values, std::uint64_t n, std::size_t size)
{
  const std::string whole = prefix_ + name;
  if (whole.size() > 0xffff) throw std::logic_error("Archive: the name of a block is too long: " + whole);
  const auto append = [&](const void *from, std::size_t length) { bytes_.append(static_cast<const char *>(from), length); };
  const auto length = static_cast<std::uint16_t>(whole.size());
  append(&length, sizeof length);
  append(whole.data(), whole.size());
  append(&type, 1);
  append(&n, sizeof n);
  if (n > 0) append(values, static_cast<std::size_t>(n) * size);
}

void Archive::operator()(const std::string &name, bool &value)
{
  std::uint8_t byte = value;
  array(name, 'b', &byte, 1, 1);
  value = byte != 0;
}

void Archive::operator()(const std::string &name, std::string &text)
{
  if (is_loading_) text.resize(next_count(name, 't'));
  array(name, 't', text.data(), text.size(), 1);
}

void Archive::finish() const
{
  if (is_loading_ && position_ < bytes_.size())
    throw ArchiveError(fmt::format("block \"{}\" is left over", read_block(position_).name));
}

Archive::Part::Part(Archive &archive, const std::string &name) : archive_(archive), outer_length_(archive.prefix_.size())
{
  archive_.prefix_ += name + "/";
}

Archive::Part::~Part() { archive_.prefix_.resize(outer_length_); }
}  // namespace freefall

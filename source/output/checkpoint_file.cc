#include <fmt/format.h>
#include <freefall/core/archive.h>
#include <freefall/core/errors.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/checkpoint_file.h>
#include <freefall/output/system_call.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace freefall
{
namespace
{
constexpr std::string_view magic = "freefall checkpoint\n";
constexpr std::uint32_t format_version = 2;
constexpr std::uint32_t order_mark = 0x01020304;
constexpr std::size_t header_size = magic.size() + 4 + 4 + 8;

std::uint32_t checksum(std::string_view bytes)
{
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

void archive_identity(Archive &archive, CheckpointIdentity &identity)
{
  archive("program_version", identity.program_version);
  archive("parameters", identity.parameters);
  archive("system", identity.system);
  archive("n_ranks", identity.n_ranks);
}

template <typename Number>
Number number_at(const std::string &bytes, std::size_t at)
{
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// A second name for the present file, put where the previous one was; without hard links it is moved there.
void keep_previous(const std::filesystem::path &path)
{
  const std::filesystem::path previous = previous_of(path);
  const std::filesystem::path link = previous.string() + ".partial";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  std::filesystem::remove(link, error);
  std::filesystem::create_hard_link(path, link, error);
  if (error)
    std::filesystem::rename(path, previous, error);
  else
  {
    std::filesystem::rename(link, previous, error);
    // Two names of one file, after a kill between this and the next rename: then rename leaves both.
    std::error_code ignored;
    std::filesystem::remove(link, ignored);
  }
  if (error) throw RunError(fmt::format("Cannot keep the checkpoint '{}': {}.", previous.string(), error.message()));
}
}  // namespace

std::filesystem::path previous_of(const std::filesystem::path &path) { return path.string() + ".previous"; }

void write_checkpoint(const std::filesystem::path &path, const CheckpointIdentity &identity, const std::string &contents)
{
  Archive names;
  CheckpointIdentity saved = identity;
  archive_identity(names, saved);
  const std::uint64_t length = names.bytes().size() + contents.size() + sizeof(std::uint32_t);

  std::string bytes(magic);
  bytes.reserve(header_size + static_cast<std::size_t>(length));
  bytes.append(reinterpret_cast<const char *>(&format_version), sizeof format_version);
  bytes.append(reinterpret_cast<const char *>(&order_mark), sizeof order_mark);
  bytes.append(reinterpret_cast<const char *>(&length), sizeof length);
  bytes += names.bytes();
  bytes += contents;
  const std::uint32_t sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char *>(&sum), sizeof sum);

  AtomicFile file(path);
  file.write(bytes);
  file.commit([&] { keep_previous(path); });
}

std::string checkpoint_contents(const std::string &bytes, const std::string &name, const CheckpointIdentity &identity)
{
  const auto refuse = [&](const std::string &why) { throw CheckpointRefused(fmt::format("The file '{}' {}", name, why)); };
  if (bytes.compare(0, magic.size(), magic) != 0) refuse("is no checkpoint of Freefall.");
  if (bytes.size() < header_size) refuse("is cut off within its first line.");
  const auto version = number_at<std::uint32_t>(bytes, magic.size());
  const auto order = number_at<std::uint32_t>(bytes, magic.size() + 4);
  const auto length = number_at<std::uint64_t>(bytes, magic.size() + 8);
  if (order != order_mark) refuse("was written on a machine with another byte order, or is damaged.");
  if (version != format_version)
    refuse(fmt::format("has version {} of the format; this program reads version {}. Resume it with the program that wrote it.",
                       version, format_version));
  if (bytes.size() - header_size != length)
    refuse(fmt::format("is damaged: it says that {} bytes follow its header, and {} do.", length, bytes.size() - header_size));
  if (length < sizeof(std::uint32_t) ||
      checksum(std::string_view(bytes).substr(0, bytes.size() - sizeof(std::uint32_t))) !=
        number_at<std::uint32_t>(bytes, bytes.size() - sizeof(std::uint32_t)))
    refuse("is damaged: its checksum is wrong.");
  try
  {
    Archive archive(bytes.substr(header_size, static_cast<std::size_t>(length) - sizeof(std::uint32_t)));
    CheckpointIdentity found;
    archive_identity(archive, found);
    if (found.program_version != identity.program_version)
      refuse(fmt::format("was written by version {} of Freefall; this is version {}. Resume it with the program that wrote it.",
                         found.program_version, identity.program_version));
    if (found.parameters != identity.parameters)
      refuse("belongs to other parameters: parameters.prm was changed since. Put it back, or start a new run.");
    if (found.n_ranks != identity.n_ranks)
      refuse(fmt::format("is that of a run on {} process{}, not {}. Resume it with {}freefall resume.", found.n_ranks,
                         found.n_ranks == 1 ? "" : "es", identity.n_ranks,
                         found.n_ranks == 1 ? "" : fmt::format("mpirun -n {} ", found.n_ranks)));
    if (found.system != identity.system)
      refuse("belongs to another system: a file that parameters.prm names (mesh, particles) was changed since. Put it back, or "
             "start a new run.");
    return archive.rest();
  }
  catch (const ArchiveError &error)
  {
    refuse(fmt::format("is damaged: {}.", error.what()));
  }
  return {};
}

std::string read_checkpoint(const std::filesystem::path &path, const CheckpointIdentity &identity)
{
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CheckpointRefused(fmt::format("Cannot open the checkpoint '{}': {}.", path.string(), system_reason(errno)));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return checkpoint_contents(bytes, path.string(), identity);
}
}  // namespace freefall

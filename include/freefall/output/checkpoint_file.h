#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace freefall
{
/// What a checkpoint belongs to; it is refused by anything else.
struct CheckpointIdentity
{
  std::string program_version;
  std::uint64_t parameters = 0;  ///< hash of all parameters as used
  std::uint64_t system = 0;      ///< hash of the system that was built from them: files that they name may have changed
  std::int32_t n_ranks = 1;      ///< processes, each of which has its part of the contents
};

/// A checkpoint that cannot be used: no checkpoint, cut off, damaged, of another version or another run. The text names the file
/// and says which.
class CheckpointRefused : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// The file: the line `freefall checkpoint`, the version of the format and a mark of the byte order (uint32 each), the number of
/// the bytes that follow (uint64), then blocks of an Archive (the identity, then the contents), and their CRC-32. Our own format
/// and not HDF5: a hundred lines without a library that would have to be fuzzed, and one checksum over every byte.
///
/// Writes it whole or not at all (RunError), keeping the one that was there before under the name that previous_of() says. At any
/// instant, if there was a checkpoint before, there is one under `path`.
void write_checkpoint(const std::filesystem::path &path, const CheckpointIdentity &identity, const std::string &contents);

/// Reads what write_checkpoint() wrote. Throws CheckpointRefused.
std::string read_checkpoint(const std::filesystem::path &path, const CheckpointIdentity &identity);

/// The same from the bytes of a file, whose name is for messages only.
std::string checkpoint_contents(const std::string &bytes, const std::string &name, const CheckpointIdentity &identity);

std::filesystem::path previous_of(const std::filesystem::path &path);
}  // namespace freefall

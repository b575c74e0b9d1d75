#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/rank_texts.h>
#include <freefall/core/ranks.h>
#include <freefall/output/summary.h>
#include <freefall/simulation/checkpoints.h>

#include <fmt/format.h>
#include <cmath>
#include <sstream>
#include <string_view>
#include <system_error>

namespace freefall
{
namespace
{
/// FNV-1a of 64 bits: tells runs apart, nothing more.
class Hash
{
public:
  void add(const void *data, std::size_t n_bytes)
  {
    for (const auto *byte = static_cast<const unsigned char *>(data), *end = byte + n_bytes; byte != end; ++byte)
      value_ = (value_ ^ *byte) * 0x100000001b3;
  }
  void add(const Eigen::VectorXd &values) { add(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double)); }
  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Of all keys and values; comments do not count.
std::uint64_t hash_of(const ParameterSection &root)
{
  std::ostringstream used;
  write_prm(root, used);
  std::istringstream lines(used.str());
  Hash hash;
  for (std::string line; std::getline(lines, line);)
  {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] != '#') hash.add(line.data(), line.size());
  }
  return hash.value();
}

/// Of where it begins, its masses, and its potential there to first order.
std::uint64_t hash_of(const System &system)
{
  Hash hash;
  const State &start = system.initial_state();
  hash.add(&start.time, sizeof start.time);
  hash.add(start.q);
  hash.add(start.v);
  hash.add(system.diagonal_mass());
  hash.add(system.fixed_dofs().data(), system.fixed_dofs().size() * sizeof(int));
  Eigen::VectorXd gradient;
  try
  {
    system.gradient(start.q, gradient);
  }
  catch (const DomainError &)
  {
    gradient.resize(0);
  }
  hash.add(gradient);
  if (ranks::size() == 1) return hash.value();
  const std::uint64_t part = hash.value();
  Hash whole;
  for (const auto &of_rank : ranks::gather({reinterpret_cast<const char *>(&part), sizeof part}))
    whole.add(of_rank.data(), of_rank.size());
  // Rank 0 alone compares it.
  return whole.value();
}

/// One process writes its blocks as they are; of several each has a block of its own.
std::string joined(const std::vector<std::string> &parts)
{
  if (parts.size() == 1) return parts[0];
  Archive archive;
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
  {
    std::string part = parts[rank];
    archive(fmt::format("rank_{}", rank), part);
  }
  return archive.bytes();
}

std::vector<std::string> parts_of(const std::string &contents, int n_ranks)
{
  if (n_ranks == 1) return {contents};
  Archive archive(contents);
  std::vector<std::string> parts(n_ranks);
  for (int rank = 0; rank < n_ranks; ++rank) archive(fmt::format("rank_{}", rank), parts[rank]);
  archive.finish();
  return parts;
}

std::filesystem::path checkpoint_in(const std::filesystem::path &folder) { return folder / "checkpoint"; }
}  // namespace

void Checkpoints::declare_parameters(ParameterSection &output)
{
  output.declare("Checkpoint interval", "none", Pattern::number("s", Bounds::positive()).or_word("none"),
                 "Simulated time between two checkpoints, from which freefall resume goes on. There is one at the start and one "
                 "when the run is interrupted in any case.");
  output.declare("Checkpoint wall interval", "600", Pattern::number("s", Bounds::positive()).or_word("none"),
                 "Wall time between two checkpoints. When they are written does not change the results.");
}

Checkpoints::Checkpoints(const ParameterSection &root, const System &system)
{
  identity_ = {FREEFALL_VERSION, hash_of(root), hash_of(system), ranks::size()};
  const auto &output = root.section("Output");
  interval_ = output.number_unless_word("Checkpoint interval");
  wall_interval_ = output.number_unless_word("Checkpoint wall interval");
}

bool Checkpoints::is_due(double time, double wall) const
{
  // Multiples of the interval, so that they come at the same times in a resumed run.
  const bool passed = interval_ && std::floor(time / *interval_) > std::floor(last_time_ / *interval_);
  // The clocks of the ranks differ.
  return ranks::any(passed || (wall_interval_ && wall - last_wall_ >= *wall_interval_));
}

void Checkpoints::begin(double time, double wall)
{
  last_time_ = time;
  last_wall_ = wall;
}

void Checkpoints::write(const std::filesystem::path &folder, const std::string &contents, double time, double wall)
{
  const auto parts = ranks::gather(contents);
  ranks::on_rank_zero([&] { write_checkpoint(checkpoint_in(folder), identity_, joined(parts)); });
  begin(time, wall);
}

bool Checkpoints::can_be_read(const std::filesystem::path &path) const
{
  try
  {
    read_checkpoint(path, identity_);
    return true;
  }
  catch (const CheckpointRefused &)
  {
    return false;
  }
}

std::string Checkpoints::read(const std::filesystem::path &folder, bool previous) const
{
  std::vector<std::string> parts;
  ranks::on_rank_zero([&] { parts = parts_of(read_whole(folder, previous), ranks::size()); });
  return ranks::scatter(parts);
}

std::string Checkpoints::read_whole(const std::filesystem::path &folder, bool previous) const
{
  const auto path = checkpoint_in(folder), before = previous_of(path);
  try
  {
    return read_checkpoint(previous ? before : path, identity_);
  }
  catch (const CheckpointRefused &refused)
  {
    std::string advice;
    if (!previous && can_be_read(before))
      advice = fmt::format(" The checkpoint before it is whole: freefall resume {} --previous", folder.string());
    throw InputError(refused.what() + advice);
  }
}

void Checkpoints::remove(const std::filesystem::path &folder)
{
  if (ranks::rank() > 0) return;
  std::error_code ignored;
  std::filesystem::remove(checkpoint_in(folder), ignored);
  std::filesystem::remove(previous_of(checkpoint_in(folder)), ignored);
}
}  // namespace freefall

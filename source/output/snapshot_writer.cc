#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/snapshot_writer.h>
#include <freefall/output/vtu.h>
#include <freefall/output/xml.h>

#include <iterator>
#include <system_error>
#include <utility>

namespace freefall
{
SnapshotWriter::SnapshotWriter(std::filesystem::path run_folder, std::string name, std::vector<double> earlier_times)
  : run_folder_(std::move(run_folder)), name_(std::move(name)), times_(std::move(earlier_times))
{
}

std::filesystem::path SnapshotWriter::write(const Snapshot &snapshot)
{
  const std::filesystem::path folder = run_folder_ / "snapshots";
  ranks::on_rank_zero(
    [&]
    {
      std::error_code error;
      std::filesystem::create_directory(folder, error);
      if (error) throw RunError(fmt::format("Cannot make the folder '{}': {}.", folder.string(), error.message()));
    });
  const std::filesystem::path path = run_folder_ / relative_path(times_.size());
  write_grid(folder / path.stem(), snapshot);
  times_.push_back(snapshot.time);
  ranks::on_rank_zero([&] { write_collection(); });
  return path;
}

void SnapshotWriter::write_grid(const std::filesystem::path &path, const Snapshot &snapshot)
{
  if (ranks::size() == 1) return write_vtu(path.string() + ".vtu", snapshot);
  const auto part = [&](int rank) { return fmt::format("{}_{}.vtu", path.filename().string(), rank); };
  ranks::together([&] { write_vtu(path.parent_path() / part(ranks::rank()), snapshot); });
  std::vector<std::string> parts;
  for (int rank = 0; rank < ranks::size(); ++rank) parts.push_back(part(rank));
  ranks::on_rank_zero([&] { write_pvtu(path.string() + ".pvtu", snapshot, parts); });
}

std::string SnapshotWriter::relative_path(std::size_t index) const
{
  return fmt::format("snapshots/{}_{:06}.{}", name_, index, ranks::size() == 1 ? "vtu" : "pvtu");
}

void SnapshotWriter::write_collection() const
{
  std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n";
  for (std::size_t i = 0; i < times_.size(); ++i)
    fmt::format_to(std::back_inserter(xml), "    <DataSet timestep=\"{}\" file=\"{}\"/>\n", times_[i],
                   escape_xml(relative_path(i)));
  xml += "  </Collection>\n</VTKFile>\n";
  write_file_atomically(run_folder_ / "snapshots.pvd", xml);
}
}  // namespace freefall

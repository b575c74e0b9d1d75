#include <freefall/integrators/force_stepping/step_map.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall::force_stepping
{
namespace
{
/// How many dofs a point of the system has, if its dofs are the coordinates of its points one after another; otherwise 0.
int find_dofs_per_point(const System &system, const State &start)
{
  const Eigen::Matrix3Xd points = system.snapshot(start, SnapshotGeometry::deformed).points;
  const int n_points = static_cast<int>(points.cols());
  if (n_points == 0 || system.n_dofs() % n_points != 0) return 0;
  const int n = system.n_dofs() / n_points;
  if (n > 3) return 0;
  return points.topRows(n) == Eigen::Map<const Eigen::MatrixXd>(start.q.data(), n, n_points) ? n : 0;
}

double mean(double sum, std::int64_t n) { return n > 0 ? sum / static_cast<double>(n) : 0; }
}  // namespace

StepMap::StepMap(const System &system, const SimplicialGrid &grid, const State &start)
  : dofs_per_point_(find_dofs_per_point(system, start)), start_(start.q), place_of_(system.n_dofs())
{
  const int dofs_per_place = std::max(dofs_per_point_, 1);
  for (int dof = 0; dof < system.n_dofs(); ++dof) place_of_[dof] = dof / dofs_per_place;
  events_.assign(system.n_dofs() / dofs_per_place, 0);
  if (system.n_dofs() > most_dofs_of_positions) return;
  for (int dof = 0; dof < system.n_dofs(); ++dof) spacing_.push_back(grid.spacing(dof));
}

void StepMap::count_position(const Eigen::VectorXd &q, double step)
{
  std::array<std::int64_t, most_dofs_of_positions> place{};
  for (std::size_t dof = 0; dof < spacing_.size(); ++dof)
    place[dof] = static_cast<std::int64_t>(std::floor(q[dof] / (static_cast<double>(cells_per_bin_) * spacing_[dof])));
  const auto bin =
    std::lower_bound(bins_.begin(), bins_.end(), place, [](const Bin &a, const auto &value) { return a.place < value; });
  if (bin == bins_.end() || bin->place != place)
  {
    bins_.insert(bin, {place, 1, step, step, step});
    while (bins_.size() > most_bins) double_width();
    return;
  }
  ++bin->n_steps;
  bin->sum += step;
  bin->smallest = std::min(bin->smallest, step);
  bin->largest = std::max(bin->largest, step);
}

void StepMap::double_width()
{
  cells_per_bin_ *= 2;
  for (Bin &bin : bins_)
    for (std::int64_t &place : bin.place) place = (place - (place < 0)) / 2;  // rounds down
  std::sort(bins_.begin(), bins_.end(), [](const Bin &a, const Bin &b) { return a.place < b.place; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < bins_.size(); ++i)
  {
    const Bin &bin = bins_[i];
    if (bin.place != bins_[last].place)
    {
      bins_[++last] = bin;
      continue;
    }
    bins_[last] = {bin.place, bins_[last].n_steps + bin.n_steps, bins_[last].sum + bin.sum,
                   std::min(bins_[last].smallest, bin.smallest), std::max(bins_[last].largest, bin.largest)};
  }
  bins_.resize(last + 1);
}

void StepMap::archive(Archive &archive)
{
  const Archive::Part part(archive, "step_map");
  archive("events", events_);
  archive("cells_per_bin", cells_per_bin_);
  std::vector<std::int64_t> counts;
  std::vector<double> steps;
  for (const Bin &bin : bins_)
  {
    counts.insert(counts.end(), {bin.place[0], bin.place[1], bin.place[2], bin.n_steps});
    steps.insert(steps.end(), {bin.sum, bin.smallest, bin.largest});
  }
  archive.list("counts", counts);
  archive.list("steps", steps);
  if (3 * counts.size() != 4 * steps.size() || counts.size() % 4 != 0) throw ArchiveError("the bins of steps do not fit together");
  bins_.resize(counts.size() / 4);
  for (std::size_t i = 0; i < bins_.size(); ++i)
    bins_[i] = {{counts[4 * i], counts[4 * i + 1], counts[4 * i + 2]},
                counts[4 * i + 3],
                steps[3 * i],
                steps[3 * i + 1],
                steps[3 * i + 2]};
}

std::vector<NumberTable> StepMap::tables(double elapsed) const
{
  const char *axes[] = {"x", "y", "z"};
  NumberTable by_place{dofs_per_point_ > 0 ? "time_steps_by_point" : "time_steps_by_coordinate", {}};
  for (std::size_t place = 0; place < events_.size(); ++place)
  {
    NamedValues row{{dofs_per_point_ > 0 ? "point" : "coordinate", static_cast<double>(place)}};
    for (int axis = 0; axis < dofs_per_point_; ++axis) row.push_back({axes[axis], start_[dofs_per_point_ * place + axis]});
    if (dofs_per_point_ == 0) row.push_back({"initial_value", start_[place]});
    row.push_back({"events", static_cast<double>(events_[place])});
    row.push_back({"mean_step", mean(elapsed, events_[place])});
    by_place.rows.push_back(row);
  }
  if (!counts_positions()) return {by_place};

  NumberTable by_position{"time_steps_by_position", {}};
  for (const Bin &bin : bins_)
  {
    NamedValues row;
    for (std::size_t dof = 0; dof < spacing_.size(); ++dof)
    {
      const double width = static_cast<double>(cells_per_bin_) * spacing_[dof];
      const std::string name = dofs_per_point_ > 0 && events_.size() == 1 ? axes[dof] : fmt::format("q_{}", dof);
      row.push_back({name, (static_cast<double>(bin.place[dof]) + 0.5) * width});
    }
    row.push_back({"events", static_cast<double>(bin.n_steps)});
    row.push_back({"mean_step", mean(bin.sum, bin.n_steps)});
    row.push_back({"smallest_step", bin.smallest});
    row.push_back({"largest_step", bin.largest});
    by_position.rows.push_back(row);
  }
  return {by_place, by_position};
}
}  // namespace freefall::force_stepping

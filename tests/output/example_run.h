#pragma once

#include <freefall/output/history_writer.h>
#include <freefall/output/snapshot_writer.h>
#include <freefall/output/summary.h>
#include <output/deforming_block.h>

#include <cmath>
#include <filesystem>

namespace freefall::testing
{
/// Fills a folder as a run does, with the made-up motion of deforming_block() from 0 to 100 us, closest to the wall at 50 us.
inline void write_example_run(const std::filesystem::path &folder, int n_cubes_per_edge)
{
  HistoryWriter history(folder / "history.csv");
  SnapshotWriter snapshots(folder, "block");
  for (int i = 0; i <= 20; ++i)
  {
    const double time = i * 5e-6;
    const double closeness = std::exp(-std::pow((time - 50e-6) / 20e-6, 2));
    const double total = 13500, contact = 6000 * closeness, potential = 5500 * closeness;
    history.write({{"time", time},
                   {"step", 100. * i},
                   {"time_step", 5e-8},
                   {"kinetic_energy", total - contact - potential},
                   {"potential_energy", potential},
                   {"contact_energy", contact},
                   {"total_energy", total},
                   {"linear_momentum_x", 0},
                   {"linear_momentum_y", 3 * closeness},
                   {"linear_momentum_z", 270 * std::tanh((time - 50e-6) / 15e-6)}});
    snapshots.write(deforming_block(n_cubes_per_edge, time));
  }
  RunSummary summary;
  summary.status = "done";
  summary.integrator = "none";
  summary.end_time = 100e-6;
  summary.walls = {{{0, 0, 0}, {0, 0, 1}}};
  write_summary(folder / "summary.json", summary);
}
}  // namespace freefall::testing

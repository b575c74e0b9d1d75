#pragma once

#include <freefall/systems/snapshot.h>

#include <array>
#include <cmath>

namespace freefall::testing
{
/// A block of n x n x n cubes, each cut into six tetrahedra along its diagonal, of edge 0.1 m, that comes down on the wall
/// z = 0, is squeezed by up to a quarter at 50 us and leaves again: something to draw, not a solution of anything.
inline Snapshot deforming_block(int n, double time)
{
  Snapshot snapshot;
  snapshot.time = time;
  const int n_side = n + 1;
  const double squeeze = 0.25 * std::exp(-std::pow((time - 50e-6) / 20e-6, 2));
  const double gap = std::fabs(time - 50e-6) * 100 * (1 - squeeze / 0.25);
  snapshot.points.resize(3, n_side * n_side * n_side);
  SnapshotField velocity{"velocity", 3, {}};
  for (int k = 0, point = 0; k < n_side; ++k)
    for (int j = 0; j < n_side; ++j)
      for (int i = 0; i < n_side; ++i, ++point)
      {
        const double x = 0.1 * i / n, y = 0.1 * j / n, z = 0.1 * k / n;
        const double bulge = 1 + 0.6 * squeeze * (1 - z / 0.1);
        snapshot.points.col(point) << 0.05 + (x - 0.05) * bulge, 0.05 + (y - 0.05) * bulge, gap + z * (1 - squeeze);
        velocity.values.insert(velocity.values.end(), {0., 0., time < 50e-6 ? -100. : 100.});
      }
  snapshot.point_fields.push_back(velocity);

  SnapshotField stress{"von_mises_stress", 1, {}};
  const std::array<std::array<int, 3>, 6> orders = {{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}};
  const std::array<int, 3> step = {1, n_side, n_side * n_side};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        for (const auto &order : orders)
        {
          int point = i * step[0] + j * step[1] + k * step[2];
          snapshot.connectivity.push_back(point);
          for (const int axis : order) snapshot.connectivity.push_back(point += step[axis]);
          snapshot.offsets.push_back(static_cast<std::int64_t>(snapshot.connectivity.size()));
          snapshot.cell_types.push_back(10);
          stress.values.push_back(4e9 * squeeze * (1 - 0.8 * k / n) * (1 + 0.2 * std::cos(3. * i)));
        }
  snapshot.cell_fields.push_back(stress);
  return snapshot;
}
}  // namespace freefall::testing

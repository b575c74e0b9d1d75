#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace freefall
{
/// Values on the points or cells of a snapshot: values[i * n_components + c].
struct SnapshotField
{
  std::string name;
  int n_components = 1;
  std::vector<double> values;
};

/// A text for each point of a snapshot.
struct SnapshotTexts
{
  std::string name;
  std::vector<std::string> values;
};

/// One instant of a system as an unstructured grid for ParaView: shared points, true cell data.
struct Snapshot
{
  double time = 0;                         ///< s
  Eigen::Matrix3Xd points;                 ///< one column a point
  std::vector<std::int64_t> connectivity;  ///< point numbers of all cells, one cell after another
  std::vector<std::int64_t> offsets;       ///< end of each cell in connectivity
  std::vector<std::uint8_t> cell_types;    ///< VTK cell types: 1 vertex, 3 line, 10 tetrahedron, 12 hexahedron, ...
  std::vector<SnapshotField> point_fields;
  std::vector<SnapshotField> cell_fields;
  std::vector<SnapshotTexts> point_texts;
};

/// Where a snapshot draws the points of a solid.
enum class SnapshotGeometry
{
  deformed,
  reference
};
}  // namespace freefall

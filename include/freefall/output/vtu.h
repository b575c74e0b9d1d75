#pragma once

#include <freefall/systems/snapshot.h>

#include <filesystem>
#include <string>
#include <vector>

namespace freefall
{
/// Writes a snapshot as a VTK unstructured grid (.vtu), whole or not at all (RunError).
///
/// Arrays are appended as raw binary behind the XML, each after its length in bytes as UInt64, with full precision (Float64,
/// Int64). The time stands in the field data `TimeValue`, which ParaView reads. Fields of two components get a third one, zero:
/// VTK knows vectors by their three components. Sizes that do not agree within the snapshot are a std::logic_error.
void write_vtu(const std::filesystem::path &path, const Snapshot &snapshot);

/// Joins the .vtu files of several ranks (names relative to `path`'s folder) to one grid (.pvtu). `snapshot` is any of theirs:
/// it tells the time and the fields, which all of them have.
void write_pvtu(const std::filesystem::path &path, const Snapshot &snapshot, const std::vector<std::string> &parts);
}  // namespace freefall

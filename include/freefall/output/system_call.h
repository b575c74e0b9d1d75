#pragma once

#include <cstddef>
#include <string>

namespace freefall
{
/// Writes all bytes to an open file, across interruptions and short writes. Returns false, with errno set, on failure.
bool write_all(int descriptor, const void *bytes, std::size_t n_bytes);

/// The system's words for an errno, such as "No space left on device".
std::string system_reason(int error_number);
}  // namespace freefall

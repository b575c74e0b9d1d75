#pragma once

#include <string>

namespace freefall
{
/// Three digits and an SI prefix: readable_number(2.34e-5, " ", "s") is "23.4 us"; readable_number(1.23e5, "", " steps/s") is
/// "123k steps/s". Prefixes from f to P (u for micro); beyond them, with an exponent and no prefix.
std::string readable_number(double value, const std::string &before_prefix, const std::string &unit);

/// A time in s as "23.4 us"; from 1 s on with no prefix: "2000 s".
std::string readable_time(double seconds);

/// A wait as people say it: "8 s", "3:05", "1:02:03" (hours, minutes, seconds), "2 d 3 h".
std::string readable_duration(double seconds);
}  // namespace freefall

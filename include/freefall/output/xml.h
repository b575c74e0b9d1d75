#pragma once

#include <string>
#include <string_view>

namespace freefall
{
/// The text as the value of an XML attribute: & < > " written as entities.
std::string escape_xml(std::string_view text);
}  // namespace freefall

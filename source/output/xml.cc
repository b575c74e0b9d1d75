#include <freefall/output/xml.h>

namespace freefall
{
std::string escape_xml(std::string_view text)
{
  std::string escaped;
  for (const char c : text) switch (c)
    {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}
}  // namespace freefall

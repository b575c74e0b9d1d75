#pragma once

#include <freefall/core/errors.h>

#include <string>

namespace freefall
{
/// The text of the error that `action` throws; "nothing was thrown" otherwise, so that a comparison fails and shows it.
template <typename Error = InputError, typename Action>
std::string thrown_text(const Action &action)
{
  try
  {
    action();
  }
  catch (const Error &error)
  {
    return error.what();
  }
  return "nothing was thrown";
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
}  // namespace freefall

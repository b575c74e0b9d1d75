#include <fmt/format.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace freefall
{
namespace
{
constexpr std::uintmax_t largest_file = 10'000'000;

std::string read_text(const std::string &path)
{
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(fmt::format("{}: there is no such file.", path));
  if (std::filesystem::is_directory(status))
    throw InputError(fmt::format("{}: is a folder. Name a .prm or .json file in it.", path));

  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot be opened: {}.", path, std::strerror(errno)));
  // Counted while reading: pipes have no size.
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw InputError(fmt::format("{}: cannot be read: {}.", path, std::strerror(errno)));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest_file) throw InputError(fmt::format("{}: is larger than 10 MB. Is it a parameter file?", path));
  return text;
}
}  // namespace

void read_parameter_file(const std::string &path, ParameterSection &root)
{
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool is_prm = extension == ".prm", is_json = extension == ".json";
  const std::string text = read_text(path);
  if (is_prm)
    read_prm(text, path, root);
  else if (is_json)
    read_json(text, path, root);
  else
    throw InputError(fmt::format("{}: unknown kind of file. Its name must end in .prm or .json.", path));
}

void apply_setting(ParameterSection &root, const std::string &setting)
{
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("--set: \"{}\" has no =. Write \"Section/Key=value\".", setting));
  std::vector<std::string> names = split(setting.substr(0, equals), '/');
  if (names.empty()) throw InputError(fmt::format("--set: \"{}\" names no key. Write \"Section/Key=value\".", setting));
  const std::string key = names.back();
  names.pop_back();
  ParameterSection *section = &root;
  for (const std::string &name : names) section = &section->enter(name, ParameterOrigin::command_line());
  section->set(key, setting.substr(equals + 1), ParameterOrigin::command_line());
}
}  // namespace freefall

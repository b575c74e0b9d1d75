#include <freefall/output/atomic_file.h>
#include <freefall/output/summary.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace freefall
{
namespace
{
using Json = nlohmann::ordered_json;

/// NamedValues hold counts as well as measures: whole numbers are written without a point.
Json number(double value)
{
  const double largest_exact_integer = 9007199254740992.;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::fabs(value) <= largest_exact_integer) return static_cast<std::int64_t>(value);
  return value;
}

Json vector_of(const std::array<double, 3> &values) { return {number(values[0]), number(values[1]), number(values[2])}; }
}  // namespace

std::string to_json(const RunSummary &summary)
{
  Json json;
  json["status"] = summary.status;
  json["message"] = summary.message;
  json["integrator"] = summary.integrator;
  json["end_time"] = number(summary.end_time);
  json["n_dofs"] = summary.n_dofs;
  json["n_ranks"] = summary.n_ranks;
  json["n_steps"] = summary.n_steps;
  json["n_force_evaluations"] = summary.n_force_evaluations;
  json["n_potential_evaluations"] = summary.n_potential_evaluations;
  json["time_step"] = {{"average", number(summary.time_step.average)},
                       {"minimum", number(summary.time_step.minimum)},
                       {"maximum", number(summary.time_step.maximum)}};
  json["relative_energy_drift"] = number(summary.relative_energy_drift);
  json["wall_seconds"] = number(summary.wall_seconds);
  json["warnings"] = summary.warnings;
  json["walls"] = Json::array();
  for (const RunSummary::Wall &wall : summary.walls)
    json["walls"].push_back({{"point", vector_of(wall.point)}, {"normal", vector_of(wall.normal)}});
  for (const RunSummary::Section &section : summary.sections)
  {
    if (json.contains(section.name)) throw std::logic_error("RunSummary: the name '" + section.name + "' is taken.");
    Json &values = json[section.name] = Json::object();
    for (const NamedValue &entry : section.values) values[entry.name] = number(entry.value);
  }
  // A message may quote a path that is no UTF-8, which must not cost the summary.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_summary(const std::filesystem::path &path, const RunSummary &summary)
{
  write_file_atomically(path, to_json(summary));
}
}  // namespace freefall

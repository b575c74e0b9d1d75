#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>
#include <freefall/simulation/simulation.h>
#include <freefall/study/study_plan.h>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>

namespace freefall
{
std::string hash_of(const std::string &text)
{
  std::uint64_t hash = 14695981039346656037u;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

namespace
{
/// One of the dimensions of the product: sweeps that go together.
struct Axis
{
  std::vector<int> sweeps;
  int n_values = 0;
};

std::vector<Axis> axes_of(const StudySettings &study, const std::string &variant)
{
  std::vector<Axis> axes;
  std::map<std::string, std::size_t> groups;
  for (std::size_t i = 0; i < study.sweeps.size(); ++i)
  {
    const Sweep &sweep = study.sweeps[i];
    if (!sweep.is_for(variant)) continue;
    const auto known = sweep.group.empty() ? groups.end() : groups.find(sweep.group);
    if (known != groups.end())
    {
      axes[known->second].sweeps.push_back(static_cast<int>(i));
      continue;
    }
    if (!sweep.group.empty()) groups[sweep.group] = axes.size();
    axes.push_back({{static_cast<int>(i)}, static_cast<int>(sweep.values.size())});
  }
  return axes;
}

/// The paths of all keys that "A/*/Key" stands for; "A/Key" stands for itself.
void expand(const ParameterSection &section,
            const std::vector<std::string> &names,
            std::size_t i,
            const std::string &path,
            std::vector<std::string> &found)
{
  if (i + 1 == names.size())
  {
    for (const auto &parameter : section.parameters())
      if (parameter.key == normalise_blanks(names[i])) found.push_back(path + parameter.key);
    return;
  }
  for (const auto *nested : section.sections(ParameterSection::Lists::made))
    if (names[i] == "*" || nested->name() == normalise_blanks(names[i]))
      expand(*nested, names, i + 1, path + nested->name() + "/", found);
}

const Parameter *find_parameter(const ParameterSection &root, const std::string &path)
{
  auto names = split(path, '/');
  const ParameterSection *section = &root;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) section = &section->section(names[i]);
  for (const auto &parameter : section->parameters())
    if (parameter.key == names.back()) return &parameter;
  return nullptr;
}

class Planner
{
public:
  explicit Planner(const StudySettings &study) : study_(study) {}
  StudyPlan plan();

private:
  void resolve_sweeps();
  void add_rows_of(const Variant &variant);
  void add_row(const Variant &variant, const std::vector<Axis> &axes, const std::vector<int> &indices);
  int job_of(const Settings &settings, const std::string &label);
  std::string parameters_with(const Settings &settings, const std::string &label) const;

  const StudySettings &study_;
  std::vector<std::vector<std::string>> keys_;  ///< of each sweep, without *
  StudyPlan plan_;
};

StudyPlan Planner::plan()
{
  resolve_sweeps();
  for (const auto &variant : study_.variants) add_rows_of(variant);
  return std::move(plan_);
}

void Planner::resolve_sweeps()
{
  ParameterSection base;
  Simulation::declare_parameters(base);
  read_parameter_file(study_.base_file, base);
  for (const auto &sweep : study_.sweeps)
  {
    keys_.emplace_back();
    for (const auto &key : sweep.keys)
    {
      std::vector<std::string> found;
      expand(base, split(key, '/'), 0, "", found);
      if (found.empty() && key.find('*') != std::string::npos)
        throw InputError(fmt::format("sweep {}: no section of {} has a key like \"{}\".", sweep.name, study_.base_file, key));
      // An unknown key without * gets its error, with the nearest name, when it is set.
      if (found.empty()) found.push_back(key);
      keys_.back().insert(keys_.back().end(), found.begin(), found.end());
    }
    // Setting the first value of each shows what is wrong with a key.
    for (const auto &key : keys_.back()) try
      {
        apply_setting(base, key + "=" + sweep.setting(0));
      }
      catch (const InputError &error)
      {
        throw InputError(fmt::format("sweep {}: {}", sweep.name, error.what()));
      }
    plan_.units.push_back(find_parameter(base, keys_.back().front())->pattern.unit());
  }
}

void Planner::add_rows_of(const Variant &variant)
{
  const auto axes = axes_of(study_, variant.name);
  double n_rows = static_cast<double>(plan_.rows.size());
  double product = 1;
  for (const auto &axis : axes) product *= axis.n_values;
  n_rows += product;
  if (n_rows > max_study_runs)
    throw InputError(fmt::format("the study has more than {} runs. Use fewer values, or zip sweeps by Group.", max_study_runs));
  std::vector<int> indices(axes.size(), 0);
  for (bool more = true; more;)
  {
    add_row(variant, axes, indices);
    more = false;
    for (std::size_t a = axes.size(); a-- > 0 && !more;)
      if (++indices[a] < axes[a].n_values)
        more = true;
      else
        indices[a] = 0;
  }
}

void Planner::add_row(const Variant &variant, const std::vector<Axis> &axes, const std::vector<int> &indices)
{
  StudyPlan::Row row;
  row.variant = variant.name;
  row.values.resize(study_.sweeps.size());
  const auto separates = [&](const std::string &name)
  {
    const auto &names = study_.reference_separately_for;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Settings settings = study_.common, reference = study_.common;
  settings.set(variant.settings);
  if (separates("variant")) reference.set(variant.settings);
  std::string label = variant.name, reference_label = "reference";
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (const int i : axes[a].sweeps)
    {
      const Sweep &sweep = study_.sweeps[i];
      row.values[i] = sweep.values[indices[a]];
      label += (label.empty() ? "" : " ") + sweep.name + "=" + *row.values[i];
      for (const auto &key : keys_[i]) settings.set(key, sweep.setting(indices[a]));
      if (!separates(sweep.name)) continue;
      for (const auto &key : keys_[i]) reference.set(key, sweep.setting(indices[a]));
      reference_label += " " + sweep.name + "=" + *row.values[i];
    }
  row.job = job_of(settings, label);
  if (study_.needs_reference_run())
  {
    reference.set(study_.reference);
    row.reference_job = job_of(reference, reference_label);
  }
  plan_.rows.push_back(std::move(row));
}

std::string Planner::parameters_with(const Settings &settings, const std::string &label) const
{
  ParameterSection root;
  Simulation::declare_parameters(root);
  read_parameter_file(study_.base_file, root);
  for (const auto &[key, value] : settings.entries()) try
    {
      apply_setting(root, key + "=" + value);
    }
    catch (const InputError &error)
    {
      throw InputError(fmt::format("run {}: {}", label, error.what()));
    }
  std::ostringstream text;
  write_prm(root, text);
  return text.str();
}

/// Letters, digits and a few signs; at most 80 of them.
std::string file_name(const std::string &label)
{
  std::string name;
  for (const char c : label.substr(0, 80))
    name += std::isalnum(static_cast<unsigned char>(c)) || std::string("=.+-").find(c) != std::string::npos ? c : '_';
  return name;
}

int Planner::job_of(const Settings &settings, const std::string &label)
{
  const std::string hash = hash_of(parameters_with(settings, label));
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].hash == hash) return static_cast<int>(i);
  plan_.jobs.push_back({settings, hash, file_name(label) + "-" + hash});
  return static_cast<int>(plan_.jobs.size()) - 1;
}
}  // namespace

StudyPlan make_study_plan(const StudySettings &study) { return Planner(study).plan(); }
}  // namespace freefall

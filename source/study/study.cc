#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/folder_lock.h>
#include <freefall/study/expected_values.h>
#include <freefall/study/run_pool.h>
#include <freefall/study/run_results.h>
#include <freefall/study/study.h>
#include <freefall/study/study_progress.h>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace freefall
{
namespace fs = std::filesystem;

namespace
{
StudySettings read_settings(const std::string &file, const std::vector<std::string> &settings)
{
  ParameterSection root;
  declare_study_parameters(root);
  read_parameter_file(file, root);
  for (const auto &setting : settings) apply_setting(root, setting);
  return parse_study_parameters(root, file);
}

/// Folders of earlier runs by the hash at the end of their names.
std::map<std::string, fs::path> earlier_runs(const fs::path &folder)
{
  std::map<std::string, fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto &entry : fs::directory_iterator(folder))
  {
    const std::string name = entry.path().filename().string();
    const auto dash = name.rfind('-');
    if (entry.is_directory() && dash != std::string::npos) found.emplace(name.substr(dash + 1), entry.path());
  }
  return found;
}

/// A run that was interrupted is not finished; one that could not go on is: it would stop there again.
bool is_finished(const fs::path &folder)
{
  const auto report = read_run_report(folder);
  return report && (report->status == "done" || report->status == "stopped");
}

void make_folder(const fs::path &folder)
{
  std::error_code error;
  fs::create_directories(folder / "runs", error);
  if (error)
    throw InputError(fmt::format("Cannot make the output folder '{}': {}. Choose another one with --output.", folder.string(),
                                 error.message()));
  if (fs::exists(folder / "summary.json"))
    throw InputError(fmt::format("The output folder '{}' holds the results of a run. Choose another one with --output.",
                                 folder.string()));
}

/// What a child said, in one line, without the program's name.
std::string one_line(const ProcessEnd &end)
{
  std::string text = normalise_blanks(end.text);
  const std::string prefix = "freefall: ";
  if (text.rfind(prefix, 0) == 0) text.erase(0, prefix.size());
  if (end.exit_code > 128) text = fmt::format("ended by signal {}. {}", end.exit_code - 128, text);
  return text.empty() ? fmt::format("ended with exit code {} and said nothing.", end.exit_code) : trim(text);
}
}  // namespace

Study::Study(const std::string &file, const std::vector<std::string> &settings)
  : file_(file), settings_(read_settings(file, settings)), plan_(make_study_plan(settings_))
{
  check_expected_values(settings_, plan_);
}

void Study::list(std::ostream &stream) const
{
  stream << fmt::format("{}: {} rows, {} runs of {}\n", file_, plan_.rows.size(), plan_.jobs.size(), settings_.base_file);
  for (const auto &job : plan_.jobs)
  {
    stream << "  " << job.name << '\n';
    for (const auto &[key, value] : job.settings.entries()) stream << "      " << key << " = " << value << '\n';
  }
}

bool Study::make_runs(const Options &options, const std::function<bool()> &stop_requested, JobResults &results) const
{
  const auto earlier = earlier_runs(options.output / "runs");
  std::vector<RunPool::Command> commands;
  std::vector<int> jobs;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
  {
    const auto &job = plan_.jobs[i];
    const auto found = earlier.find(job.hash);
    results.folders.push_back(found == earlier.end() ? options.output / "runs" / job.name : found->second);
    if (!options.force && is_finished(results.folders.back())) continue;
    // What an unfinished run has left must not pass for the results of one that now fails before it writes.
    std::error_code ignored;
    fs::remove(results.folders.back() / "summary.json", ignored);
    RunPool::Command command{options.program.string(), "run",    settings_.base_file, "--quiet", "--force",
                             "--output",               results.folders.back().string()};
    for (const auto &[key, value] : job.settings.entries())
    {
      command.push_back("--set");
      command.push_back(key + "=" + value);
    }
    commands.push_back(std::move(command));
    jobs.push_back(static_cast<int>(i));
  }
  StudyProgress progress(std::cerr, Progress::style_for(STDERR_FILENO, options.quiet), static_cast<int>(plan_.jobs.size()),
                         static_cast<int>(plan_.jobs.size() - commands.size()));
  const bool finished = RunPool(options.n_jobs)
                          .run(
                            commands,
                            [&](int i, const ProcessEnd &end)
                            {
                              const bool has_report = read_run_report(results.folders[jobs[i]]).has_value();
                              if (end.exit_code != 0 && !has_report) results.failures[jobs[i]] = one_line(end);
                              progress.ended(end.exit_code == 0);
                            },
                            [&](int n_running) { progress.tick(n_running); }, stop_requested);
  progress.finish(finished);
  return finished;
}

void Study::fill_row(const StudyPlan::Row &row, const JobResults &results)
{
  table_.add_row();
  const auto &folder = results.folders[row.job];
  table_.set("run", folder.filename().string());
  if (settings_.variants.front().name != "") table_.set("variant", row.variant);
  for (std::size_t i = 0; i < settings_.sweeps.size(); ++i) table_.set(settings_.sweeps[i].name, row.values[i].value_or(""));
  const auto report = read_run_report(folder);
  const auto failure = results.failures.find(row.job);
  std::string status = report ? report->status : failure != results.failures.end() ? "failed" : "not run";
  std::string message = report ? report->message : failure != results.failures.end() ? failure->second : "";
  table_.set("status", status);
  table_.set("message", message);
  if (!report) return;
  for (const auto &[name, value] : report->numbers)
  {
    const auto is_taken = [&](const auto &own) { return own.name == name; };
    const bool taken = std::any_of(settings_.sweeps.begin(), settings_.sweeps.end(), is_taken) ||
                       std::any_of(settings_.measures.begin(), settings_.measures.end(), is_taken);
    table_.set(taken ? "summary." + name : name, value);
  }
  // A measure of a run that did not reach its end would look like a result.
  if (report->status != "done") return;
  try
  {
    const HistoryTable history(folder / "history.csv");
    for (const auto &measure : settings_.measures) table_.set(measure.name, evaluate(measure, history));
    std::optional<HistoryTable> reference;
    std::optional<RunReport> reference_report;
    if (row.reference_job)
    {
      reference_report = read_run_report(results.folders[*row.reference_job]);
      if (reference_report && reference_report->status == "done")
        reference.emplace(results.folders[*row.reference_job] / "history.csv");
    }
    for (const auto &error : settings_.errors)
      table_.set(error.column(), evaluate(error, history, reference ? &*reference : nullptr));
    for (const auto &deviation : settings_.deviations)
    {
      if (!deviation.from && !reference) throw RunError("the reference run failed.");
      const auto sum = [&](const RunReport &run, const HistoryTable &table)
      { return sum_of(deviation.quantities, run, settings_.measures, table); };
      const double expected = deviation.from ? *deviation.from : sum(*reference_report, *reference);
      table_.set(deviation.column(), evaluate(deviation, sum(*report, history), expected));
    }
  }
  catch (const RunError &error)
  {
    table_.set("message", error.what());
  }
}

void Study::fill_table(const JobResults &results)
{
  table_ = StudyTable();
  for (const auto &row : plan_.rows) fill_row(row, results);
  add_expected_values(table_, settings_.expected);
}

std::vector<std::string> Study::printed_columns() const
{
  std::vector<std::string> columns;
  const auto add = [&](const std::string &name)
  {
    if (table_.has(name) && std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  };
  add("variant");
  for (const auto &sweep : settings_.sweeps) add(sweep.name);
  add("status");
  if (settings_.table_columns.empty())
    for (const char *name : {"n_dofs", "n_steps", "relative_energy_drift", "wall_seconds"}) add(name);
  for (const auto &name : settings_.table_columns) add(name);
  for (const auto &measure : settings_.measures) add(measure.name);
  for (const auto &error : settings_.errors) add(error.column());
  for (const auto &expected : settings_.expected)
    for (const auto &name : {expected.quantity, expected.name, expected.deviation_column()}) add(name);
  for (const auto &deviation : settings_.deviations) add(deviation.column());
  for (const auto &fit : settings_.fits)
  {
    add(fit.quantity);
    for (const auto &name : fit.against) add(name);
  }
  for (int row = 0; row < table_.n_rows(); ++row)
    if (!table_.text(row, "message").empty()) add("message");
  return columns;
}

std::string Study::description(const std::vector<FitResult> &fits) const
{
  using Json = nlohmann::ordered_json;
  Json json{{"title", settings_.title}, {"base", settings_.base_file}};
  json["sweeps"] = Json::array();
  for (std::size_t i = 0; i < settings_.sweeps.size(); ++i)
    json["sweeps"].push_back({{"name", settings_.sweeps[i].name}, {"keys", settings_.sweeps[i].keys}, {"unit", plan_.units[i]}});
  json["measures"] = Json::array();
  for (const auto &measure : settings_.measures)
    json["measures"].push_back({{"name", measure.name}, {"quantity", measure.quantity}, {"of", measure.of}});
  json["errors"] = Json::array();
  for (const auto &error : settings_.errors)
    json["errors"].push_back({{"name", error.column()}, {"quantities", error.quantities}, {"relative", error.relative}});
  json["expected"] = Json::array();
  for (const auto &expected : settings_.expected)
    json["expected"].push_back({{"name", expected.name},
                                {"quantity", expected.quantity},
                                {"deviation", expected.deviation_column()},
                                {"tolerance", expected.tolerance ? Json(*expected.tolerance) : Json(nullptr)}});
  json["deviations"] = Json::array();
  for (const auto &deviation : settings_.deviations)
    json["deviations"].push_back(
      {{"name", deviation.column()}, {"quantities", deviation.quantities}, {"relative", deviation.relative}});
  json["fits"] = Json::array();
  for (const auto &result : fits)
  {
    if (!result.fit) continue;
    Json slopes = Json::array(), half_widths = Json::array();
    for (const auto &slope : result.fit->slopes)
    {
      slopes.push_back(slope.value);
      half_widths.push_back(slope.half_width ? Json(*slope.half_width) : Json(nullptr));
    }
    json["fits"].push_back({{"name", result.request.name},
                            {"quantity", result.request.quantity},
                            {"against", result.request.against},
                            {"separately_for", result.request.separately_for},
                            {"group", result.group},
                            {"variants", result.request.variants},
                            {"slopes", slopes},
                            {"half_widths", half_widths},
                            {"expected", result.request.expected},
                            {"log_constant", result.fit->log_constant}});
  }
  json["plots"] = Json::array();
  for (const auto &plot : settings_.plots)
    json["plots"].push_back({{"name", plot.name},
                             {"title", plot.title},
                             {"x", plot.x},
                             {"y", plot.y},
                             {"lines", plot.lines},
                             {"variants", plot.variants},
                             {"shows_histories", plot.shows_histories},
                             {"is_change", plot.is_change},
                             {"x_label", plot.x_label},
                             {"y_label", plot.y_label},
                             {"x_is_logarithmic", plot.x_is_logarithmic},
                             {"y_is_logarithmic", plot.y_is_logarithmic}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<RunTables> Study::tables_of(const AverageRequest &request, const JobResults &results) const
{
  std::vector<RunTables> groups;
  for (int row = 0; row < table_.n_rows(); ++row)
  {
    if (table_.text(row, "status") != "done") continue;
    std::vector<std::string> values;
    for (const std::string &name : request.separately_for) values.push_back(table_.text(row, name));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const RunTables &known) { return known.group == values; });
    if (group == groups.end()) group = groups.insert(groups.end(), RunTables{values, {}});
    group->tables.emplace_back(results.folders[plan_.rows[row].job] / (request.table + ".csv"));
  }
  return groups;
}

Study::Outcome Study::run(const Options &options, const std::function<bool()> &stop_requested)
{
  make_folder(options.output);
  const FolderLock lock(options.output);
  JobResults results;
  const bool finished = make_runs(options, stop_requested, results);
  fill_table(results);
  const auto fits = fit_table(table_, settings_.fits);
  write_file_atomically(options.output / "study.csv", table_.to_csv());
  write_file_atomically(options.output / "fits.csv", fits_to_csv(fits));
  write_file_atomically(options.output / "study.json", description(fits));
  for (const auto &request : settings_.averages)
    write_file_atomically(options.output / (request.name + ".csv"), average(request, tables_of(request, results)).to_csv());
  if (!options.quiet)
  {
    table_.print(std::cout, printed_columns());
    if (!fits.empty() || !settings_.expected.empty()) std::cout << '\n';
    print_expected_values(std::cout, table_, settings_.expected);
    print_fits(std::cout, fits);
    std::cout << std::flush;
  }
  if (!finished) return Outcome::interrupted;
  for (int row = 0; row < table_.n_rows(); ++row)
    if (table_.text(row, "status") == "done") return Outcome::done;
  return Outcome::all_failed;
}
}  // namespace freefall

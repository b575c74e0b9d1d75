#include <freefall/core/formula.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/text.h>
#include <freefall/simulation/simulation.h>
#include <freefall/study/study_settings.h>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <set>

namespace freefall
{
void Settings::set(const std::string &key, const std::string &value)
{
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const auto &known) { return known.first == key; });
  if (entry == entries_.end())
    entries_.emplace_back(key, value);
  else
    entry->second = value;
}

void Settings::set(const Settings &others)
{
  for (const auto &[key, value] : others.entries_) set(key, value);
}

bool StudySettings::needs_reference_run() const
{
  return std::any_of(errors.begin(), errors.end(), [](const ErrorMeasure &error) { return error.exact.empty(); }) ||
         std::any_of(deviations.begin(), deviations.end(), [](const Deviation &deviation) { return !deviation.from; });
}

namespace
{
/// The word that stands for the variant where columns are named.
const std::string variant_column = "variant";

/// All values that a file gave in a tree of run parameters, with paths from `top`.
void collect_settings(const ParameterSection &section, const std::string &path, Settings &settings)
{
  for (const Parameter &parameter : section.parameters())
    if (!parameter.origin.is_default()) settings.set(path + parameter.key, parameter.value);
  for (const ParameterSection *nested : section.sections(ParameterSection::Lists::made))
    collect_settings(*nested, path + nested->name() + "/", settings);
}

/// The label of a section of a list, made fit for the name of a column.
std::string column_name(const ParameterSection &section)
{
  std::string name = section.label();
  if (name.empty()) throw section.error("", fmt::format("needs a name: subsection {} NAME", section.name()));
  if (name.find_first_of(",|\"") != std::string::npos) throw section.error("", "the name must not contain , | or \".");
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::vector<std::string> required_list(const ParameterSection &section, const std::string &key, const std::string &what)
{
  auto names = split(section.text(key), ',');
  if (names.empty() || std::count(names.begin(), names.end(), "")) throw section.error(key, "must name " + what + ".");
  return names;
}

std::string required_name(const ParameterSection &section, const std::string &key, const std::string &what)
{
  return required_list(section, key, what).at(0);
}

/// Names among sweeps and `variant`.
std::vector<std::string> known_groups(const ParameterSection &section, const std::string &key, const StudySettings &study)
{
  std::vector<std::string> known{variant_column};
  for (const auto &sweep : study.sweeps) known.push_back(sweep.name);
  auto names = split(section.text(key), ',');
  for (const auto &name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw section.error(key, fmt::format("\"{}\" is no sweep.{} Allowed: {}.", name, did_you_mean(name, known), join(known, ", ")));
  return names;
}

/// The value of Variants, whose names must exist.
std::vector<std::string> known_variants(const ParameterSection &section, const StudySettings &study)
{
  std::vector<std::string> known;
  for (const auto &variant : study.variants) known.push_back(variant.name);
  auto names = split(section.text("Variants"), ',');
  for (const auto &name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw section.error("Variants", fmt::format("there is no variant \"{}\".{}", name, did_you_mean(name, known)));
  return names;
}

TimeSpan parse_span(const ParameterSection &section, bool is_growth)
{
  TimeSpan span{section.number("From"), section.number_unless_word("To").value_or(std::numeric_limits<double>::infinity())};
  if (!(span.to > span.from)) throw section.error("To", fmt::format("must be after From = {}.", span.from));
  if (is_growth && !(span.from > 0))
    throw section.error("From", "must be positive for a growth exponent: the slope is that of logarithms of the time.");
  return span;
}

Measure parse_measure(const ParameterSection &section)
{
  const std::string of = section.text("Of");
  return {column_name(section), required_name(section, "Quantity", "a column of history.csv"), of,
          parse_span(section, of == "growth exponent")};
}

ExpectedValues parse_expected(const ParameterSection &section, const StudySettings &study)
{
  ExpectedValues expected;
  expected.name = column_name(section);
  expected.quantity = required_name(section, "Quantity", "a column of study.csv");
  for (const auto &entry : required_list(section, "Values", "numbers separated by commas, one for each row of the table"))
  {
    expected.values.push_back(parse_number(entry));
    if (!expected.values.back() && entry != "-")
      throw section.error("Values", fmt::format("\"{}\" is no number. Where none is known, write -.", entry));
  }
  expected.tolerance = section.number_unless_word("Tolerance");
  expected.variants = known_variants(section, study);
  return expected;
}

ErrorMeasure parse_error(const ParameterSection &section)
{
  ErrorMeasure error;
  error.name = column_name(section);
  error.quantities = required_list(section, "Quantities", "columns of history.csv, separated by commas");
  error.exact = section.text("Exact");
  error.at_end_only = section.text("Times") == "end";
  error.relative = section.boolean("Relative");
  error.is_growth = section.text("Of") == "growth exponent";
  error.span = parse_span(section, error.is_growth);
  if (error.is_growth && error.at_end_only) throw section.error("Times", "must be all for a growth exponent.");
  if (error.exact.empty()) return error;
  try
  {
    const Formula formula(error.exact, {"t"});
    if (formula.n_components() != static_cast<int>(error.quantities.size()))
      throw InputError(fmt::format("{} formulas for {} quantities. Separate formulas by ;", formula.n_components(),
                                   error.quantities.size()));
  }
  catch (const InputError &problem)
  {
    throw section.error("Exact", problem.what());
  }
  return error;
}

Deviation parse_deviation(const ParameterSection &section)
{
  Deviation deviation;
  deviation.name = column_name(section);
  deviation.quantities = required_list(section, "Quantities", "numbers of summary.json or measures, separated by commas");
  deviation.relative = section.boolean("Relative");
  if (section.text("From").empty()) return deviation;
  try
  {
    const Formula formula(section.text("From"), {});
    if (formula.n_components() != 1) throw InputError("must be one number or formula.");
    deviation.from = formula.evaluate_finite({});
  }
  catch (const InputError &problem)
  {
    throw section.error("From", problem.what());
  }
  if (deviation.relative && *deviation.from == 0) throw section.error("From", "is 0: set Relative = false.");
  return deviation;
}

FitRequest parse_fit(const ParameterSection &section, const StudySettings &study)
{
  FitRequest fit;
  fit.name = column_name(section);
  fit.quantity = required_name(section, "Quantity", "a column of study.csv");
  fit.against = required_list(section, "Against", "columns of study.csv, separated by commas");
  fit.separately_for = known_groups(section, "Separately for", study);
  fit.expected = section.numbers("Expected");
  if (!fit.expected.empty() && fit.expected.size() != fit.against.size())
    throw section.error("Expected", "must have one number for each name in Against, or none.");
  fit.minimum = section.number("Minimum");
  fit.maximum = section.number("Maximum");
  fit.variants = known_variants(section, study);
  return fit;
}

AverageRequest parse_average(const ParameterSection &section, const StudySettings &study)
{
  AverageRequest average;
  average.name = column_name(section);
  average.table = required_name(section, "Table", "a table in the folder of each run, such as history");
  if (average.table.find('/') != std::string::npos) throw section.error("Table", "must be a name without a folder.");
  average.along = required_name(section, "Along", "a column of that table, such as time");
  average.quantities = split(section.text("Quantities"), ',');
  average.separately_for = known_groups(section, "Separately for", study);
  const std::vector<std::string> taken{"study", "fits"};
  if (std::find(taken.begin(), taken.end(), average.name) != taken.end())
    throw section.error("", fmt::format("{}.csv is a file of every study. Choose another name.", average.name));
  return average;
}

PlotRequest parse_plot(const ParameterSection &section, const StudySettings &study)
{
  PlotRequest plot;
  plot.name = column_name(section);
  plot.shows_histories = section.text("Of") == "histories";
  const std::string columns = plot.shows_histories ? "a column of history.csv" : "a column of study.csv";
  plot.x = plot.shows_histories && section.text("X").empty() ? "time" : required_name(section, "X", columns);
  plot.y = required_name(section, "Y", columns);
  plot.is_change = section.boolean("Change");
  if (plot.is_change && !plot.shows_histories) throw section.error("Change", "is for plots of histories.");
  plot.variants = known_variants(section, study);
  plot.x_label = section.text("X label");
  plot.y_label = section.text("Y label");
  plot.title = section.text("Title");
  plot.lines = known_groups(section, "Lines", study);
  const auto is_logarithmic = [&](const char *key)
  { return section.text(key) == "logarithmic" || (section.text(key) == "auto" && !plot.shows_histories); };
  plot.x_is_logarithmic = is_logarithmic("X scale");
  plot.y_is_logarithmic = is_logarithmic("Y scale");
  return plot;
}

void check_names(const ParameterSection &root, const StudySettings &study)
{
  std::set<std::string> names{"run", "status", "message", variant_column};
  const auto add = [&](const std::string &name)
  {
    if (!names.insert(name).second)
      throw root.error("", fmt::format("two columns of the table would be called \"{}\". Rename one of them.", name));
  };
  for (const auto &sweep : study.sweeps) add(sweep.name);
  for (const auto &measure : study.measures) add(measure.name);
  for (const auto &error : study.errors) add(error.column());
  for (const auto &expected : study.expected)
  {
    add(expected.name);
    add(expected.deviation_column());
  }
  for (const auto &deviation : study.deviations) add(deviation.column());
}

/// Zipped sweeps must fit, and variants that are named must exist.
void check_sweeps(const std::vector<const ParameterSection *> &sections, const StudySettings &study)
{
  for (std::size_t i = 0; i < study.sweeps.size(); ++i)
  {
    const Sweep &sweep = study.sweeps[i];
    known_variants(*sections[i], study);
    for (std::size_t j = 0; j < i && !sweep.group.empty(); ++j)
    {
      const Sweep &partner = study.sweeps[j];
      if (partner.group != sweep.group) continue;
      if (partner.values.size() != sweep.values.size())
        throw sections[i]->error("Group", fmt::format("{} values, but sweep {} of the same group has {}.", sweep.values.size(),
                                                      partner.name, partner.values.size()));
      if (partner.variants != sweep.variants)
        throw sections[i]->error("Group", fmt::format("sweep {} of the same group is for other variants.", partner.name));
    }
  }
}

void declare_span(ParameterSection &section)
{
  section.declare("From", "0", Pattern::number("s", Bounds::non_negative()), "Rows before this time do not count.");
  section.declare("To", "end", Pattern::number("s", Bounds::positive()).or_word("end"), "Nor those after this one.");
}

void declare_measures(ParameterSection &root)
{
  root.declare_list("Measure", "A column with one number of each run's history.",
                    [](ParameterSection &section)
                    {
                      section.declare("Quantity", "", Pattern::text(), "A column of history.csv.");
                      section.declare("Of", "final",
                                      Pattern::choice({"initial", "final", "final magnitude", "change", "minimum", "maximum",
                                                       "magnitude", "mean", "largest change", "growth exponent"}),
                                      "change: final - initial. magnitude: the largest absolute value. largest change: that of value "
                                      "- initial. growth exponent: the slope of the largest changes against the time, both "
                                      "logarithmic. The rest as it says.");
                      declare_span(section);
                    });
  root.declare_list("Error", "A column error_NAME: how far each run's history is from the reference.",
                    [](ParameterSection &section)
                    {
                      section.declare("Quantities", "", Pattern::text(),
                                      "Columns of history.csv, separated by commas, which together are one vector.");
                      section.declare("Exact", "", Pattern::text(),
                                      "Formulas of the time t, one for each quantity, separated by ; . Empty: the reference run.");
                      section.declare("Times", "all", Pattern::choice({"all", "end"}),
                                      "The largest error over all rows of the history whose times both runs have, or the last one's.");
                      section.declare("Relative", "true", Pattern::boolean(),
                                      "Divided by the largest length of the reference's vector at those times.");
                      section.declare("Of", "largest", Pattern::choice({"largest", "growth exponent"}),
                                      "The largest error, or the exponent of the time with which the error grows.");
                      declare_span(section);
                    });
  root.declare_list("Expected", "Numbers that a column of study.csv should have, such as a paper's: shown beside it as column NAME, "
                                "with the relative deviation in NAME_deviation (absolute where 0 is expected).",
                    [](ParameterSection &section)
                    {
                      section.declare("Quantity", "", Pattern::text(), "A column of study.csv.");
                      section.declare("Values", "", Pattern::text(),
                                      "A number for each row in the order of the table, separated by commas; - where none is known.");
                      section.declare("Tolerance", "none", Pattern::number("", Bounds::positive()).or_word("none"),
                                      "Deviations up to this count as agreement; how many do is told below the table.");
                      section.declare("Variants", "", Pattern::text(),
                                      "Only rows of these variants, separated by commas; all when empty.");
                    });
  root.declare_list("Deviation", "A column deviation_NAME: how far a number of each run is from what it should be.",
                    [](ParameterSection &section)
                    {
                      section.declare("Quantities", "", Pattern::text(),
                                      "A number of summary.json, such as measured.period, or a Measure; several, separated by "
                                      "commas, are added.");
                      section.declare("From", "", Pattern::text(),
                                      "What it should be: a number or a formula such as 2*pi. Empty: that of the reference run.");
                      section.declare("Relative", "true", Pattern::boolean(), "Divided by what it should be.");
                    });
}

void declare_fits_and_plots(ParameterSection &root)
{
  root.declare_list("Fit", "Slopes in double-logarithmic scale, with their uncertainty.",
                    [](ParameterSection &section)
                    {
                      section.declare("Quantity", "", Pattern::text(), "A column of study.csv.");
                      section.declare("Against", "", Pattern::text(),
                                      "One column of study.csv or several: quantity = C x^a y^b, fitted at once.");
                      section.declare("Separately for", "", Pattern::text(),
                                      "Names of sweeps, or variant: a fit for each of their values.");
                      section.declare("Expected", "", Pattern::numbers(), "The slopes of theory, shown beside those found.");
                      section.declare("Minimum", "0", Pattern::number("", Bounds::non_negative()),
                                      "Rows with a smaller quantity are left out, such as errors at the level of rounding.");
                      section.declare("Maximum", "0", Pattern::number("", Bounds::non_negative()),
                                      "Rows with a larger quantity are left out; 0: none.");
                      section.declare("Variants", "", Pattern::text(),
                                      "Only rows of these variants, separated by commas; all when empty.");
                    });
  root.declare_list("Average", "A table NAME.csv: the mean over runs, with its standard error, of a table that each of them has.",
                    [](ParameterSection &section)
                    {
                      section.declare("Table", "history", Pattern::text(),
                                      "TABLE.csv in the folder of each run, such as history or radial_distribution.");
                      section.declare("Along", "time", Pattern::text(),
                                      "The column that tells rows apart; it must be the same in all runs that are averaged.");
                      section.declare("Quantities", "", Pattern::text(),
                                      "Columns of the table, separated by commas; all when empty.");
                      section.declare("Separately for", "", Pattern::text(),
                                      "Names of sweeps, or variant: a mean for each of their values. Over the rest is averaged.");
                    });
  root.declare_list("Plot", "A picture NAME.png of the table.",
                    [](ParameterSection &section)
                    {
                      section.declare("Title", "", Pattern::text(), "Above the picture; the title of the study when empty.");
                      section.declare("Of", "table", Pattern::choice({"table", "histories"}),
                                      "table: points of study.csv. histories: a curve of each run's history.csv.");
                      section.declare("X", "", Pattern::text(), "A column of study.csv, or of history.csv (empty: time).");
                      section.declare("Y", "", Pattern::text(), "A column of study.csv, or of history.csv.");
                      section.declare("Change", "false", Pattern::boolean(), "Of histories: Y less its first value.");
                      section.declare("Lines", "", Pattern::text(), "Names of sweeps, or variant: a line for each of their values.");
                      section.declare("X label", "", Pattern::text(), "With its unit; made from the column when empty.");
                      section.declare("Y label", "", Pattern::text(), "With its unit; made from the column when empty.");
                      const Pattern scales = Pattern::choice({"auto", "logarithmic", "linear"});
                      section.declare("X scale", "auto", scales, "Of the axis. auto: linear for histories, else logarithmic.");
                      section.declare("Y scale", "auto", scales, "Of the axis. auto: linear for histories, else logarithmic.");
                      section.declare("Variants", "", Pattern::text(),
                                      "Only rows of these variants, separated by commas; all when empty.");
                    });
}
}  // namespace

void declare_study_parameters(ParameterSection &root, bool run_parameters)
{
  const auto declare_run = [run_parameters](ParameterSection &section)
  {
    if (run_parameters) Simulation::declare_parameters(section);
  };
  root.declare("Title", "", Pattern::text(), "What the study is about.");
  root.declare("Base", "", Pattern::text(), "The parameter file that all runs start from; its path from the study file.");
  root.declare("Columns", "", Pattern::text(),
               "Columns of the printed table beside the swept ones, separated by commas; study.csv always has all.");
  declare_run(root.section("Settings", "Parameters of all runs, in the same sections as in the base file."));
  root.declare_list("Variant", "A named set of parameters, such as an integrator and its settings; every variant goes through all "
                               "sweeps. Holds the same sections as the base file.", declare_run);
  root.declare_list("Sweep", "A parameter and the values that it goes through.", declare_sweep_parameters);
  auto &reference = root.section("Reference", "The run that errors and deviations are measured from, where nothing exact is given.");
  reference.declare("Separately for", "", Pattern::text(),
                    "Names of sweeps, or variant: a reference run for each of their values. Other sweeps do not touch it.");
  declare_run(reference.section("Settings", "Parameters of the reference run, in the same sections as in the base file."));
  declare_measures(root);
  declare_fits_and_plots(root);
}

StudySettings parse_study_parameters(const ParameterSection &root, const std::string &file)
{
  StudySettings study;
  study.title = root.text("Title").empty() ? std::filesystem::path(file).stem().string() : root.text("Title");
  if (root.text("Base").empty()) throw root.error("Base", "must name the parameter file that all runs start from.");
  study.base_file = (std::filesystem::path(file).parent_path() / root.text("Base")).lexically_normal().string();
  study.table_columns = split(root.text("Columns"), ',');
  collect_settings(root.section("Settings"), "", study.common);
  for (const auto *section : root.list("Variant"))
  {
    if (section->label().empty()) throw section->error("", "needs a name: subsection Variant NAME");
    study.variants.push_back({section->label(), {}});
    collect_settings(*section, "", study.variants.back().settings);
  }
  if (study.variants.empty()) study.variants.push_back({});
  const auto sweeps = root.list("Sweep");
  for (const auto *section : sweeps) study.sweeps.push_back(parse_sweep_parameters(*section));
  if (study.sweeps.empty() && root.list("Variant").empty())
    throw root.error("", "there is nothing to vary. Add a subsection Sweep NAME or two subsections Variant NAME.");
  check_sweeps(sweeps, study);
  const auto &reference = root.section("Reference");
  study.reference_separately_for = known_groups(reference, "Separately for", study);
  collect_settings(reference.section("Settings"), "", study.reference);
  for (const auto *section : root.list("Measure")) study.measures.push_back(parse_measure(*section));
  for (const auto *section : root.list("Error")) study.errors.push_back(parse_error(*section));
  for (const auto *section : root.list("Expected")) study.expected.push_back(parse_expected(*section, study));
  for (const auto *section : root.list("Deviation")) study.deviations.push_back(parse_deviation(*section));
  for (const auto *section : root.list("Fit")) study.fits.push_back(parse_fit(*section, study));
  for (const auto *section : root.list("Average")) study.averages.push_back(parse_average(*section, study));
  for (const auto *section : root.list("Plot")) study.plots.push_back(parse_plot(*section, study));
  check_names(root, study);
  return study;
}
}  // namespace freefall

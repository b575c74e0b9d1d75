#pragma once

#include <run_program.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

/// A body on a spring, omega = 1: x = cos(t) over one unit of time, by a fraction of a second of computing.
inline void write_oscillator(const std::filesystem::path &file)
{
  std::ofstream(file) << R"(
set Problem  = particles
set End time = 1
subsection Particles
  set Dimension = 1
  subsection Particle body
    set Position = 1
  end
end
subsection Potentials
  set On-site = q^2/2
end
subsection Integrator
  set Name = explicit Newmark
  subsection Explicit Newmark
    set Time step = 0.1
  end
end
subsection Output
  set History interval  = 0.5
  set Snapshot interval = none
end
)";
}

/// The lines of a file; for study.csv the first is the header.
inline std::vector<std::string> lines_of(const std::filesystem::path &file)
{
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Entries of a line without quoted commas.
inline std::vector<std::string> entries_of(const std::string &line)
{
  std::vector<std::string> entries(1);
  for (const char c : line)
    if (c == ',')
      entries.emplace_back();
    else
      entries.back() += c;
  return entries;
}

/// One column of a CSV file, without the header.
inline std::vector<std::string> column_of(const std::filesystem::path &file, const std::string &name)
{
  const auto lines = lines_of(file);
  const auto header = entries_of(lines.at(0));
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) throw std::runtime_error(file.string() + " has no column " + name);
  std::vector<std::string> column;
  for (std::size_t i = 1; i < lines.size(); ++i) column.push_back(entries_of(lines[i]).at(found - header.begin()));
  return column;
}

#include "../fuzz_target.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

// libFuzzer's way in, for all targets: fuzz CORPUS --target=NAME. fuzz --seeds=FOLDER writes the corpora to begin with.

namespace
{
const FuzzTarget *target = nullptr;

void write_seeds(const std::filesystem::path &folder)
{
  for (const auto &each : fuzz_targets())
  {
    std::filesystem::create_directories(folder / each.name);
    int number = 0;
    for (const auto &seed : each.seeds())
      std::ofstream(folder / each.name / ("seed_" + std::to_string(number++) + each.extension), std::ios::binary) << seed;
  }
}
}  // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  for (int i = 1; i < *argc; ++i)
  {
    const std::string argument = (*argv)[i], seeds = "--seeds=", name = "--target=";
    if (argument.compare(0, seeds.size(), seeds) == 0)
    {
      write_seeds(argument.substr(seeds.size()));
      std::exit(0);
    }
    for (const auto &each : fuzz_targets())
      if (argument == name + each.name) target = &each;
  }
  if (target) return 0;
  std::fprintf(stderr, "fuzz: say --target=NAME, one of:");
  for (const auto &each : fuzz_targets()) std::fprintf(stderr, " %s", each.name.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  target->run(std::string(reinterpret_cast<const char *>(data), size));
  return 0;
}

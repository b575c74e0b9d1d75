#include <freefall/core/errors.h>
#include <freefall/study/study.h>

#include "../fuzz_target.h"
#include "../input_file.h"

#include <sstream>

using namespace freefall;

namespace
{
/// What study files of the corpus build on, in their own folder.
const char *const base = "subsection Body cube\n  subsection Mesh\n    set Type = cube\n  end\nend\n"
                         "subsection Contact\n  subsection Plane wall\n  end\nend\nset End time = 1e-6\n";
}  // namespace

namespace fuzzing
{
void run_study(const std::string &bytes)
{
  const InputFile base_file("base.prm", base);
  std::string text = bytes;
  // The corpus' studies stand in folders of their own: whatever base they name, it is this one.
  const auto key = text.find("set Base");
  if (key != std::string::npos) text.replace(key, text.find('\n', key) - key, "set Base = " + base_file.path());
  const InputFile file(text.find('{') == text.find_first_not_of(" \t\r\n") ? "study.json" : "study.prm", text);
  try
  {
    const Study study(file.path());
    // The rows of most studies; those of thousands of runs are made one by one.
    if (study.plan().rows.size() > 500) return;
    std::ostringstream list;
    study.list(list);
  }
  catch (const InputError &)
  {
  }
}
}  // namespace fuzzing

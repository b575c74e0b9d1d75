#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fuzzing
{
/// Changes inputs as a searcher without coverage can: flipped and lost bytes, cuts, repetitions, numbers beyond all measure,
/// pieces of other inputs. The same seed gives the same changes on every machine.
class Mutator
{
public:
  explicit Mutator(std::uint32_t seed) : generator_(seed) {}

  /// One of the seeds after one to four changes.
  std::string mutate(const std::vector<std::string> &seeds)
  {
    std::string bytes = seeds[below(seeds.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) change(bytes, seeds);
    return bytes;
  }

private:
  /// From 0 to n - 1. Not a distribution of the library, whose numbers differ between libraries.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : generator_() % n; }

  void change(std::string &bytes, const std::vector<std::string> &seeds)
  {
    const std::size_t at = below(bytes.size() + 1), length = std::min(bytes.size() - at, 1 + below(64));
    switch (below(9))
    {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 5:
        for (std::size_t n = below(200); n > 0 && bytes.size() < 100'000; --n) bytes.insert(at, bytes.substr(at, length));
        break;
      case 6:
      {
        const std::string &other = seeds[below(seeds.size())];
        const std::size_t from = below(other.size() + 1);
        bytes.replace(at, length, other.substr(from, below(200)));
        break;
      }
      case 7:
        replace_number(bytes, at);
        break;
      default:
        swap_lines(bytes, at);
    }
  }

  void replace_number(std::string &bytes, std::size_t at)
  {
    static const char *const numbers[] = {"0",    "-1",   "1e308", "-1e308", "1e-320", "nan",        "inf",
                                          "1e9",  "1e99", "0x10",  "1,5",    "",       "2147483648", "-2147483648",
                                          "1e+",  "--1",  "65536", "99999999", "9223372036854775808", "18446744073709551615"};
    const std::size_t begin = bytes.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(bytes.find_first_not_of("0123456789.eE+-", begin), bytes.size());
    bytes.replace(begin, end - begin, numbers[below(std::size(numbers))]);
  }

  void swap_lines(std::string &bytes, std::size_t at)
  {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) return;
    const std::size_t begin = at == 0 ? 0 : bytes.rfind('\n', at - 1) + 1;
    const std::string line = bytes.substr(begin, end + 1 - begin);
    bytes.erase(begin, line.size());
    const std::size_t place = bytes.find('\n', below(bytes.size() + 1));
    bytes.insert(place == std::string::npos ? bytes.size() : place + 1, line);
  }

  std::mt19937 generator_;
};
}  // namespace fuzzing

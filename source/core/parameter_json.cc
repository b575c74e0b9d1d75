#include <fmt/format.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace freefall
{
namespace
{
constexpr std::size_t deepest_nesting = 32;

/// Walks over a text and tells how far it came: the parser, which holds a copy of the iterator, does not say where it is.
class TracingIterator
{
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  TracingIterator(const char *position, const char **furthest) : position_(position), furthest_(furthest) {}
  reference operator*() const { return *position_; }
  TracingIterator &operator++()
  {
    *furthest_ = ++position_;
    return *this;
  }
  TracingIterator operator++(int)
  {
    TracingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TracingIterator &other) const { return position_ == other.position_; }
  bool operator!=(const TracingIterator &other) const { return position_ != other.position_; }

private:
  const char *position_;
  const char **furthest_;
};

/// Takes the events of nlohmann's parser and sets parameters.
class JsonReader : public nlohmann::json_sax<nlohmann::json>
{
public:
  JsonReader(const std::string &text, std::string file, ParameterSection &root)
    : furthest_(text.data()), counted_(text.data()), file_(std::move(file)), root_(root)
  {
  }

  const char **furthest() { return &furthest_; }

  bool null() override { throw error("null is not a value. Leave the key out to get its default."); }
  bool boolean(bool value) override
  {
    if (in_array_) throw not_a_number_in_array();
    return set(value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t &typed) override { return number(typed); }
  bool string(string_t &value) override
  {
    if (in_array_) throw not_a_number_in_array();
    return set(value);
  }
  bool binary(binary_t &) override { throw error("binary values are not allowed."); }

  bool start_object(std::size_t) override
  {
    if (in_array_) throw not_a_number_in_array();
    if (open_.size() > deepest_nesting) throw error(fmt::format("sections are nested more than {} deep.", deepest_nesting));
    ParameterSection &section = open_.empty() ? root_ : open_.back().section->enter(key_, origin());
    open_.push_back({&section, {}});
    return true;
  }

  bool key(string_t &name) override
  {
    key_ = normalise_blanks(name);
    key_line_ = line();
    const auto [earlier, is_new] = open_.back().lines.emplace(key_, key_line_);
    if (!is_new) throw error(fmt::format("is given twice, the first time in line {}. Remove one of the two.", earlier->second));
    return true;
  }

  bool end_object() override
  {
    open_.pop_back();
    return true;
  }

  bool start_array(std::size_t) override
  {
    if (in_array_) throw not_a_number_in_array();
    require_key();
    in_array_ = true;
    array_.clear();
    return true;
  }

  bool end_array() override
  {
    in_array_ = false;
    return set(join(array_, ", "));
  }

  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &exception) override
  {
    // "[json.exception.parse_error.101] parse error at line 3, column 2: syntax error ...": our place says the rest.
    std::string what = exception.what();
    const std::size_t place = what.find("column");
    what = place == std::string::npos ? what.substr(std::min(what.find("] ") + 2, what.size())) : what.substr(place);
    throw InputError(fmt::format("{}:{}: is not valid JSON: {}.", file_, line(), abbreviate(what)));
  }

private:
  struct OpenObject
  {
    ParameterSection *section;
    /// The lines of the keys and sections so far.
    std::map<std::string, int> lines;
  };

  bool number(const std::string &text)
  {
    if (!in_array_) return set(text);
    array_.push_back(text);
    return true;
  }

  bool set(const std::string &value)
  {
    require_key();
    open_.back().section->set(key_, value, origin());
    return true;
  }

  void require_key() const
  {
    if (open_.empty()) throw InputError(fmt::format("{}: must be an object: {{ \"Section\": {{ \"Key\": value }} }}.", file_));
  }

  InputError not_a_number_in_array() const { return error("an array may contain numbers only."); }

  InputError error(const std::string &what) const
  {
    require_key();
    const std::string section = open_.back().section->path();
    return InputError(fmt::format("{}: {}{}{}: {}", origin().place(), section, section.empty() ? "" : "/", key_, what));
  }

  ParameterOrigin origin() const { return {file_, key_line_}; }

  int line()
  {
    line_ += static_cast<int>(std::count(counted_, furthest_, '\n'));
    counted_ = furthest_;
    return line_;
  }

  const char *furthest_;
  /// The lines up to here are counted in line_.
  const char *counted_;
  int line_ = 1;
  std::string file_;
  ParameterSection &root_;
  std::vector<OpenObject> open_;
  std::string key_;
  int key_line_ = 0;
  bool in_array_ = false;
  std::vector<std::string> array_;
};
}  // namespace

void read_json(const std::string &text, const std::string &file, ParameterSection &root)
{
  root.begin_file(file);
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos)
    throw InputError(fmt::format("{}:{}: contains a NUL byte. Is it a text file (in UTF-8)?", file,
                                 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')));
  if (trim(text).empty()) return;
  JsonReader reader(text, file, root);
  nlohmann::json::sax_parse(TracingIterator(text.data(), reader.furthest()),
                            TracingIterator(text.data() + text.size(), reader.furthest()), &reader);
}
}  // namespace freefall

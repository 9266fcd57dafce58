// Do the forms in which strace writes a recording agree, wherever the order of lines decides?
// Recordings of `strace -f -ttt -T` are rewritten into the other forms.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "tests/wild/helper.h"
#include "traces/input.h"

using namespace fcsim;
namespace fs = std::filesystem;

namespace {

using test::Counted;

enum class Form { none, durations, seconds, microseconds_of_day, relative, epoch, milliseconds };

struct NamedForm {
  Form form;
  const char* options;
};
constexpr NamedForm kForms[] = {
    {Form::none, "-f"},
    {Form::durations, "-f -T"},
    {Form::seconds, "-f -t"},
    {Form::microseconds_of_day, "-f -tt"},
    {Form::relative, "-f -r"},
    {Form::epoch, "-f -ttt"},
    {Form::milliseconds, "-f --absolute-timestamps=format:unix,precision:ms"},
};

// "PID SECONDS.MICROSECONDS REST", REST perhaps with a duration at its end.
struct Line {
  std::string pid, rest, without_duration;
  std::int64_t us = 0;
};

bool split(const std::string& text, Line& line) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return false;
  const std::size_t time = text.find_first_not_of(' ', blank);
  const std::size_t point = text.find('.', time);
  if (time == std::string::npos || point != time + 10 || text.size() < point + 8) return false;
  line.pid = text.substr(0, time);
  line.us = std::stoll(text.substr(time, 10)) * 1'000'000 + std::stoll(text.substr(point + 1, 6));
  line.rest = text.substr(point + 8);
  line.without_duration = line.rest;
  const std::size_t open = line.rest.rfind(" <");
  if (line.rest.ends_with('>') && open != std::string::npos &&
      line.rest.find_first_not_of("0123456789.", open + 2) == line.rest.size() - 1)
    line.without_duration.resize(open);
  return true;
}

std::string column(Form form, const Line& line, std::int64_t last_us) {
  constexpr std::int64_t kSecond = 1'000'000;
  const auto seconds = static_cast<long long>(line.us / kSecond);
  const auto fraction = static_cast<long long>(line.us % kSecond);
  const long long day = seconds % 86'400;
  const long long since = line.us > last_us ? line.us - last_us : 0;
  char text[64] = "";
  switch (form) {
    case Form::none:
    case Form::durations:
      break;
    case Form::seconds:
      std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld ", day / 3600, day / 60 % 60,
                    day % 60);
      break;
    case Form::microseconds_of_day:
      std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld.%06lld ", day / 3600, day / 60 % 60,
                    day % 60, fraction);
      break;
    case Form::relative:
      std::snprintf(text, sizeof text, "%6lld.%06lld ", since / kSecond, since % kSecond);
      break;
    case Form::epoch:
      std::snprintf(text, sizeof text, "%lld.%06lld ", seconds, fraction);
      break;
    case Form::milliseconds:
      std::snprintf(text, sizeof text, "%lld.%03lld ", seconds, fraction / 1000);
      break;
  }
  return text;
}

std::string rewrite(const std::string& text, Form form) {
  std::istringstream lines(text);
  std::string result;
  std::int64_t last_us = INT64_MAX;
  for (std::string raw; std::getline(lines, raw);) {
    Line line;
    if (!split(raw, line)) {
      result += raw + "\n";
      continue;
    }
    result += line.pid + column(form, line, last_us) +
              (form == Form::durations ? line.rest : line.without_duration) + "\n";
    last_us = line.us;
  }
  return result;
}

std::string content_of(const std::string& path) {
  const auto source = traces::open_source(path);
  std::string text;
  for (std::string part; !(part = traces::read_head(*source, 1U << 20)).empty();) text += part;
  return text;
}

void check_forms(const fs::path& bundle) {
  const std::string text = content_of((bundle / "trace.strace.zst").string());
  const Counted expected = test::counted(test::predict(bundle.string()));
  const fs::path copy = fs::path(FCSIM_BINARY_DIR) / "wild-forms";
  fs::remove_all(copy);
  fs::create_directories(copy);
  for (const char* name : {"env.toml", "manifest.tsv", "truth.toml"})
    if (fs::exists(bundle / name)) fs::copy_file(bundle / name, copy / name);
  for (const NamedForm& form : kForms) {
    std::ofstream(copy / "trace.strace", std::ios::binary) << rewrite(text, form.form);
    INFO(bundle.string() << " as strace " << form.options << " writes it");
    CHECK(test::counted(test::predict(copy.string())) == expected);
  }
  fs::remove_all(copy);
}

}  // namespace

TEST_CASE("the seven forms of strace agree on recordings whose order decides", "[wild]") {
  const fs::path corpus = fs::path(FCSIM_SOURCE_DIR) / "../shared/corpus";
  if (!fs::is_directory(corpus)) {
    std::cout << "skipped: there is no corpus at ../shared/corpus\n";
    return;
  }
  std::ifstream list(std::string(FCSIM_SOURCE_DIR) + "/tests/wild/forms.txt");
  int checked = 0;
  for (std::string name; std::getline(list, name);) {
    if (name.empty() || name.starts_with('#')) continue;
    check_forms(corpus / name);
    ++checked;
  }
  CHECK(checked >= 40);
}

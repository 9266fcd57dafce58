#include "sim/command/help_formatter.h"

#include <CLI/CLI.hpp>
#include <regex>

namespace fcsim::command {
namespace {

constexpr std::size_t kDescriptionWidth = 50;  // after CLI11's column of 30

std::string broken_into_lines(const std::string& text) {
  std::string lines;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool fits = used == 0 || used + 1 + word.size() <= kDescriptionWidth;
    if (!lines.empty()) lines += fits ? ' ' : '\n';
    used = fits && used != 0 ? used + 1 + word.size() : word.size();
    lines += word;
    begin = end + 1;
  }
  return lines;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
    static const std::regex limits(R"(:(\{[^}]*\}|[A-Z]+ in \[[^\]]*\]|[A-Z]+))");
    return std::regex_replace(CLI::Formatter::make_option_opts(option), limits, "");
  }
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    return broken_into_lines(CLI::Formatter::make_option_desc(option));
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

}  // namespace fcsim::command

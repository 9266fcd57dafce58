#include "sim/configuration/nesting.h"

#include <algorithm>
#include <string>

namespace fcsim::configuration {
namespace {

class NestingCheck {
 public:
  NestingCheck(std::string_view text, const model::Position& position)
      : text_(text), start_(position), position_(position) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        skip_comment();
      else
        structure(c);
    }
  }

 private:
  void structure(char c) {
    if (static_cast<unsigned char>(c) >= 0x80)
      fail("a character that is not ASCII stands outside of a string");
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') depth_ = std::max(0, depth_ - 1);
    if (c == '.') ++dots_;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots_ = 0;
    if (depth_ > kNestingMaximum || dots_ >= kNestingMaximum)
      fail("keys, arrays or tables lie more than " + std::to_string(kNestingMaximum) +
           " deep within each other");
    advance(1);
  }

  void skip_comment() { advance(std::min(text_.find('\n', at_), text_.size()) - at_); }

  // One that has no end in its line, or in the text, is left to the parser to report.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    advance(lines ? 3 : 1);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!lines && c == '\n') return;
      if (lines ? text_.substr(at_, 3) == three : c == quote) {
        advance(lines ? 3 : 1);
        while (lines && at_ < text_.size() && text_[at_] == quote) advance(1);
        return;
      }
      advance(c == '\\' && quote == '"' ? 2 : 1);
    }
  }

  // Columns count characters, not bytes.
  void advance(std::size_t count) {
    for (; count != 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] == '\n') {
        ++position_.line;
        position_.column = 1;
      } else if ((static_cast<unsigned char>(text_[at_]) & 0xc0U) != 0x80U) {
        ++position_.column;
      }
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw model::InputError(start_.line == 0 ? start_ : position_, message);
  }

  std::string_view text_;
  model::Position start_;  // without a line: of what is no file
  model::Position position_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int dots_ = 0;
};

}  // namespace

void check_nesting(std::string_view text, const model::Position& position) {
  NestingCheck(text, position).run();
}

}  // namespace fcsim::configuration

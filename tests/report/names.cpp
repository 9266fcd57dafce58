// Do names with any bytes survive each form?
#include <random>

#include "sim/support/json.h"
#include "sim/support/text.h"
#include "sim/support/utf8.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

std::string through_json(const std::string& bytes) {
  const auto parsed =
      support::Json::parse(support::json_string(bytes));  // throws if it is not JSON
  return support::name_from_json(parsed.get<std::string>());
}

}  // namespace

TEST_CASE("names of any bytes come back from JSON", "[json]") {
  for (const std::string& name :
       {std::string("plain"), std::string("größe"), std::string("\xff"), std::string("a\x80z"),
        std::string("\xc3"), std::string("\xed\xa0\x80"), std::string("\xee\xbe\x80"),
        std::string("\xee\xbe\x80\x80"), std::string("line\nfeed\t\"quote\\"),
        std::string("\x7f\xc2\x85"), std::string("\xf0\x9f\x98\x80"), std::string("\0x", 2)})
    CHECK(through_json(name) == name);
}

TEST_CASE("random bytes come back from JSON, and differ where the names do", "[json]") {
  std::mt19937 random(7);
  const std::string pieces[] = {"a",    "\xc3", "\xbc", "\xee", "\xbe",
                                "\x80", "\xff", "\xf0", "\x9f"};
  for (int i = 0; i < 5000; ++i) {
    std::string name;
    for (std::size_t size = random() % 8; size != 0; --size)
      name += pieces[random() % std::size(pieces)];
    CHECK(through_json(name) == name);
  }
}

TEST_CASE("what is UTF-8 stays as it is in JSON", "[json]") {
  CHECK(support::json_string("größe") == "\"größe\"");
  CHECK(support::json_string("\xff") == "\"\xee\xbf\xbf\"");  // U+EFFF
  CHECK(support::json_string("\x7f") == "\"\\u007f\"");
  CHECK(support::json_string("\x1b[31m") == "\"\\u001b[31m\"");
}

TEST_CASE("JSON that fits is on one line, except for the outermost", "[json]") {
  const support::Json value = {{"a", 1}, {"list", {1, 2}}, {"long", std::string(120, 'x')}};
  CHECK(support::json_text(value) ==
        "{\n  \"a\": 1,\n  \"list\": [1, 2],\n  \"long\": \"" + std::string(120, 'x') + "\"\n}\n");
  CHECK(support::Json::parse(support::json_text(value)) == value);
  CHECK(support::json_decimal(2.0 / 3, 3) == 0.667);
  CHECK(support::json_decimal(std::numeric_limits<double>::quiet_NaN(), 3).is_null());
}

TEST_CASE("nothing in a name reaches the terminal as a command", "[text]") {
  CHECK(support::printable("plain größe") == "plain größe");
  CHECK(support::printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(support::printable("\x1b[2J") == "\\x1b[2J");
  CHECK(support::printable("\xc2\x9b") == "\\xc2\\x9b");  // CSI as one character
  CHECK(support::printable("\xe2\x80\xae"
                           "evil") ==
        "\\xe2\\x80\\xae"
        "evil");  // right to left
  CHECK(support::printable("\xff\x80") == "\\xff\\x80");
  CHECK(support::display_width("größe") == 5);
}

TEST_CASE("CSV fields are quoted, and no spreadsheet takes one for a formula", "[csv]") {
  CHECK(support::csv_field("a,b") == "\"a,b\"");
  CHECK(support::csv_field("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(support::csv_field("=1+1") == "'=1+1");
  CHECK(support::csv_field("\t=1+1") == "'\\t=1+1");
  CHECK(support::csv_field("a\x1b[2J\n\xff") == "a\\x1b[2J\\n\\xff");
  CHECK(support::csv_field("@SUM(A1)") == "'@SUM(A1)");
  CHECK(support::csv_field("-k 7.2") == "'-k 7.2");
  CHECK(support::csv_field("+x,y") == "\"'+x,y\"");
  CHECK(support::csv_field("-12.5") == "-12.5");
  CHECK(support::csv_field("+3") == "+3");
  CHECK(support::csv_field("-") == "-");
  CHECK(support::csv_field("") == "");
}

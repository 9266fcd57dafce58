// Is a page one file that says what the text form says, whatever names a trace has?
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "sim/report/page/figures.h"
#include "sim/report/page/html.h"
#include "sim/report/page/page_document.h"
#include "sim/support/json.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/console.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::string kNasty =
    "<script>alert(1)</script>\"'&\xff\x80]]>--><img src=x onerror=alert(2)>";

// A trace of `count` appends with fsync to a file of that name.
std::string trace_with(const std::string& name, unsigned count) {
  std::string text;
  unsigned us = 0;
  const auto line = [&](const std::string& call) {
    char time[64];
    std::snprintf(time, sizeof time, "%u.%06u", 1700000000 + us / 1000000, us % 1000000);
    text += "100 " + std::string(time) + " " + call + "\n";
    us += 600;
  };
  line("openat(AT_FDCWD</mnt/t>, \"/mnt/t/" + name + "\", O_RDWR|O_CREAT, 0644) = 3</mnt/t/" +
       name + "> <0.000020>");
  for (unsigned i = 0; i < count; ++i) {
    line("write(3</mnt/t/" + name + ">, \"x\"..., 4096) = 4096 <0.000010>");
    line("fsync(3</mnt/t/" + name + ">) = 0 <0.000400>");
  }
  return text;
}

std::string file_in_build(const std::string& name, const std::string& text) {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-page-" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string page_of(const std::string& arguments, const std::string& name) {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-page-" + name + ".html";
  std::filesystem::remove(path);
  const Outcome outcome = run("report " + arguments + " -o '" + path + "'");
  INFO(outcome.errors);
  CHECK(outcome.status == 0);
  return path;
}

// strace's form of a name with bytes that are not printed as they are.
std::string as_strace_quotes(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%o",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += octal;
    } else if (c != '/') {
      text += c;
    }
  }
  return text;
}

std::string nasty_trace() {
  return file_in_build("nasty.strace", trace_with(as_strace_quotes(kNasty), 60));
}

// The parts of the page that are not ours: Vega's text holds addresses that nothing asks for.
std::string without_scripts(const std::string& html) {
  std::string text;
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = html.find("<script>", at);
    text += html.substr(at, begin - at);
    if (begin == std::string::npos) return text;
    at = html.find("</script>", begin);
  }
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// ---- a browser ------------------------------------------------------------------------------

struct Seen {
  std::string dom;
  std::string errors;  // of the console
};

std::string no_browser() {
  if (std::system("chromium --version >/dev/null 2>&1") != 0) return "there is no chromium";
  if (!report::page::has_figures()) return "this build has no Vega";
  return "";
}

Seen look_in_browser(const std::string& path, unsigned width) {
  const std::string profile = std::string(FCSIM_BINARY_DIR) + "/test-chromium";
  const std::string errors = path + ".errors";
  Seen seen;
  seen.dom = fcsim::test::shell_output(
      "timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-background-networking "
      "--disable-component-update --no-first-run --hide-scrollbars --user-data-dir='" +
      profile + "' --virtual-time-budget=20000 --window-size=" + std::to_string(width) +
      ",2000 --enable-logging=stderr --dump-dom 'file://" + path + "' 2>'" + errors + "'");
  std::istringstream lines(read_file(errors));
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) seen.errors += line + "\n";
  return seen;
}

std::string attribute(const std::string& dom, const std::string& name) {
  std::smatch match;
  const std::regex expression("<html[^>]* " + name + "=\"([^\"]*)\"");
  const std::string head = dom.substr(0, 2000);
  return std::regex_search(head, match, expression) ? match[1].str() : "";
}

// How many bars and points each figure drew. Vega puts the marks of one kind into an element that
// holds their shapes and nothing else.
std::vector<std::size_t> marks_of(const std::string& dom) {
  std::vector<std::size_t> marks;
  for (std::size_t at = dom.find("<svg"); at != std::string::npos; at = dom.find("<svg", at + 1)) {
    const std::string figure = dom.substr(at, dom.find("</svg>", at) - at);
    std::size_t drawn = 0;
    for (const char* kind :
         {"<g class=\"mark-rect role-mark\"", "<g class=\"mark-symbol role-mark\""})
      for (std::size_t group = figure.find(kind); group != std::string::npos;
           group = figure.find(kind, group + 1))
        drawn += count_of(figure.substr(group, figure.find("</g>", group) - group), "<path");
    marks.push_back(drawn);
  }
  return marks;
}

}  // namespace

TEST_CASE("the knee of a curve is where more brings little more", "[page]") {
  using report::page::knee_of;
  const std::vector<std::pair<double, double>> falling = {{128, 188}, {256, 94}, {512, 47},
                                                          {1024, 8},  {2048, 4}, {4096, 4}};
  const auto knee = knee_of(falling, true);
  REQUIRE(knee);
  CHECK(falling[*knee].first == 1024);
  CHECK_FALSE(knee_of({{1, 10}, {2, 9}, {3, 8}, {4, 7}}, false));
  CHECK_FALSE(knee_of({{1, 3}, {2, 4}, {3, 9}}, false));
  CHECK_FALSE(knee_of({{1, 3}, {2, 1}}, false));
}

TEST_CASE("text of a document is text on the page", "[page]") {
  report::Document document(kNasty);
  document.preface(kNasty);
  document.heading(kNasty);
  document.line(kNasty);
  document.item(kNasty);
  document.code(kNasty);
  document.count(kNasty, 3, kNasty);
  report::Table table({"name", "n"}, {true});
  table.add({kNasty, "3"}, kNasty);
  document.table(table);
  document.figure(report::page::stacked_bars(kNasty, table, "name", {"n"}, "n"));
  const std::string html = report::page::html_of(document);
  const std::string ours = without_scripts(html);
  CHECK(ours.find("<img") == std::string::npos);
  CHECK(ours.find("<script>alert") == std::string::npos);
  CHECK(html.find("alert(1)</script>") == std::string::npos);
  CHECK(html.find('\xff') == std::string::npos);
  CHECK(ours.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\xff\\x80") !=
        std::string::npos);
}

TEST_CASE("a page asks for nothing", "[page]") {
  const std::string html = read_file(page_of("tests/bundles/rfc-sparse-r4", "requests"));
  CHECK(html.find("default-src 'none'") != std::string::npos);
  const std::string ours = without_scripts(html);
  for (const char* way : {"src=", "href=\"http", "url(", "@import", "sourceMappingURL"})
    CHECK(ours.find(way) == std::string::npos);
  CHECK(html.find("sourceMappingURL") == std::string::npos);
}

TEST_CASE("text and Markdown say the same numbers as the page", "[page]") {
  const std::string arguments =
      "tests/bundles/rfc-sparse-r4 -p filesystem.fast_commit_kib=256..4096*2 --set-b "
      "mount.barrier=false";
  const std::string html = without_scripts(read_file(page_of(arguments, "same")));
  const std::string markdown = run("report " + arguments + " -f markdown").output;
  std::vector<std::string> cells;
  const std::regex cell("<td[^>]*>([^<]*)</td>");
  for (std::sregex_iterator i(html.begin(), html.end(), cell), end; i != end; ++i)
    if (!(*i)[1].str().empty()) cells.push_back((*i)[1]);
  std::vector<std::string> other;
  std::istringstream lines(markdown);
  for (std::string line, before; std::getline(lines, line); before = line) {
    if (!line.starts_with("|") || line.starts_with("|-")) continue;
    if (!before.starts_with("|")) continue;  // a header
    std::istringstream parts(line.substr(1));
    for (std::string part; std::getline(parts, part, '|');) {
      const std::size_t begin = part.find_first_not_of(' ');
      if (begin == std::string::npos) continue;
      other.push_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
    }
  }
  const std::multiset<std::string> in_page(cells.begin(), cells.end());
  REQUIRE(in_page.size() > 1000);
  const auto plain = [](std::string text) {
    std::erase(text, '\\');
    for (const auto& [from, to] :
         {std::pair("&#39;", "'"), std::pair("&quot;", "\""), std::pair("&lt;", "<"),
          std::pair("&gt;", ">"), std::pair("&amp;", "&")})
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
        text.replace(at, std::string(from).size(), to);
    return text;
  };
  std::multiset<std::string> page;
  std::multiset<std::string> text;
  for (const std::string& value : cells) page.insert(plain(value));
  for (const std::string& value : other) text.insert(plain(value));
  CHECK(page == text);
}

TEST_CASE("a page of many events stays small", "[page]") {
  const std::string trace = file_in_build("many.strace", trace_with("log", 100'000));
  const std::string page = page_of("'" + trace + "' --mount-point /mnt/t --no-exposure", "many");
  CHECK(std::filesystem::file_size(page) < 2 * 1024 * 1024);
  std::filesystem::remove(trace);
}

TEST_CASE("every folder is a trace of its own on the page", "[page]") {
  const std::string html = without_scripts(
      read_file(page_of("tests/bundles/rename tests/bundles/append-fsync --no-exposure", "two")));
  CHECK(html.find("<h2>tests/bundles/rename</h2>") != std::string::npos);
  CHECK(html.find("<h2>tests/bundles/append-fsync</h2>") != std::string::npos);
}

TEST_CASE("report says what it needs", "[page]") {
  CHECK(run("report").status == 2);
  CHECK(run("report tests/bundles/rename").errors.find("-o PAGE.html") != std::string::npos);
}

// ---- in a browser ---------------------------------------------------------------------------

TEST_CASE("every figure is drawn at every width", "[page][programs]") {
  SKIP_IF(no_browser());
  const std::string page = page_of(
      "tests/bundles/art-fc128 -p filesystem.fast_commit_kib=256..8192*2 --set-b "
      "filesystem.fast_commit_kib=4096",
      "drawn");
  const std::size_t figures = count_of(without_scripts(read_file(page)), "class=\"plot\"");
  CHECK(figures >= 9);
  // Headless Chromium has no window that is narrower than 500.
  for (const unsigned width : {500U, 1000U, 1600U}) {
    INFO(width);
    const Seen seen = look_in_browser(page, width);
    CHECK(seen.errors.empty());
    CHECK(attribute(seen.dom, "data-figures") == std::to_string(figures));
    CHECK(attribute(seen.dom, "data-requests") == "0");
    // A window's frame may add a pixel or two.
    const std::string shown = attribute(seen.dom, "data-width");
    CHECK(std::abs(std::stoi("0" + shown) - static_cast<int>(width)) <= 4);
    CHECK(attribute(seen.dom, "data-overflow") == "0");
    const std::vector<std::size_t> marks = marks_of(seen.dom);
    CHECK(marks.size() == figures);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      INFO("figure " << i);
      CHECK(marks[i] > 0);
    }
  }
}

TEST_CASE("names do no harm in a browser", "[page][programs]") {
  SKIP_IF(no_browser());
  const std::string page = page_of("'" + nasty_trace() + "' --mount-point /mnt/t", "nasty");
  const Seen seen = look_in_browser(page, 1000);
  CHECK(seen.errors.empty());
  CHECK(attribute(seen.dom, "data-figures") != "");
  CHECK(seen.dom.find("<img") == std::string::npos);
  CHECK(seen.dom.find("\\xff\\x80") != std::string::npos);
}

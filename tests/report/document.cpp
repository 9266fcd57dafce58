// One document in its forms.
#include "sim/report/document.h"

#include "tests/catch.h"

using namespace fcsim;

namespace {

report::Document example() {
  report::Document document("2 sync calls");
  document.line("kernel rules: 6.18");
  document.heading("Calls");
  document.count("fsync", 2, "of files");
  document.count("sync", 0);
  document.heading("Files");
  report::Table table({"blocks", "path"}, {false, true});
  table.add({"12", "a|b"});
  table.add({"3", "=c\x1b"}, "odd");
  document.table(table);
  document.list("Notes", {"first", "second"});
  document.list("Nothing", {});
  document.line("item", 1);
  document.line("below it", 2);
  return document;
}

}  // namespace

TEST_CASE("text is for people", "[document]") {
  CHECK(text_of(example(), {}) ==
        "2 sync calls\n"
        "kernel rules: 6.18\n"
        "\n"
        "Calls\n"
        "  fsync                                 2  of files\n"
        "\n"
        "Files\n"
        "blocks  path\n"
        "    12  a|b\n"
        "     3  =c\\x1b  odd\n"
        "\n"
        "Notes\n"
        "  - first\n"
        "  - second\n"
        "  item\n"
        "    below it\n");
  CHECK(text_of(example(), {true, 0}).starts_with("\033[1m2 sync calls\033[0m\n"));
}

TEST_CASE("sentences are broken at the terminal's width, words are not", "[document]") {
  report::Document document;
  document.item("one two three four");
  document.line("unbreakable-word-that-is-too-long", 0);
  CHECK(text_of(document, {false, 14}) ==
        "  - one two\n    three four\nunbreakable-word-that-is-too-long\n");
}

TEST_CASE("Markdown has padded tables and escapes what is Markdown", "[document]") {
  CHECK(markdown_of(example()) ==
        "# 2 sync calls\n"
        "\n"
        "kernel rules: 6.18\n"
        "\n"
        "## Calls\n"
        "\n"
        "|       | count |          |\n"
        "|-------|------:|----------|\n"
        "| fsync |     2 | of files |\n"
        "\n"
        "## Files\n"
        "\n"
        "| blocks | path    |     |\n"
        "|-------:|---------|-----|\n"
        "|     12 | a\\|b    |     |\n"
        "|      3 | =c\\\\x1b | odd |\n"
        "\n"
        "## Notes\n"
        "\n"
        "- first\n"
        "- second\n"
        "- item\n"
        "  - below it\n");
}

TEST_CASE("CSV has the tables, each with its section", "[document]") {
  CHECK(csv_of(example()) ==
        "section,name,count,remark\n"
        "Calls,fsync,2,of files\n"
        "\n"
        "section,blocks,path,remark\n"
        "Files,12,a|b,\n"
        "Files,3,'=c\\x1b,odd\n");
}

TEST_CASE("JSON has sections, and numbers are numbers", "[document]") {
  const support::Json json = support::Json::parse(support::json_text(json_of(example())));
  CHECK(json["title"] == "2 sync calls");
  REQUIRE(json["sections"].size() == 4);
  CHECK(json["sections"][0]["lines"][0] == "kernel rules: 6.18");
  CHECK(json["sections"][1]["counts"]["fsync"] == 2);
  CHECK(json["sections"][2]["tables"][0][0]["blocks"] == 12);
  CHECK(json["sections"][2]["tables"][0][1]["path"] == "=c\x1b");
  CHECK(json["sections"][3]["lines"].size() == 4);
}

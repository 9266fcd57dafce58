// What cannot be written or is not a result of a batch: a clear error, and nothing lost?
#include <unistd.h>

#include "sim/questions/batch/schema.h"
#include "sim/replay/bundle_search.h"
#include "tests/batch/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::string message_of_open(const std::string& path) {
  try {
    questions::batch::ResultDatabase::open(path);
  } catch (const model::InputError& error) {
    return error.what();
  }
  return "";
}

std::string batch_line(const std::string& database) {
  return "batch -q -j2 -p range_tracking.max_ranges=1..60 -o '" + database + "' '" + kBundles +
         "link' '" + kBundles + "mkdir' '" + kBundles + "rename' '" + kBundles + "creat'";
}

}  // namespace

TEST_CASE("a file that is not a batch's database is left alone", "[batch]") {
  const Folder folder;
  const std::string path = folder / "file";
  SECTION("text") {
    write_file(path, std::string(5000, 'x'));
    CHECK(message_of_batch(request_for({kBundles + "link"}, path)) ==
          path + ": is not an SQLite database; it was left as it is");
    CHECK(message_of_open(path) == path + ": is not an SQLite database; it was left as it is");
    CHECK(read_file(path) == std::string(5000, 'x'));
  }
  SECTION("another program's database") {
    questions::batch::Connection(path, questions::batch::Access::write)
        .execute("CREATE TABLE mine (x)");
    const std::string before = read_file(path);
    const std::string expected =
        path + ": is an SQLite database, but not one of fcsim batch; it was left as it is";
    CHECK(message_of_batch(request_for({kBundles + "link"}, path)) == expected);
    CHECK(message_of_open(path) == expected);
    CHECK(read_file(path) == before);
  }
  SECTION("a newer schema") {
    questions::batch::run_batch(request_for({kBundles + "link"}, path));
    questions::batch::Connection(path, questions::batch::Access::write)
        .execute("PRAGMA user_version = 7");
    const std::string expected =
        path +
        ": was written by a newer fcsim: its schema is version 7, this fcsim knows version 1";
    CHECK(message_of_batch(request_for({kBundles + "link"}, path)) == expected);
    CHECK(message_of_open(path) == expected);
  }
  SECTION("a folder, nothing, and an empty file") {
    std::filesystem::create_directory(path);
    CHECK(message_of_open(path) == path + ": is a folder; expected a database");
    CHECK(message_of_open(folder / "none").starts_with((folder / "none") + ": "));
    CHECK_FALSE(std::filesystem::exists(folder / "none"));
    write_file(folder / "empty", "");
    CHECK(message_of_open(folder / "empty").find("not one of fcsim batch") != std::string::npos);
    CHECK(message_of_batch(request_for({kBundles + "link"}, folder / "empty")).empty());
  }
}

TEST_CASE("a database of before some counters gets their columns", "[batch]") {
  const Folder folder;
  const std::string path = folder / "r.db";
  questions::batch::run_batch(request_for({kBundles + "link"}, path));
  const std::string before = export_text(path);
  const std::string header = before.substr(0, before.find('\n'));
  const std::string last = header.substr(header.rfind(',') + 1);
  {
    questions::batch::Connection connection(path, questions::batch::Access::write);
    connection.execute("DROP VIEW results; ALTER TABLE result DROP COLUMN \"" + last + "\"");
  }
  CHECK(export_text(path).find(last) == std::string::npos);
  auto request = request_for({kBundles + "link"}, path);
  request.version = "other";
  questions::batch::run_batch(request);
  request.version = "test";
  questions::batch::run_batch(request);
  CHECK(export_text(path) == before);
  questions::batch::Connection connection(path, questions::batch::Access::read);
  CHECK(connection.query_integer("SELECT count(\"" + last + "\") FROM results") > 0);
}

TEST_CASE("a second writer is refused, a reader is not", "[batch]") {
  const Folder folder;
  const std::string path = folder / "r.db";
  questions::batch::run_batch(request_for({kBundles + "link"}, path));
  {
    const auto writer = questions::batch::ResultDatabase::create(path);
    const auto second = run(batch_line(path));
    CHECK(second.status == 1);
    CHECK(second.errors.starts_with("fcsim: " + path +
                                    ": another fcsim is writing to this database"));
    CHECK(run("merge -q '" + path + "' -o '" + path + "x'").status == 0);
    CHECK(run("batch --export csv '" + path + "'").status == 0);
  }
  CHECK(run(batch_line(path)).status == 0);
  CHECK_FALSE(std::filesystem::exists(path + "-lock"));
}

TEST_CASE("a file that may not grow costs nothing that was committed", "[batch]") {
  const Folder folder;
  const std::string path = folder / "r.db";
  // 512-byte blocks: the tables fit, the rows do not. The signal is ignored as the write says it.
  const auto limited = run(batch_line(path), "trap '' XFSZ && ulimit -f 160 &&");
  CHECK(limited.status == 1);
  CHECK(limited.errors == "fcsim: " + path +
                              ": disk I/O error in a write: a failing disk, or a limit to the size "
                              "of files\n");
  CHECK(lines_of(export_text(path)) < 4 * 60 + 1);
  CHECK(run(batch_line(path)).status == 0);
  CHECK(run(batch_line(folder / "whole.db")).status == 0);
  CHECK(export_text(path) == export_text(folder / "whole.db"));
}

TEST_CASE("a full disk and a read-only one", "[root][batch]") {
  const Folder folder;
  const std::string disk = folder / "disk";
  std::filesystem::create_directory(disk);
  const std::string mounted = "unshare -m sh -c 'mount -t tmpfs -o size=200k none " + disk + "'";
  const bool mounts = geteuid() == 0 && std::system((mounted + " 2>/dev/null").c_str()) == 0;
  SKIP_IF(mounts ? "" : "mounting a small tmpfs needs root and mount namespaces");
  const std::string line = "'" + command() + "' " + batch_line("DISK/r.db");
  std::string script = "mount -t tmpfs -o size=200k none DISK\n" + line +
                       "; echo $?\nmount -o remount,ro DISK\n" + line +
                       "; echo $?\nmount -o remount,rw,size=32m DISK\n" + line + "; echo $?\n'" +
                       command() + "' batch --export csv DISK/r.db >OUT\n";
  for (const auto& [word, text] :
       {std::pair<std::string, std::string>{"DISK", disk}, {"OUT", folder / "out.csv"}})
    for (std::size_t at = 0; (at = script.find(word)) != std::string::npos;)
      script.replace(at, word.size(), text);
  write_file(folder / "script", script);
  REQUIRE(
      std::system(("unshare -m sh '" + (folder / "script") + "' >'" + (folder / "said") + "' 2>&1")
                      .c_str()) == 0);
  const std::string said = read_file(folder / "said");
  INFO(said);
  CHECK(said.starts_with("fcsim: " + disk + "/r.db: database or disk is full"));
  CHECK(said.find("fcsim: " + disk + "/r.db: cannot be written: " + disk +
                  "/r.db-lock: Read-only file system\n1\n0\n") != std::string::npos);
  CHECK(run(batch_line(folder / "whole.db")).status == 0);
  CHECK(read_file(folder / "out.csv") ==
        run("batch --export csv '" + (folder / "whole.db") + "'").output);
}

TEST_CASE("folders without bundles", "[batch]") {
  const Folder folder;
  std::filesystem::create_directory(folder / "empty");
  CHECK(message_of_batch(request_for({folder / "empty"}, folder / "r.db")).find("has no bundle") !=
        std::string::npos);
  CHECK(message_of_batch(request_for({folder / "none"}, folder / "r.db"))
            .starts_with((folder / "none") + ": "));
  CHECK_FALSE(std::filesystem::exists(folder / "r.db"));
}

TEST_CASE("bundles are found below folders, sorted within each, once", "[batch]") {
  const Folder folder;
  folder.copy_bundle("link", "in/z");
  folder.copy_bundle("link", "in/deep/er/y");
  std::filesystem::create_directory_symlink(folder / "in/deep", folder / "in/loop");
  std::filesystem::create_directory_symlink(folder / "in/z", folder / "in/linked");
  CHECK(replay::find_bundles({folder / "in/z/", folder / "in//.", folder / "in"}) ==
        std::vector<std::string>{folder / "in/z", folder / "in/deep/er/y", folder / "in/linked"});
}

TEST_CASE("a bundle that lost its trace and a folder nobody may read are not passed over",
          "[batch]") {
  const Folder folder;
  folder.copy_bundle("link", "in/fine");
  folder.copy_bundle("link", "in/lost");
  std::filesystem::remove(folder / "in/lost/trace.strace.zst");
  CHECK(replay::find_bundles({folder / "in"}) ==
        std::vector<std::string>{folder / "in/fine", folder / "in/lost"});
  const auto validated = run("validate '" + (folder / "in") + "'");
  CHECK(validated.status == 1);
  CHECK(validated.output.find("1 exact, 1 failed") != std::string::npos);
  if (geteuid() == 0) return;  // who may read everything
  std::filesystem::create_directory(folder / "in/closed");
  std::filesystem::permissions(folder / "in/closed", std::filesystem::perms::none);
  CHECK(replay::find_bundles({folder / "in"}).size() == 3);
  CHECK(run("validate '" + (folder / "in") + "'").output.find("cannot be read") !=
        std::string::npos);
  std::filesystem::permissions(folder / "in/closed", std::filesystem::perms::owner_all);
}

TEST_CASE("command lines of batch and merge that make no sense", "[batch]") {
  for (const char* arguments :
       {"batch", "batch tests/bundles/link", "batch -o x.db", "batch --export xml x.db",
        "batch --export csv a.db b.db", "batch --export csv --summary a.db",
        "batch --summary a.db -o b.db", "batch --baseline 2 a.db", "batch a -c - -o b.db", "merge",
        "merge a.db"}) {
    INFO(arguments);
    const auto outcome = run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.errors.starts_with("fcsim: "));
  }
}

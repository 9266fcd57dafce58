// What each operation costs: transactions, and what a sync call after it writes, from a table
// (operations.tsv), with and without lazytime.
#include <fstream>
#include <map>
#include <sstream>

#include "tests/catch.h"
#include "tests/world.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

struct Row {
  std::string lazytime, operation, before, synced, none, fsync, fdatasync_led, fsync_led;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Row> read_rows() {
  std::ifstream file(FCSIM_SOURCE_DIR "/tests/xfs/operations.tsv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = split(line, '\t');
    REQUIRE(cells.size() == 8);
    rows.push_back(
        {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]});
  }
  return rows;
}

// Does what the words of the table say.
class Script {
 public:
  explicit Script(bool lazytime)
      : world_(configured({"filesystem.type=xfs", "trace.mounted_before_start_s=0",
                           std::string("mount.lazytime=") + (lazytime ? "true" : "false")})) {
    files_["."] = model::kRootDirectory;
  }

  void run(const std::string& commands) {
    for (const std::string& command : split(commands, ';')) {
      std::istringstream words(command);
      std::string verb, file;
      words >> verb >> file;
      if (!verb.empty()) act(verb, file, words);
    }
  }
  void sync(const std::string& call, const std::string& file) {
    if (call == "fsync") world_.fsync(files_.at(file));
    if (call == "fdatasync") world_.fdatasync(files_.at(file));
  }
  void syncfs() { world_.syncfs(); }
  engine::Prediction finish() {
    world_.now += 100 * kMillisecond;  // the worker that frees inodes
    return world_.finish();
  }

 private:
  void act(const std::string& verb, const std::string& file, std::istringstream& words) {
    std::int64_t a = 0, b = 0, c = 0;
    std::string name;
    if (verb == "create") {
      files_[file] = world_.create(file);
    } else if (verb == "mkdir") {
      files_[file] = world_.make_directory(file);
    } else if (verb == "symlink") {
      words >> a;
      files_[file] = world_.make_symlink(file, a);
    } else if (verb == "fifo") {
      files_[file] = world_.make_fifo(file);
    } else if (verb == "tmpfile") {
      files_[file] = world_.make_tmpfile();
    } else if (verb == "link") {
      words >> name;
      world_.link(files_.at(file), name);
      files_[name] = files_.at(file);
      ++links_[files_.at(file)];
    } else if (verb == "unlink") {
      world_.unlink(files_.at(file), file, model::kRootDirectory, links_[files_.at(file)]-- == 0);
    } else if (verb == "rmdir") {
      world_.remove_directory(files_.at(file), file);
    } else if (verb == "evict") {
      world_.now += world_.step;
      world_.evict(files_.at(file));
    } else if (verb == "rename" || verb == "rename-over" || verb == "whiteout") {
      words >> name;
      world_.rename(files_.at(file), file, model::kRootDirectory, name, model::kRootDirectory,
                    verb == "rename-over" ? files_.at(name) : model::kNoFile,
                    verb == "whiteout" ? flag::whiteout : 0);
    } else if (verb == "exchange") {
      words >> name;
      world_.exchange(files_.at(file), file, files_.at(name), name);
    } else if (verb == "write" || verb == "direct") {
      words >> a >> b;
      world_.write(files_.at(file), a, b, verb == "direct" ? flag::direct : 0);
    } else if (verb == "read") {
      world_.read(files_.at(file));
    } else if (verb == "stat") {
      world_.stat(files_.at(file));
    } else if (verb == "close") {
      world_.close(files_.at(file));
    } else if (verb == "fsync") {
      world_.fsync(files_.at(file));
    } else if (verb == "truncate" || verb == "truncate-by-open") {
      words >> a;
      Operation op;
      op.kind = OperationKind::truncate;
      op.file = files_.at(file);
      op.length = a;
      op.flags = verb == "truncate" ? 0 : flag::by_open;
      world_.apply(op);
    } else if (verb == "falloc") {
      words >> a >> b >> c;
      world_.fallocate(files_.at(file), a, b, static_cast<std::uint64_t>(c));
    } else if (verb == "clone") {
      words >> name;
      Operation op;
      op.kind = OperationKind::clone;
      op.file = files_.at(file);
      op.file2 = files_.at(name);
      world_.apply(op);
    } else if (verb == "chmod") {
      world_.chmod(files_.at(file));
    } else if (verb == "chown") {
      world_.chown(files_.at(file), 1);
    } else if (verb == "utime") {
      world_.utime(files_.at(file));
    } else if (verb == "xattr") {
      words >> name >> a;
      world_.set_xattr(files_.at(file), name, a, 1);
    } else if (verb == "acl-is-mode") {
      world_.set_xattr(files_.at(file), "system.posix_acl_access", 28, 1,
                       flag::acl | flag::acl_is_mode);
    } else if (verb == "rmxattr" || verb == "rmxattr-missing") {
      words >> name;
      world_.remove_xattr(files_.at(file), name, verb == "rmxattr" ? 0 : flag::failed_missing);
    } else {
      FAIL("operations.tsv: unknown word " << verb);
    }
  }

  World world_;
  std::map<std::string, FileId> files_;
  std::map<FileId, int> links_;
};

// What the operation and the sync call add to what was there before.
engine::Prediction added(const Row& row, bool lazytime, const std::string& call) {
  const auto run = [&](bool whole) {
    Script script(lazytime);
    script.run(row.before);
    script.syncfs();
    if (whole) {
      script.run(row.operation);
      script.sync(call, row.synced);
    }
    return script.finish();
  };
  return difference(run(true), run(false));
}

std::string transactions(const engine::Prediction& prediction) {
  return std::to_string(prediction.xfs.log_reserve) + "/" +
         std::to_string(prediction.xfs.trans_commit);
}

std::string led(const engine::Prediction& prediction, const std::string& call) {
  for (const auto& [name, count] : prediction.sync_results)
    if (count != 0 && name.starts_with(call + ":")) return name.substr(call.size() + 1);
  return "";
}

}  // namespace

TEST_CASE("each operation takes the transactions that the table says, and sync writes them") {
  const std::vector<Row> rows = read_rows();
  REQUIRE(rows.size() >= 60);
  for (const Row& row : rows) {
    for (const bool lazytime : {false, true}) {
      if (row.lazytime != "both" && (row.lazytime == "lazy") != lazytime) continue;
      INFO(row.operation << " after " << row.before << (lazytime ? ", lazytime" : ""));
      CHECK(transactions(added(row, lazytime, "none")) == row.none);
      const engine::Prediction fsync = added(row, lazytime, "fsync");
      CHECK(transactions(fsync) == row.fsync);
      CHECK(led(fsync, "fsync") == row.fsync_led);
      CHECK(led(added(row, lazytime, "fdatasync"), "fdatasync") == row.fdatasync_led);
    }
  }
}

TEST_CASE("a write under lazytime counts as more than timestamps from 7.0 on") {
  const auto syncs = [](const std::string& kernel, const std::string& lazytime) {
    World world(configured({"filesystem.type=xfs", "mount.lazytime=" + lazytime}, kernel));
    const FileId file = world.create("f");
    world.write(file, 0, 16 * kBlock);
    world.fsync(file);
    for (int i = 0; i < 10; ++i) {
      world.write(file, i * kBlock, kBlock, flag::direct);
      world.fdatasync(file);
    }
    const auto results = world.finish().sync_results;
    return std::map<std::string, std::uint64_t>(results.begin(), results.end());
  };
  CHECK(syncs("6.18", "true").at("fdatasync:flush_only") == 10);
  CHECK(syncs("6.18", "false").at("fdatasync:flush_only") == 10);
  CHECK(syncs("7.0", "true").at("fdatasync:log_write") == 10);
  CHECK(syncs("7.0", "false").at("fdatasync:flush_only") == 10);
}

// Names, path walks and descriptor tables by themselves, without a trace.
#include "tests/catch.h"
#include "traces/resolve/descriptors.h"
#include "traces/resolve/name_space.h"
#include "traces/resolve/path_walk.h"

using namespace fcsim;
using model::FileId;
using model::FileType;
using model::kNoFile;
using traces::resolve::Walked;

namespace {

struct NoListener final : traces::resolve::WalkListener {
  void followed(FileId link) override { followed_links.push_back(link); }
  FileId discovered(FileId, std::string_view, std::uint64_t) override { return kNoFile; }
  std::vector<FileId> followed_links;
};

// /mnt with d, d/f, d/up -> .., d/far -> /etc, d/loop -> loop; all names are known.
struct Tree {
  Tree() {
    walk.set_mount_point("/mnt");
    names.file(model::kRootDirectory).all_names_known = true;
    folder = add(model::kRootDirectory, "d", FileType::directory);
    names.file(folder).all_names_known = true;
    file = add(folder, "f", FileType::regular);
    link("up", "..");
    link("far", "/etc");
    link("loop", "loop");
    process.directories = std::make_shared<traces::resolve::Directories>();
    process.table = std::make_shared<traces::resolve::DescriptorTable>();
  }
  FileId add(FileId parent, std::string_view name, FileType type) {
    const FileId id = names.new_file(type);
    names.add_name(parent, name, model::hash_bytes(name), id);
    return id;
  }
  void link(std::string_view name, std::string_view target) {
    names.set_target(add(folder, name, FileType::symlink), target);
  }
  Walked from(const traces::resolve::Place& start, std::string_view path, bool follow = true) {
    Walked walked;
    walk.walk(process, start, path, follow, walked);
    return walked;
  }
  Walked absolute(std::string_view path, bool follow = true) {
    return from(process.directories->root, path, follow);
  }

  traces::resolve::NameSpace names;
  traces::resolve::Processes processes;
  traces::resolve::Descriptions descriptions;
  NoListener listener;
  traces::resolve::PathWalk walk{names, processes, descriptions, listener};
  traces::resolve::Process process;
  FileId folder = kNoFile, file = kNoFile;
};

}  // namespace

TEST_CASE("a walk ends at a file, at an absent name, or outside", "[resolver]") {
  Tree t;
  CHECK(t.absolute("/mnt/d/f").file == t.file);
  CHECK(t.absolute("/mnt//d/./f").file == t.file);
  CHECK(t.absolute("/mnt/d/../d/f").file == t.file);
  const Walked absent = t.absolute("/mnt/d/new");
  CHECK(absent.kind == Walked::Kind::absent);
  CHECK(absent.parent == t.folder);
  CHECK(absent.name == "new");
  const Walked outside = t.absolute("/etc/passwd");
  CHECK(outside.kind == Walked::Kind::outside);
  CHECK(outside.outside == "/etc/passwd");
  CHECK(t.absolute("/mnt/..").outside == "/");
}

TEST_CASE("a relative path starts at its directory, a place that is not known leads nowhere",
          "[resolver]") {
  Tree t;
  CHECK(t.from({t.folder, {}}, "f").file == t.file);
  CHECK(t.from({kNoFile, "/mnt"}, "d/f").file == t.file);
  CHECK(t.from({}, "f").kind == Walked::Kind::unknown);
}

TEST_CASE("symbolic links are followed, the last one if asked to", "[resolver]") {
  Tree t;
  CHECK(t.absolute("/mnt/d/up/d/f").file == t.file);
  CHECK(t.absolute("/mnt/d/far").outside == "/etc");
  CHECK(t.names.file(t.absolute("/mnt/d/far", false).file).type == FileType::symlink);
  CHECK(t.listener.followed_links.size() == 2);
  const Walked loop = t.absolute("/mnt/d/loop");
  CHECK(loop.kind == Walked::Kind::unknown);
  CHECK(loop.endless);
}

TEST_CASE("another file system below the mount point is outside", "[resolver]") {
  Tree t;
  t.walk.learn_other_mount("/mnt/d");
  CHECK(t.absolute("/mnt/d/f").kind == Walked::Kind::outside);
}

TEST_CASE("a directory may go by another path", "[resolver]") {
  Tree t;
  t.walk.learn_alias("/other", t.folder);
  CHECK(t.absolute("/other/f").file == t.file);
  t.walk.forget_alias(t.folder);
  CHECK(t.absolute("/other/f").kind == Walked::Kind::outside);
}

TEST_CASE("a name stands for one file, and a file may have several", "[resolver]") {
  Tree t;
  const std::uint64_t hash = model::hash_bytes("g");
  const auto second = t.names.add_name(t.folder, "g", hash, t.file);
  CHECK(t.names.file(t.file).links == 2);
  CHECK(t.names.find(t.folder, "g", hash) == second);
  t.names.remove_name(second);
  CHECK(t.names.find(t.folder, "g", hash) == traces::resolve::kNoName);
  std::string path;
  CHECK(t.names.append_path(t.file, path));
  CHECK(path == "d/f");
  CHECK(t.names.is_within(t.folder, model::kRootDirectory));
  CHECK_FALSE(t.names.is_within(model::kRootDirectory, t.folder));
}

TEST_CASE("descriptor tables hold numbers, descriptions are used again", "[resolver]") {
  traces::resolve::Descriptions descriptions;
  traces::resolve::DescriptorTable table;
  const auto first = descriptions.make();
  descriptions.at(first).position = 100;
  table.set(3, {first, true});
  table.set(7, {first, false});  // dup
  CHECK(table.find(3) == first);
  CHECK(table.find(7) == first);
  CHECK(table.find(4) == traces::resolve::kNoDescription);
  CHECK(table.find(-100) == traces::resolve::kNoDescription);  // AT_FDCWD
  CHECK(table.find(100000) == traces::resolve::kNoDescription);
  table.clear(3);
  CHECK(table.find(3) == traces::resolve::kNoDescription);
  descriptions.free(first);
  const auto again = descriptions.make();
  CHECK(again == first);
  CHECK(descriptions.at(again).position == 0);
}

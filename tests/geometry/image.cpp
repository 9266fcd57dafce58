// Is a file system read as it is, from the image and from what dumpe2fs says of it?
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/geometry/input.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

TEST_CASE("an image's settings are those that dumpe2fs prints", "[geometry]") {
  const Folder folder("image");
  const std::string path = folder.write("fs.img", read_all(data_file("unclean.img.zst")));
  const machine::geometry::GeometryInput image = machine::geometry::read_geometry(path, {});
  const machine::geometry::GeometryInput text =
      machine::geometry::read_geometry(data_file("unclean.dumpe2fs"), {});
  CHECK(image.filesystem.needs_recovery);
  CHECK(text.filesystem.needs_recovery);
  CHECK(image.filesystem.settings.block_size == 1024);
  CHECK(image.filesystem.settings.block_count == 8192);
  CHECK(image.filesystem.settings.journal_blocks == 1040);
  CHECK(image.filesystem.settings.fast_commit_blocks == 16);
  CHECK(image.filesystem.journal->fast_commit);
  const configuration::LoadedConfiguration loaded = configured();
  CHECK(machine::geometry::geometry_toml(
            machine::geometry::answer_geometry(image.filesystem, {}, loaded)) ==
        machine::geometry::geometry_toml(
            machine::geometry::answer_geometry(text.filesystem, {}, loaded)));
}

TEST_CASE("the text and TOML forms are configuration files", "[geometry]") {
  const Folder folder("configuration");
  const std::string path = folder.write("fs.img", read_all(data_file("unclean.img.zst")));
  const machine::geometry::GeometryInput input = machine::geometry::read_geometry(path, {});
  const machine::geometry::GeometryAnswer answer =
      machine::geometry::answer_geometry(input.filesystem, {}, configured({"mount.lazytime=true"}));
  CHECK(answer.state == machine::geometry::FastCommitState::active);
  CHECK(answer.area_blocks == 16);
  CHECK(answer.usable_blocks == 15);
  CHECK(answer.log_blocks == 1024);
  CHECK(answer.max_transaction_blocks == 341);  // as /proc/fs/jbd2 had it
  for (const std::string& text :
       {machine::geometry::geometry_toml(answer), machine::geometry::geometry_text(answer)}) {
    const configuration::LoadedConfiguration back =
        configured({}, {folder.write("back.toml", text)});
    const model::FilesystemSettings& fs = back.values.filesystem;
    CHECK(fs.block_size == 1024);
    CHECK(fs.block_count == 8192);
    CHECK(fs.blocks_per_group == 8192);
    CHECK(fs.inode_count == 64);
    CHECK(fs.inodes_per_group == 64);
    CHECK(fs.inode_size == 256);
    CHECK(fs.extra_isize == 32);
    CHECK(fs.flex_group_size == 16);
    CHECK(fs.journal_blocks == 1040);
    CHECK(fs.fast_commit_blocks == 16);
    CHECK(fs.features == input.filesystem.settings.features);
    machine::geometry::FilesystemOnDisk again;
    again.settings = fs;
    CHECK(machine::geometry::geometry_toml(machine::geometry::answer_geometry(again, {}, back)) ==
          machine::geometry::geometry_toml(answer));
  }
}

TEST_CASE("dumpe2fs's text as mails and patches have it", "[geometry]") {
  const std::string text = read_all(data_file("unclean.dumpe2fs"));
  const auto settings = [](const std::string& content) {
    return machine::parse_dumpe2fs(content, "t").settings;
  };
  const model::FilesystemSettings expected = settings(text);
  for (const std::string mark : {"> ", ">> ", "> > > ", "+", "> +", "| ", "    "}) {
    INFO(mark);
    std::string quoted = mark;
    for (const char c : text) quoted += c == '\n' ? "\n" + mark : std::string(1, c);
    CHECK(settings(quoted) == expected);
    // A mail program breaks long lines.
    std::string broken = quoted;
    const std::size_t at = broken.find(" fast_commit");
    REQUIRE(at != std::string::npos);
    broken.replace(at, 1, "\n" + mark);
    CHECK(settings(broken) == expected);
  }
}

TEST_CASE("faults of dumpe2fs's text have line and column", "[geometry]") {
  const std::string good = read_all(data_file("unclean.dumpe2fs"));
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    try {
      machine::parse_dumpe2fs(text, "d");
    } catch (const model::InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message("Block count:              8192", "Block count:              x12") ==
        "d:12:27: expected a whole number, found 'x12'");
  CHECK(message("Block size:               1024", "Block size:               1000")
            .find("d:18:27: 'block_size' in [filesystem] expects a power of two") == 0);
  CHECK(message("Inode size:", "Inode bytes:").find("which has a line 'Inode size:'") !=
        std::string::npos);
  CHECK(message("Journal inode:            8", "Journal UUID:             1-2")
            .find("external journals are not supported") != std::string::npos);
  CHECK_THROWS_AS(machine::parse_dumpe2fs("", "d"), model::InputError);
}

TEST_CASE("what is not a file system is told from one", "[geometry]") {
  const Folder folder("nothing");
  const auto message = [&](const std::string& bytes) {
    try {
      machine::geometry::read_geometry(folder.write("x", bytes), {});
    } catch (const model::InputError& error) {
      return std::string(error.what()).substr(folder.file("x").size());
    }
    return std::string("no error");
  };
  CHECK(message("") == ":1025: cut: it ends within the superblock or the group descriptors");
  CHECK(message(std::string(65536, '\0')) ==
        ":1081: not an ext4 file system: expected the magic number 0xef53 here");
  CHECK(message("hello\n").find("expected the output of dumpe2fs -h") != std::string::npos);
  CHECK(message(std::string("\x28\xb5\x2f\xfd\0\0\0\0", 8)).find("compressed by zstd") !=
        std::string::npos);
  CHECK_THROWS_AS(machine::geometry::read_geometry("/dev/null", {}), model::InputError);
  CHECK_THROWS_AS(machine::geometry::read_geometry(folder.file("missing"), {}), model::InputError);
}

// XFS: the superblock, xfs_info's text, and what `fcsim geometry` makes of them. The files of
// tests/geometry/data/ are of mkfs.xfs 6.1: the defaults on 1 GiB, and -d su=64k,sw=2 -m rmapbt=1
// -n size=8192 -i size=1024 on 600 MiB.
#include <algorithm>

#include "sim/machine/geometry/input.h"
#include "sim/machine/xfs_info.h"
#include "sim/machine/xfs_superblock.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

TEST_CASE("an XFS superblock says what xfs_info prints", "[geometry]") {
  for (const std::string name : {"xfs", "xfs-striped"}) {
    INFO(name);
    REQUIRE(machine::is_xfs_image(data_file(name + ".superblock")));
    const model::FilesystemSettings read =
        machine::read_xfs_superblock(data_file(name + ".superblock"));
    model::FilesystemSettings parsed =
        machine::parse_xfs_info(read_all(data_file(name + ".info")), name);
    std::vector<std::string> features = read.features;
    std::sort(features.begin(), features.end());
    std::sort(parsed.features.begin(), parsed.features.end());
    CHECK(features == parsed.features);
    parsed.features = read.features;
    CHECK(read == parsed);
  }
  const model::FilesystemSettings striped =
      machine::read_xfs_superblock(data_file("xfs-striped.superblock"));
  CHECK(striped.type == model::FilesystemType::xfs);
  CHECK(striped.inode_size == 1024);
  CHECK(striped.xfs.directory_block_size == 8192);
  CHECK(striped.xfs.stripe_unit_blocks == 16);
  CHECK(striped.has("rmapbt"));
}

TEST_CASE("a damaged XFS superblock is told with its byte", "[geometry]") {
  const Folder folder("xfs");
  const std::string whole = read_all(data_file("xfs.superblock"));
  const auto fault = [&](const std::string& bytes) -> std::uint64_t {
    try {
      machine::read_xfs_superblock(folder.write("image", bytes));
    } catch (const model::InputError& error) {
      return error.position().column;
    }
    return 0;
  };
  const auto changed = [&](std::size_t byte, char value) {
    std::string bytes = whole;
    bytes[byte] = value;
    return bytes;
  };
  CHECK(fault(whole) == 0);
  CHECK(fault(whole.substr(0, 100)) == 1);
  CHECK(fault(changed(0, 'Y')) == 1);
  CHECK(fault(changed(7, 3)) == 5);       // block size
  CHECK(fault(changed(91, 9)) == 89);     // more groups than blocks
  CHECK(fault(changed(192, 60)) == 193);  // directory blocks
  std::string external = whole;
  external.replace(48, 8, 8, '\0');
  CHECK(fault(external) == 49);
  CHECK_THROWS_AS(machine::parse_xfs_info("meta-data=/dev/vda isize=512 agcount=4\n", "text"),
                  model::InputError);
}

TEST_CASE("the geometry of XFS is a configuration", "[geometry]") {
  const machine::geometry::GeometryInput input =
      machine::geometry::read_geometry(data_file("xfs.superblock"), {});
  const auto answer =
      machine::geometry::answer_geometry(input.filesystem, input.mounted, configured());
  const std::string toml = machine::geometry::geometry_toml(answer);
  CHECK(toml.find("type = \"xfs\"") != std::string::npos);
  CHECK(toml.find("blocks_per_group") == std::string::npos);
  const Folder folder("xfs-toml");
  CHECK(configured({}, {folder.write("geometry.toml", toml)}).values.filesystem ==
        input.filesystem.settings);
  CHECK(machine::geometry::geometry_json(answer).find("fast_commit\":") == std::string::npos);
}

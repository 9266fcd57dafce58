// Are the files of a bundle found, and a manifest read or refused with the place of its fault?
#include <filesystem>
#include <fstream>
#include <string>

#include "model/common/error.h"
#include "tests/catch.h"
#include "traces/bundle/bundle.h"
#include "traces/bundle/manifest.h"
#include "traces/resolve/name_space.h"

using fcsim::model::InputError;
using fcsim::traces::bundle::find_bundle;
using fcsim::traces::bundle::is_bundle;
using fcsim::traces::bundle::parse_manifest;

namespace {

std::string error_of(const std::string& text) {
  try {
    fcsim::traces::bundle::parse_manifest(text, "m.tsv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "fcsim_test_bundle") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  void add(const std::string& name) const { std::ofstream(path_ / name) << "x"; }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("a manifest becomes files, names and extents", "[manifest]") {
  const auto state = fcsim::traces::bundle::parse_manifest(
      "# type\tmode\n"
      "d\t755\t2\t3\t4096\t8\t.\t\n"
      "f\t644\t12\t2\t9000\t24\ta\t0:100:2,5:200:1u\r\n"
      "d\t700\t13\t2\t4096\t8\tsub\n"
      "f\t644\t12\t2\t9000\t24\tsub/b\t0:100:2,5:200:1u\n"
      "l\t777\t14\t1\t3\t0\tsub/l\t\n"
      "o\t644\t15\t1\t0\t0\tsub/p\t\n",
      "m.tsv");
  CHECK(state.known);
  REQUIRE(state.files.size() == 6);
  CHECK(state.files[0].file == 0);
  CHECK(state.files[0].parent == fcsim::model::kNoFile);
  const auto& a = state.files[1];
  CHECK(a.file == 1);
  CHECK(a.parent == 0);
  CHECK(a.mode == 0644);
  CHECK(a.links == 2);
  CHECK(a.size == 9000);
  CHECK(a.blocks512 == 24);
  CHECK(a.name == "a");
  CHECK(a.name_hash == fcsim::model::hash_bytes("a"));
  REQUIRE(a.extents.size() == 2);
  CHECK(a.extents[1].logical == 5);
  CHECK(a.extents[1].physical == 200);
  CHECK(a.extents[1].length == 1);
  CHECK(a.extents[1].unwritten);
  const auto& b = state.files[3];
  CHECK(b.file == 1);  // the same inode
  CHECK(b.parent == 2);
  CHECK(b.extents.empty());
  CHECK(state.files[4].type == fcsim::model::FileType::symlink);
  CHECK(state.files[5].type == fcsim::model::FileType::device);
}

TEST_CASE("faults in a manifest name their place", "[manifest]") {
  CHECK(error_of("d\t755\t2\n").find("m.tsv:1:8: expected type, mode") == 0);
  CHECK(error_of("x\t755\t2\t3\t4096\t8\t.\n") ==
        "m.tsv:1:1: expected a type d, f, l or o, found \"x\"");
  CHECK(error_of("#\nd\t798\t2\t3\t4096\t8\t.\n") ==
        "m.tsv:2:3: expected an octal mode, found \"798\"");
  CHECK(error_of("d\t755\t2x\t3\t4096\t8\t.\n") ==
        "m.tsv:1:7: expected an inode number, found \"2x\"");
  CHECK(error_of("d\t755\t2\t3\t-1\t8\t.\n") ==
        "m.tsv:1:11: expected a size in bytes, found \"-1\"");
  CHECK(error_of("f\t644\t12\t1\t0\t0\t/a\n") ==
        "m.tsv:1:16: expected a path relative to the mount point");
  CHECK(error_of("f\t644\t12\t1\t0\t0\tq/a\n").find("m.tsv:1:16: expected the directory \"q\"") ==
        0);
  CHECK(error_of("f\t644\t12\t1\t0\t0\ta\t0:1\n") ==
        "m.tsv:1:18: expected an extent logical:physical:length");
  CHECK(error_of("f\t644\t12\t1\t0\t0\ta\t0:1:2,3:x:1\n") ==
        "m.tsv:1:26: expected a physical block number, found \"x\"");
  CHECK(error_of("f\t644\t12\t1\t0\t0\ta\t0:1:0\n") == "m.tsv:1:22: expected a length above 0");
  CHECK(error_of("f\t644\t12\t1\t0\t0\ta\t\tz\n") ==
        "m.tsv:1:19: expected flags=HEX, project=N, acl, default-acl or label, found \"z\"");
  CHECK(error_of("f\t644\t12\t1\t0\t0\ta\t\t\tz\n") == "m.tsv:1:20: expected the end of the line");
}

TEST_CASE("the files of a bundle", "[bundle]") {
  const TemporaryDirectory directory;
  CHECK_FALSE(fcsim::traces::bundle::is_bundle(directory.path()));
  CHECK_THROWS_AS(fcsim::traces::bundle::find_bundle(directory.path()), InputError);
  CHECK_THROWS_AS(fcsim::traces::bundle::find_bundle(directory.path() + "/none"), InputError);
  directory.add("trace.strace.zst");
  directory.add("env.toml");
  directory.add("commits.tsv.zst");
  CHECK(fcsim::traces::bundle::is_bundle(directory.path()));
  const auto bundle = fcsim::traces::bundle::find_bundle(directory.path());
  CHECK(bundle.trace == directory.path() + "/trace.strace.zst");
  CHECK(bundle.environment == directory.path() + "/env.toml");
  CHECK(bundle.commits == directory.path() + "/commits.tsv.zst");
  CHECK(bundle.manifest.empty());
  CHECK(bundle.truth.empty());
  directory.add("trace.strace");
  CHECK(fcsim::traces::bundle::find_bundle(directory.path()).trace ==
        directory.path() + "/trace.strace");
}

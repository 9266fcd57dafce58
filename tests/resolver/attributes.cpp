// Which attributes change or are read, and what of extended attributes does the model need?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"
#include "traces/resolve/text.h"

using namespace fcsim::test;

namespace {
Make set(std::string_view name, std::string_view value) {
  return Make(Call::setxattr)
      .path("f")
      .path2(name)
      .text(value)
      .length(static_cast<std::int64_t>(value.size()));
}
const std::string kModeOnly(
    "\2\0\0\0\1\0\6\0\377\377\377\377\4\0\4\0\377\377\377\377 \0\4\0\377\377\377\377", 28);
const std::string kNamedUser(
    "\2\0\0\0\1\0\6\0\377\377\377\377\2\0\4\0\350\3\0\0\4\0\4\0\377\377\377\377\20\0\4\0\377\377"
    "\377\377 \0\4\0\377\377\377\377",
    44);
}  // namespace

TEST_CASE("modes, owners and times", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  CHECK(run(Make(Call::chmod).path("f").argument(0600)) == "set:1 =0");
  CHECK(run(Make(Call::fchmod).fd(3).argument(0600)) == "set:1 =0");
  CHECK(run(Make(Call::fchmodat).at().path("f").argument(0600)) == "set:1 =0");
  CHECK(run(Make(Call::chown).path("f")) == "set:1 -1 =1");
  CHECK(run(Make(Call::fchown).fd(3)) == "set:1 -1 =1");
  CHECK(run(Make(Call::utimensat).at().path("f").argument(0)) == "set:1 =2");
  CHECK(run(Make(Call::utimensat).fd(3).argument(1)) == "set:1 =3");
  CHECK(run(Make(Call::utimensat).at().path("f").argument(2)).empty());
  CHECK(run(Make(Call::chmod).path("f").error(1)).empty());
}

TEST_CASE("calls that change a link itself", "[resolver]") {
  Scenario run(kOneFile);
  run(Make(Call::symlink).path("f").path2("l"));
  CHECK(run(Make(Call::lchown).path("l")) == "set:2 -1 =1");
  CHECK(run(Make(Call::fchownat).at().path("l").flags(0x100)) == "set:2 -1 =1");
  CHECK(run(Make(Call::utimensat).at().path("l").flags(0x100)) == "set:2 =2");
  CHECK(run(Make(Call::chown).path("l")) == "follow:2; set:1 -1 =1");
  CHECK(run(Make(Call::statx).at().path("l").flags(0x100)) == "stat:2");
  CHECK(run(Make(Call::lsetxattr).path("l").path2("trusted.a")) == "setxattr:2");
}

TEST_CASE("stat by path and by descriptor", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  CHECK(run(Make(Call::fstat).fd(3)) == "stat:1");
  CHECK(run(Make(Call::fstatat).fd(3).flags(0x1000)) == "stat:1");
  CHECK(run(Make(Call::statx).at().path("f")) == "stat:1");
  CHECK(run(Make(Call::stat).path("g").error(2)).empty());
}

TEST_CASE("extended attributes: values compare by hash, failures that mark stay", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(set("user.a", "24")) == "setxattr:1 2");
  const auto first = run.operations()[0];
  CHECK(first.name_length == 6);
  run(set("user.a", "25"));
  CHECK(run.operations()[0].value != first.value);
  CHECK(run.operations()[0].name_hash == first.name_hash);
  CHECK(run(set("user.a", "24").error(17)) == "setxattr:1 2 exists");
  CHECK(run(set("user.a", "24").error(28)) == "setxattr:1 2 no_space");
  CHECK(run(set("user.a", "24").error(61)) == "setxattr:1 2 missing");
  CHECK(run(set("user.a", "24").error(95)).empty());
  CHECK(run(Make(Call::removexattr).path("f").path2("user.a")) == "removexattr:1");
  CHECK(run(Make(Call::removexattr).path("f").path2("user.a").error(61)) ==
        "removexattr:1 missing");
  auto cut = set("user.a", "24");
  cut.event.truncated_text = true;
  CHECK(run(cut.length(4000)) == "setxattr:1 4000 unknown");
}

TEST_CASE("access control lists that are only a mode", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(set("system.posix_acl_access", kModeOnly)) == "setxattr:1 28 acl is_mode");
  CHECK(run(set("system.posix_acl_access", kNamedUser)) == "setxattr:1 44 acl");
  CHECK(run(set("system.posix_acl_default", kModeOnly)) == "setxattr:1 28 acl default is_mode");
  auto cut = set("system.posix_acl_access", std::string_view(kNamedUser).substr(0, 32));
  cut.event.truncated_text = true;
  CHECK(run(cut.length(44)) == "setxattr:1 44 acl unknown");
}

TEST_CASE("ioctls by request", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  const auto ioctl = [](std::uint64_t request) { return Make(Call::ioctl).fd(3).flags(request); };
  CHECK(run(ioctl(0x40086602).argument(0x4000)) == "setflags:1 =16384");
  CHECK(run(ioctl(0x6611)) == "swap_boot:1");
  CHECK(run(ioctl(0xc028660f)) == "move_extents:1");
  CHECK(run(ioctl(0x40086610)) == "resize:1");
  CHECK(run(ioctl(0x40286608)) == "resize:1");
  CHECK(run(ioctl(0xc0045877)) == "freeze:1");
  CHECK(run(ioctl(0x5401)).empty());
  CHECK(run(ioctl(0x6611).error(1)).empty());
}

TEST_CASE("the mark of a file without a name, old and new", "[resolver]") {
  using fcsim::traces::resolve::split_deleted;
  CHECK(fcsim::traces::resolve::split_deleted("/a/b (deleted)").path == "/a/b");
  CHECK(fcsim::traces::resolve::split_deleted("/a/b(deleted)").path == "/a/b");
  CHECK(fcsim::traces::resolve::split_deleted("/a/b(deleted)").deleted);
  CHECK_FALSE(fcsim::traces::resolve::split_deleted("/a/b").deleted);
}

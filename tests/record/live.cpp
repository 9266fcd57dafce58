// Does `fcsim validate --live` tell what this kernel does, and leave nothing?
#include <sys/utsname.h>

#include "tests/catch.h"
#include "tests/console.h"
#include "tests/record/machine.h"

using fcsim::test::left_behind;
using fcsim::test::new_folder;
using fcsim::test::read_file;
using fcsim::test::run;

namespace {

// Why this machine's kernel cannot be compared with a profile; "" where it can.
std::string no_comparison() {
  if (const std::string why = fcsim::test::no_loop_devices(); !why.empty()) return why;
  utsname name{};
  uname(&name);
  const std::string release = name.release;
  if (!release.starts_with("6.18"))
    return "Linux " + release + " is no kernel that is compared here";
  return "";
}

struct Case {
  const char* options;
  const char* shell;
};

// Programs of many kinds, each a shell's text that runs on the new file system.
constexpr Case kCases[] = {
    {"",
     "for i in 1 2 3 4 5; do dd if=/dev/zero of=f bs=4k count=1 seek=$i conv=fsync,notrunc; done"},
    {"", "for i in 1 2 3; do echo $i >new; sync new; mv new config; sync .; done"},
    {"", "mkdir a; echo 1 >a/1; sync a/1; mv a b; sync b/1; rm b/1; echo 2 >b/2; sync b/2"},
    {"--set filesystem.fast_commit_kib=16",
     "for i in 1 2 3 4 5 6 7 8 9; do echo $i >>f; sync -d f; done"},
    {"--set mount.data=journal", "for i in 1 2 3; do echo $i >>f; sync f; done"},
    {"--set filesystem.fast_commit=false --set filesystem.fast_commit_kib=0",
     "for i in 1 2 3; do echo $i >>f; sync f; done"},
};

}  // namespace

TEST_CASE("--live: the prediction is what this kernel counts", "[record][root]") {
  SKIP_IF(no_comparison());
  const std::string folder = fcsim::test::new_folder("live");
  for (const Case& one : kCases) {
    INFO(one.options << " " << one.shell);
    const auto outcome =
        fcsim::test::run_undisturbed(std::string("validate --live --blocks ") + one.options +
                                         " -- sh -c '{ " + one.shell + "; } 2>/dev/null'",
                                     "TMPDIR='" + folder + "'");
    INFO(outcome.output << outcome.errors);
    CHECK(outcome.status == 0);
    CHECK(outcome.output.find("1 bundle: 1 exact") != std::string::npos);
    CHECK(fcsim::test::left_behind(folder).empty());
  }
}

// The root of a chroot need not be a mount point; only those can be made private.
TEST_CASE("--live: in a chroot", "[record][root]") {
  SKIP_IF(no_comparison());
  const std::string folder = fcsim::test::new_folder("live-chroot");
  const std::string script =
      "mount -t tmpfs none '" + folder + "' && mkdir '" + folder +
      "/root' && cd / && for e in *; do "
      "t='" +
      folder +
      "/root/'$e; if [ -L $e ]; then cp -d $e $t; elif [ -d $e ]; then "
      "mkdir $t && mount --rbind /$e $t || exit; fi; done; "
      "cd /tmp && chroot '" +
      folder + "/root' '" + fcsim::test::command() +
      "' validate --live -- sh -c 'echo >f; sync f; pwd >&2'; grep -c fcsim-live /proc/mounts";
  std::string quoted;
  for (const char c : script) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string output =
      fcsim::test::console_output(folder, "unshare -m sh -c '" + quoted + "' 2>&1");
  INFO(output);
  CHECK(output.find("/fcsim-live-") != std::string::npos);  // where the command ran
  CHECK(output.find("1 bundle: ") != std::string::npos);
  CHECK(output.ends_with("\n0\n"));  // nothing is mounted any more
}

TEST_CASE("--live: what cannot be made is refused, and nothing is left", "[record][root]") {
  SKIP_IF(fcsim::test::no_loop_devices());
  const std::string folder = fcsim::test::new_folder("live-refused");
  for (const char* options :
       {"--set filesystem.journal_blocks=8321", "--set filesystem.inode_count=65537",
        "--set kernel.hz=300", "--set writeback.dirty_expire_centisecs=4711",
        "--set filesystem.extra_isize=24"}) {
    const auto outcome = fcsim::test::run(std::string("validate --live ") + options + " -- true",
                                          "TMPDIR='" + folder + "'");
    INFO(options << outcome.output << outcome.errors);
    // A value that this machine cannot take is a fault of usage; mke2fs refuses the others.
    const bool of_machine = std::string(options).find("filesystem.") == std::string::npos;
    CHECK(outcome.status == (of_machine ? 2 : 1));
    CHECK(outcome.output.empty());
    const std::string key = std::string(options).substr(6);
    CHECK(outcome.errors.find(key.substr(0, key.find('='))) != std::string::npos);
    CHECK(fcsim::test::left_behind(folder).empty());
  }
}

TEST_CASE("--live: a signal ends it, and nothing is left but what is to be kept",
          "[record][root]") {
  SKIP_IF(fcsim::test::no_loop_devices());
  const std::string folder = fcsim::test::new_folder("live-signal");
  for (const std::string keep : {"", "--keep kept"}) {
    const std::string script =
        "cd '" + folder + "'; TMPDIR=. '" + fcsim::test::command() + "' validate --live " + keep +
        " -- sh -c 'echo >\"$0/begun\"; exec sleep 60' \"$PWD\" 2>errors >output & fcsim=$!\n"
        "for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done\n"
        "kill -TERM $fcsim; wait $fcsim; s=$?; rm -f begun errors output; exit $s";
    std::FILE* const pipe = popen(script.c_str(), "r");
    REQUIRE(pipe != nullptr);
    const int status = pclose(pipe);
    CHECK(WEXITSTATUS(status) == 1);
    if (!keep.empty()) {
      CHECK(fcsim::test::run("validate '" + folder + "/kept'").status == 0);
      std::filesystem::remove_all(folder + "/kept");
    }
    CHECK(fcsim::test::left_behind(folder).empty());
  }
}

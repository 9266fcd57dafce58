// Is what `fcsim record` leaves a usable bundle, however the recording ends?
#include <filesystem>

#include "tests/catch.h"
#include "tests/console.h"
#include "tests/record/machine.h"

using fcsim::test::left_behind;
using fcsim::test::LoopMount;
using fcsim::test::new_folder;
using fcsim::test::read_file;
using fcsim::test::run;
using fcsim::test::run_undisturbed;
using fcsim::test::shell_output;

namespace {

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

// Runs `fcsim record -o bundle ARGUMENTS` in `folder`, and the shell text `meanwhile` once the
// traced program has made a file "begun", with $fcsim and $strace set. "status N" of fcsim is the
// output.
std::string record_and(const std::string& folder, const std::string& arguments,
                       const std::string& meanwhile) {
  const std::string script = "cd " + quoted(folder) + "\n" + quoted(fcsim::test::command()) +
                             " record --with strace -o bundle " + arguments +
                             " 2>errors & fcsim=$!\n"
                             "for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done\n"
                             "read -r strace rest </proc/$fcsim/task/$fcsim/children\n" +
                             meanwhile + "\nwait $fcsim; echo status $?\n";
  return shell_output(script);
}

// A program that shows that it runs and then waits to be stopped.
constexpr const char* kWaiting = "--no-manifest -- sh -c 'echo $$ >begun; exec sleep 60'";

}  // namespace

TEST_CASE("record: usage errors", "[record]") {
  for (const char* arguments : {"record", "record -o x", "record -o x -p 1 -- y",
                                "validate --keep x tests/bundles/creat"}) {
    INFO(arguments);
    CHECK(fcsim::test::run(arguments).status == 2);
  }
}

TEST_CASE("a trivial command on whatever file system gives a bundle that says what it lacks",
          "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  const std::string folder = fcsim::test::new_folder("trivial");
  std::filesystem::create_directory("/dev/shm/fcsim-test-record");
  const std::string bundle = folder + "/bundle";
  const auto recorded =
      fcsim::test::run("record --with strace -o " + quoted(bundle) +
                       " --mount-point /dev/shm/fcsim-test-record -- sh -c 'exit 3'");
  std::filesystem::remove_all("/dev/shm/fcsim-test-record");
  INFO(recorded.errors);
  CHECK(recorded.status == 0);
  CHECK(recorded.output.empty());
  CHECK(recorded.errors.find("the command ended with status 3\n") != std::string::npos);
  CHECK(recorded.errors.find("neither ext4 nor XFS") != std::string::npos);
  CHECK(fcsim::test::read_file(bundle + "/env.toml").find("neither ext4 nor XFS") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(bundle + "/truth.toml"));
  CHECK(fcsim::test::run("run " + quoted(bundle)).status == 0);

  const std::string before = fcsim::test::read_file(bundle + "/env.toml");
  const auto again = fcsim::test::run("record --with strace -o " + quoted(bundle) + " -- true");
  CHECK(again.status == 1);
  CHECK(again.errors.find("--force replaces a bundle") != std::string::npos);
  CHECK(fcsim::test::read_file(bundle + "/env.toml") == before);
  const auto forced = fcsim::test::run("record --with strace --no-compress --force -o " +
                                       quoted(bundle) + " -- true");
  INFO(forced.errors);
  CHECK(forced.status == 0);
  CHECK(std::filesystem::exists(bundle + "/trace.strace"));
  CHECK_FALSE(std::filesystem::exists(bundle + "/trace.strace.zst"));
  CHECK(fcsim::test::run("run " + quoted(bundle)).status == 0);
}

TEST_CASE("what is mounted a second time is listed once", "[root][record]") {
  SKIP_IF(fcsim::test::no_loop_devices());
  const LoopMount loop("bind");
  REQUIRE(loop.ready());
  const std::string bundle = fcsim::test::new_folder("bind-bundle");
  REQUIRE(fcsim::test::succeeds("cd '" + loop.path() +
                                "' && mkdir -p a/in b && echo 1 >a/in/file && "
                                "touch c && mount --bind a b && mount --bind a/in/file c"));
  const auto recorded = fcsim::test::run(
      "record --with strace -o " + quoted(bundle) + " --mount-point " + quoted(loop.path()) +
      " -- sh -c 'echo 2 >>\"$0/a/in/file\"; sync \"$0/a/in/file\"' " + quoted(loop.path()));
  fcsim::test::succeeds("umount '" + loop.path() + "/b' '" + loop.path() + "/c'");
  INFO(recorded.errors);
  CHECK(recorded.status == 0);
  const std::string manifest = fcsim::test::read_file(bundle + "/manifest.tsv");
  CHECK(manifest.find("\ta/in/file\t") != std::string::npos);
  CHECK(manifest.find("\tb\t") == std::string::npos);
  CHECK(manifest.find("\tb/") == std::string::npos);
  CHECK(manifest.find("\tc\t") == std::string::npos);
  CHECK(fcsim::test::run("run " + quoted(bundle)).status == 0);
}

TEST_CASE("a command that cannot be started leaves no bundle", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  const std::string folder = fcsim::test::new_folder("no-command");
  const auto outcome = fcsim::test::run("record --with strace --no-manifest -o " +
                                        quoted(folder + "/bundle") + " -- /no/such/program");
  CHECK(outcome.status == 1);
  CHECK(fcsim::test::left_behind(folder).empty());
}

TEST_CASE("a recording that a signal ends is a bundle", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  for (const std::string signal : {"HUP", "TERM"}) {
    const std::string folder = fcsim::test::new_folder("signal-" + signal);
    const std::string output =
        record_and(folder, kWaiting, "sleep 0.3; kill -" + signal + " $fcsim");
    INFO(output << fcsim::test::read_file(folder + "/errors"));
    CHECK(output == "status 0\n");
    CHECK(fcsim::test::read_file(folder + "/errors").find("ended by a signal") !=
          std::string::npos);
    CHECK(fcsim::test::run("run " + quoted(folder + "/bundle")).status == 0);
  }
}

TEST_CASE("a recording whose strace is killed is a bundle that says so", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  const std::string folder = fcsim::test::new_folder("strace-killed");
  const std::string output = record_and(folder, kWaiting, "sleep 0.3; kill -KILL $strace");
  INFO(output << fcsim::test::read_file(folder + "/errors"));
  CHECK(output == "status 0\n");
  CHECK(fcsim::test::read_file(folder + "/bundle/env.toml").find("strace ended before") !=
        std::string::npos);
  CHECK(fcsim::test::run("run " + quoted(folder + "/bundle")).status == 0);
}

TEST_CASE("a recording that is killed itself leaves what it had", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  const std::string folder = fcsim::test::new_folder("killed");
  record_and(folder, std::string("--mount-point /dev/shm ") + kWaiting,
             "sleep 2; kill -KILL $fcsim $strace $(cat begun)");
  const auto outcome = fcsim::test::run("run " + quoted(folder + "/bundle/unfinished"));
  INFO(outcome.errors << fcsim::test::left_behind(folder));
  CHECK(outcome.status == 0);
}

TEST_CASE("a running program is recorded until the recording is ended", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  const std::string folder = fcsim::test::new_folder("attach");
  const std::string output = shell_output(
      "cd " + quoted(folder) +
      "\nsh -c 'while [ ! -e stop ]; do echo x >>data; sleep 0.05; done' & program=$!\n" +
      quoted(fcsim::test::command()) +
      " record --with strace --no-manifest -o bundle -p $program 2>errors & fcsim=$!\n"
      "for i in $(seq 300); do grep -qs '^TracerPid:[[:space:]]*[1-9]' /proc/$program/status && "
      "break; sleep 0.1; done\n"
      "sleep 1; kill -TERM $fcsim; wait $fcsim; echo status $?\n"
      "kill -0 $program && echo goes on; touch stop; wait $program\n");
  INFO(fcsim::test::read_file(folder + "/errors"));
  CHECK(output == "status 0\ngoes on\n");
  const auto outcome = fcsim::test::run("run -f json " + quoted(folder + "/bundle"));
  CHECK(outcome.status == 0);
}

TEST_CASE("what is recorded on a loop device is predicted exactly", "[root][record]") {
  SKIP_IF(fcsim::test::no_loop_devices());
  const LoopMount loop("exact");
  REQUIRE(loop.ready());
  const std::string bundle = fcsim::test::new_folder("exact-bundle");
  // Twice: the second time the mount has committed before and the folders have been read.
  for (const std::string name : {"first", "second"}) {
    const auto recorded = fcsim::test::run_undisturbed(
        "record --with strace --force -o " + quoted(bundle + "/" + name) + " --mount-point " +
        quoted(loop.path()) + " -- sh -c 'cd \"$0\"; for i in 1 2 3 4 5; do echo $i >>" + name +
        "; sync " + name + "; done; mv " + name + " moved; sync moved' " + quoted(loop.path()));
    INFO(recorded.errors);
    CHECK(recorded.status == 0);
    CHECK(recorded.errors.find("incomplete") == std::string::npos);
    const auto validated = fcsim::test::run("validate --blocks " + quoted(bundle + "/" + name));
    INFO(validated.output << validated.errors);
    CHECK(validated.status == 0);
    CHECK(validated.output.find("1 bundle: 1 exact") != std::string::npos);
  }
  const std::string env = fcsim::test::read_file(bundle + "/second/env.toml");
  CHECK(env.find("transactions_before = 0\n") == std::string::npos);
  CHECK(env.find("features = [\"has_journal\"") != std::string::npos);
  const std::string manifest = fcsim::test::read_file(bundle + "/second/manifest.tsv");
  CHECK(manifest.find("\tmoved\t0:") != std::string::npos);
}

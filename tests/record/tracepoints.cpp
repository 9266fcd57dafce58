// Does a recording through the kernel's tracepoints see what strace does not, and leave nothing?
#include <sys/utsname.h>

#include <cstdlib>

#include "sim/machine/record/tracepoints/probe.h"
#include "tests/catch.h"
#include "tests/console.h"
#include "tests/record/machine.h"

using test::console_output;
using test::new_folder;

namespace {

// Why nothing can be recorded and compared here; "" where it can.
std::string no_tracepoints() {
  if (const std::string why = test::no_loop_devices(); !why.empty()) return why;
  if (const std::string why = machine::record::tracepoints::Probe::unavailable(); !why.empty())
    return why;
  utsname name{};
  uname(&name);
  const std::string release = name.release;
  return release.starts_with("6.18") ? "" : "Linux " + release + " is no kernel that is compared";
}

// Runs a script in a mount namespace of its own, on a fresh file system, which is its folder; $F is
// the command, $B the folder that holds it.
std::string on_file_system(const std::string& folder, const std::string& script) {
  const std::string whole =
      "exec 2>&1; F='" + test::command() + "'; cd '" + folder +
      "'; B=$PWD; truncate -s 256M image; mke2fs -q -F -t ext4 -O fast_commit image; mkdir m; "
      "mount -o loop image m; cd m\n" +
      script + "\ncd /; umount '" + folder + "/m'";
  const std::string file = folder + "/script";
  std::FILE* const text = std::fopen(file.c_str(), "w");
  REQUIRE(text != nullptr);
  std::fputs(whole.c_str(), text);
  std::fclose(text);
  return console_output(folder, "unshare -m sh script");
}

bool has_program(const char* name) {
  return std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0;
}

void check_exact(const std::string& name, const std::string& record, const std::string& command) {
  INFO(name);
  std::string output;
  // On a busy machine a tick, or another program's sync, may fall into a recording.
  for (int recording = 0; recording < 3; ++recording) {
    output = on_file_system(new_folder("tracepoints-" + name),
                            "\"$F\" record -q --with tracepoints -o \"$B/b\" " + record + " -- " +
                                command + " >/dev/null\n\"$F\" validate --blocks \"$B/b\"");
    if (output.find("1 bundle: 1 exact") != std::string::npos) break;
  }
  INFO(output);
  CHECK(output.find("1 bundle: 1 exact") != std::string::npos);
}

}  // namespace

TEST_CASE("tracepoints: what a shell's programs do", "[record]") {
  SKIP_IF(no_tracepoints());
  check_exact("shell", "",
              "sh -c 'mkdir d; for i in 1 2 3; do echo $i >new; sync new; mv new d/note; sync d; "
              "done; cd d; echo 4 >>note; sync note; ln note other; sync .'");
}

TEST_CASE("tracepoints: stores through a mapping", "[record]") {
  SKIP_IF(no_tracepoints());
  SKIP_IF(has_program("python3") ? "" : "there is no python3");
  check_exact("mapping", "",
              "python3 -c 'import mmap,os\n"
              "f=os.open(\"m\",os.O_RDWR|os.O_CREAT);os.ftruncate(f,81920);os.fsync(f)\n"
              "m=mmap.mmap(f,81920)\n"
              "for i in range(20): m[i*4096]=65; m.flush(i*4096,4096) if i%2 else os.fsync(f)'");
}

TEST_CASE("tracepoints: two programs that rename and sync beside each other", "[record]") {
  SKIP_IF(no_tracepoints());
  check_exact("beside", "",
              "sh -c 'p() { for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >$1.new; sync $1.new; "
              "mv $1.new $1; sync $1; done; }; p a & p b & wait'");
}

TEST_CASE("tracepoints: io_uring and libaio", "[record]") {
  SKIP_IF(no_tracepoints());
  SKIP_IF(has_program("fio") ? "" : "there is no fio");
  for (const std::string engine : {"io_uring", "libaio"})
    check_exact(engine, "",
                "fio --name=j --filename=f --rw=write --bs=4k --size=400k --fallocate=none "
                "--create_on_open=1 --fsync=1 --iodepth=1 --ioengine=" +
                    engine);
}

TEST_CASE("tracepoints: another program on the file system", "[record]") {
  SKIP_IF(no_tracepoints());
  const std::string output = on_file_system(
      new_folder("tracepoints-foreign"),
      "(while [ ! -e go ]; do sleep 0.1; done; for i in 1 2 3 4 5; do echo $i >>foreign; "
      "sync foreign; done; echo >done) &\n"
      "\"$F\" record -q --whole-file-system -o \"$B/b\" -- sh -c 'echo 1 >own; sync own; echo >go; "
      "while [ ! -e done ]; do sleep 0.1; done; echo 2 >>own; sync own'; wait\n"
      "\"$F\" validate \"$B/b\"");
  INFO(output);
  CHECK(output.find("1 bundle: 1 exact") != std::string::npos);
}

TEST_CASE("tracepoints: a running program goes on when its recording is over", "[record]") {
  SKIP_IF(no_tracepoints());
  const std::string output = on_file_system(
      new_folder("tracepoints-running"),
      "sh -c 'while :; do echo 1 >>f; sync f; sleep 0.05; done' & p=$!\n"
      "sleep 0.5; \"$F\" record -q -p $p --for 1s -o \"$B/b\"; kill -0 $p && echo lives; kill $p; "
      "wait $p 2>/dev/null; sleep 0.3; \"$F\" run \"$B/b\" | grep 'fast commits, '; ls -l \"$B/b\" "
      "| grep -vc rw-------");
  INFO(output);
  CHECK(output.find("lives\n") != std::string::npos);
  CHECK(output.find(" fast commits, ") != std::string::npos);
  CHECK(output.ends_with("\n1\n"));  // of all lines only ls's total is for others
}

TEST_CASE("tracepoints: nothing is attached after kill -9", "[record]") {
  SKIP_IF(no_tracepoints());
  SKIP_IF(has_program("bpftool") ? "" : "there is no bpftool");
  const std::string output =
      on_file_system(new_folder("tracepoints-killed"),
                     "n() { bpftool prog | grep -c 'name on_\\|name watermark'; }; b=$(n)\n"
                     "\"$F\" record -q --with tracepoints -o \"$B/b\" -- sh -c 'echo 1 >f; sync f; "
                     "echo >begun; exec sleep 3' & "
                     "p=$!\n"
                     "for i in $(seq 100); do [ -e begun ] && break; sleep 0.1; done; sleep 1.5\n"
                     "[ $(n) -gt $b ] && echo attached; kill -9 $p; wait $p 2>/dev/null\n"
                     "for i in $(seq 50); do [ $(n) -le $b ] && break; sleep 0.1; done\n"
                     "[ $(n) -le $b ] && echo gone; sleep 2; \"$F\" run \"$B/b/unfinished\"");
  INFO(output);
  CHECK(output.find("attached\n") != std::string::npos);
  CHECK(output.find("gone\n") != std::string::npos);
  CHECK(output.find("1 sync call: ") != std::string::npos);  // the files say what was recorded
}

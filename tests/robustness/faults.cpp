// Signals, full disks, few descriptors, little memory: what is left, which exit status, what
// message.
#include <filesystem>

#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/console.h"

using fcsim::test::command;
using fcsim::test::read_file;

namespace {

// A new folder below the build folder. `prefix` of what is run there: $F is the command, $S the
// source tree.
std::string new_folder(const std::string& name) {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-files/fault-" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// What bash prints for `script` in `folder`.
std::string bash(const std::string& folder, const std::string& script) {
  const std::string file = folder + ".sh";
  std::ofstream(file) << "cd '" << folder << "' && F='" << command()
                      << "' S='" FCSIM_SOURCE_DIR "'\n"
                      << script;
  const std::string output =
      fcsim::test::shell_output("bash '" + file + "' 2>'" + folder + ".errors'");
  return output + read_file(folder + ".errors");
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::string no_strace() {
  return std::system("strace -o /dev/null true >/dev/null 2>&1") == 0 ? "" : "strace cannot trace";
}

// `script` with a file system of `size` at mnt that goes with the script. The rest of its line.
std::string on_tmpfs(const std::string& folder, const std::string& size,
                     const std::string& script) {
  std::ofstream(folder + ".inner")
      << "mkdir -p mnt && mount -t tmpfs -o size=" << size << " tmpfs mnt || exit 99\n"
      << script;
  return bash(folder, "export F S; unshare -m bash '" + folder + ".inner'\n");
}

}  // namespace

TEST_CASE("a conversion that a signal ends leaves nothing", "[faults]") {
  for (const std::string signal : {"INT", "TERM", "HUP", "KILL"}) {
    const std::string folder = new_folder("convert-" + signal);
    const std::string output =
        bash(folder,
             "mkfifo in\n"
             "env --default-signal=INT $F convert in -o out.fct & f=$!\n"
             "exec 3>in; zstd -qdc $S/tests/bundles/fragment-2000/trace.strace.zst >&3; sleep 0.3\n"
             "kill -" +
                 signal + " $f; wait $f; echo status $?; exec 3>&-; rm in; ls -A\n");
    INFO(signal << ": " << output);
    const std::string number = signal == "INT"    ? "130"
                               : signal == "TERM" ? "143"
                               : signal == "HUP"  ? "129"
                                                  : "137";
    CHECK(output.starts_with("status " + number + "\n"));
    CHECK(std::filesystem::is_empty(folder));
  }
}

TEST_CASE("a batch that a signal ends goes on from there", "[faults]") {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const std::string folder = new_folder("batch-" + signal);
    const std::string output =
        bash(folder,
             "batch='batch -q -j1 -o r.db -p filesystem.fast_commit_kib=128..4096*2 "
             "$S/tests/bundles/m*'\n"
             "eval exec env --default-signal=INT $F \"$batch\" & f=$!\n"
             "for i in $(seq 100); do [ -s r.db ] && break; sleep 0.05; done\n"
             "kill -" +
                 signal +
                 " $f; wait $f; s=$?\n"
                 "eval $F \"$batch\" || echo again: $?\n"
                 "eval $F \"${batch/r.db/whole.db}\"\n"
                 "$F batch --export csv r.db >r.csv && $F batch --export csv whole.db >w.csv\n"
                 "[ -s r.csv ] && cmp r.csv w.csv && echo same\n");
    INFO(signal << ": " << output);
    CHECK(has(output, "same\n"));
    CHECK_FALSE(has(output, "again:"));
  }
}

TEST_CASE("nohup keeps a recording and its command", "[faults][strace]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("nohup");
  const std::string output =
      bash(folder,
           "env --ignore-signal=HUP $F record --with strace --no-manifest -o b -- "
           "sh -c 'touch begun; sleep 1; echo done >finished' & f=$!\n"
           "for i in $(seq 200); do [ -e begun ] && break; sleep 0.1; done\n"
           "kill -HUP $f; wait $f; echo status $?; cat finished\n");
  INFO(output);
  CHECK(has(output, "status 0\ndone\n"));
  CHECK_FALSE(has(output, "ended by a signal"));
}

TEST_CASE("a program goes on where its recorder is killed", "[faults][strace]") {
  SKIP_IF(no_strace());
  for (const std::string who : {"$f", "$strace"}) {
    const std::string folder = new_folder("killed-" + who.substr(1));
    const std::string output =
        bash(folder,
             "$F record --with strace --no-manifest --mount-point /dev/shm -o b -- "
             "sh -c 'touch begun; sleep 3; echo done >finished' 2>errors & f=$!\n"
             "for i in $(seq 200); do [ -e begun ] && break; sleep 0.1; done\n"
             "read -r strace rest </proc/$f/task/$f/children\n"
             "sleep 1.5; kill -KILL " +
                 who +
                 "; wait $f; echo status $?\n"
                 "for i in $(seq 100); do [ -s finished ] && break; sleep 0.1; done; cat finished\n"
                 "ps -o stat= -p $strace | grep -q '^[^Z]' && echo strace is left\n"
                 "if [ -e b/env.toml ]; then b=b; else b=b/unfinished; fi\n"
                 "$F run -f json $b >answer && echo usable; stat -c %a b\n");
    INFO(who << ": " << output << read_file(folder + "/errors"));
    CHECK(has(output, who == "$f" ? "status 137\ndone\n" : "status 0\ndone\n"));
    CHECK(has(output, "usable\n"));
    CHECK(has(output, "700\n"));
    CHECK_FALSE(has(output, "strace is left"));
    if (who == "$strace") CHECK(has(read_file(folder + "/errors"), "the program goes on"));
  }
}

TEST_CASE("the second signal ends the command's group, and nothing else", "[faults][strace]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("second");
  const std::string output =
      bash(folder,
           "sleep 300 & other=$!\n"
           "$F record --with strace --no-manifest -o b -- sh -c 'trap \"\" TERM; echo $$ >begun; "
           "while :; do sleep 0.2; done' & f=$!\n"
           "for i in $(seq 200); do [ -s begun ] && break; sleep 0.1; done\n"
           "sleep 0.5; kill -TERM $f; sleep 0.5; kill -TERM $f; wait $f; echo status $?\n"
           "sleep 0.3; ps -o stat= -p $(cat begun) | grep -q '^[^Z]' && echo command is left\n"
           "kill -0 $other && echo other lives; kill $other\n");
  INFO(output);
  CHECK(has(output, "status 0\n"));
  CHECK(has(output, "other lives\n"));
  CHECK_FALSE(has(output, "command is left"));
}

// A thread that is not the first calls execve: its number is free from then on, and goes to another
// program, which nobody may signal.
TEST_CASE("a number of a thread that is gone is nobody to signal", "[faults][root]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("reuse");
  std::ofstream(folder + "/threads.py")
      << "import threading, os, time\n"
         "def replace():\n"
         "    open('tid', 'w').write(str(threading.get_native_id()))\n"
         "    os.execv('/bin/sleep', ['sleep', '3'])\n"
         "threading.Thread(target=replace).start()\n"
         "time.sleep(60)\n";
  const std::string output = bash(
      folder,
      "[ -w /proc/sys/kernel/ns_last_pid ] || { echo cannot; exit; }\n"
      "$F record --with strace --no-manifest --no-compress -o b -- python3 threads.py & f=$!\n"
      "for i in $(seq 100); do [ -s tid ] && break; sleep 0.1; done; t=$(cat tid); sleep 0.7\n"
      "for i in $(seq 300); do echo $((t - 1)) >/proc/sys/kernel/ns_last_pid; sleep 60 & v=$!\n"
      "[ $v = $t ] && break; kill $v; wait $v; done 2>/dev/null\n"
      "[ $v = $t ] || { echo cannot; kill $v; wait $f; exit; }\n"
      "wait $f; echo status $?; sleep 0.2; kill -0 $v && echo lives; kill $v\n"
      "grep -c superseded b/trace.strace\n");
  INFO(output);
  SKIP_IF(has(output, "cannot\n") ? "the number of the next process cannot be chosen" : "");
  CHECK(has(output, "status 0\nlives\n"));
}

TEST_CASE("a full disk is an error that leaves nothing half", "[faults][root]") {
  const std::string space = "No space left on device\n";
  const std::string tried =
      on_tmpfs(new_folder("full"), "32k",
               "cd mnt\n"
               "$F workload append-fsync --fsyncs 20000 -o w; echo workload $?; ls -A\n"
               "zstd -qdc $S/tests/bundles/fragment-2000/trace.strace.zst >../t.strace\n"
               "$F convert ../t.strace -o t.fct; echo convert $?; ls -A\n"
               "head -c 40000 /dev/zero >fill 2>/dev/null\n"
               "$F run -f json $S/tests/bundles/creat >answer; echo run $?; rm answer\n"
               "$F batch -q -o r.db $S/tests/bundles/creat; echo batch $?\n");
  INFO(tried);
  CHECK(has(tried, "workload 1\nconvert 1\nrun 1\nbatch 1\n"));
  CHECK(has(tried, "w/trace.strace.zst: cannot be written: " + space));
  CHECK(has(tried, "t.fct: cannot be written: " + space));
  CHECK(has(tried, "standard output: " + space));
}

TEST_CASE("a recording whose disk fills up lets the program go on", "[faults][root]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("full-record");
  const std::string output = on_tmpfs(
      folder, "96k",
      "$F record --with strace --no-manifest --no-compress --mount-point /dev/shm -o mnt/b -- "
      "sh -c 'i=0; while [ $i -lt 3000 ]; do echo $i >data; i=$((i+1)); done; echo done "
      ">finished'\n"
      "echo status $?; for i in $(seq 100); do [ -s finished ] && break; sleep 0.1; done\n"
      "cat finished; $F run -f json mnt/b/unfinished >/dev/null && echo usable\n");
  INFO(output);
  CHECK(has(output, "status 1\ndone\nusable\n"));
  CHECK(has(output, "No space left on device"));
}

TEST_CASE("a file system that is read-only is an error", "[faults][root]") {
  const std::string output =
      on_tmpfs(new_folder("read-only"), "1m",
               "cp -r $S/tests/bundles/creat mnt/ && mount -o remount,ro mnt && cd mnt\n"
               "$F workload append-fsync -o w; echo workload $?\n"
               "$F convert creat/trace.strace.zst -o t.fct; echo convert $?\n"
               "$F record --no-manifest -o b -- true; echo record $?\n"
               "$F batch -q -o r.db creat; echo batch $?\n"
               "$F run -f kernel creat >/dev/null; echo run $?\n");
  INFO(output);
  CHECK(has(output, "workload 1\nconvert 1\nrecord 1\nbatch 1\nrun 0\n"));
  CHECK(has(output, "t.fct: cannot be written: Read-only file system\n"));
}

TEST_CASE("few descriptors and little memory give a message", "[faults]") {
  const std::string folder = new_folder("limits");
  const std::string output = bash(
      folder,
      "for i in $(seq 60); do echo \"1796038021.0 fsync(3</mnt/creat/f>) = 0 <0.1>\" >t.$i; done\n"
      "(ulimit -n 20; $F run t.* -c $S/tests/bundles/creat/env.toml >/dev/null); echo many $?\n"
      "(ulimit -n 4; $F run $S/tests/bundles/creat >/dev/null); echo few $?\n"
      "(ulimit -v 90000; $F run $S/tests/bundles/creat >/dev/null); echo small $?\n"
      "python3 -c \"print('100 1.0 write(3</mnt/creat/f>, \\\"' + 'x' * 60000000 + '\\\", 4) = "
      "4')\""
      " >long\n"
      "(ulimit -v 60000; $F run long -c $S/tests/bundles/creat/env.toml >/dev/null); echo long "
      "$?\n");
  INFO(output);
  CHECK(has(output, "many "));
  CHECK(has(output, "few 1\n"));
  CHECK(has(output, "Too many open files\n"));
  CHECK(has(output, "small 0\n"));
  CHECK(has(output, "long 1\n"));
  CHECK(has(output, "fcsim: out of memory\n"));
}

TEST_CASE("every locale gives the same bytes", "[faults]") {
  const std::string folder = new_folder("locales");
  const std::string output =
      bash(folder,
           "for l in C POSIX C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8; do\n"
           "  for f in text markdown json csv kernel; do LC_ALL=$l $F run -f $f "
           "$S/tests/bundles/acl; done\n"
           "  LC_ALL=$l $F explain $S/tests/bundles/art-fc128\n"
           "  LC_ALL=$l $F sweep -p mount.commit_interval_s=5,30 $S/tests/bundles/creat\n"
           "done >all; [ -s all ] && split -n 5 all part && for p in part*; do cmp partaa $p || "
           "echo other; "
           "done && echo compared\n");
  INFO(output);
  CHECK(output == "compared\n");
}

TEST_CASE("an ordinary user gets answers, and a recording that says what it lacks",
          "[faults][root]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("user");
  const std::string output = bash(
      folder,
      "d=$(mktemp -d) && cp $F $d/fcsim && cp -r $S/tests/bundles/creat $S/configs $d && "
      "chown -R 65534:65534 $d && cd $d\n"
      "export FCSIM_CONFIG_DIR=$d/configs; u='setpriv --reuid=65534 --regid=65534 --clear-groups'\n"
      "$u ./fcsim run -f kernel creat >/dev/null; echo run $?\n"
      "$u ./fcsim record --with strace -q -o b --mount-point $d -- sh -c 'echo a >f; sync f'\n"
      "echo record $?; $u ./fcsim run -f json b >/dev/null; echo run $?\n"
      "stat -c '%a %U' b b/env.toml; $u ./fcsim record --with tracepoints -o c -- true; echo c $?\n"
      "cd /; rm -rf $d\n");
  INFO(output);
  CHECK(has(output, "run 0\nrecord 0\nrun 0\n700 nobody\n600 nobody\n"));
  CHECK(has(output, "c 1\n"));
}

TEST_CASE("a mount point that is not UTF-8 is recorded and predicted", "[faults][root]") {
  SKIP_IF(no_strace());
  const std::string folder = new_folder("bytes");
  const std::string output =
      on_tmpfs(folder, "1m",
               "m=mnt/$'a\\xff\\xc3('; mkdir \"$m\" && mount -t tmpfs tmpfs \"$m\" || exit\n"
               "$F record --with strace --no-manifest -q -o b --mount-point \"$m\" -- "
               "sh -c 'cd \"$1\"; echo a >f; sync f' sh \"$PWD/$m\"\n"
               "$F run -f json b | grep '\"fsync\"'\n");
  INFO(output);
  CHECK(has(output, "\"fsync\": 1"));
}

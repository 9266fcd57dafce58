// Traces as people have them: the right answer, or the refusal or warning that helps.
#include <lzma.h>
#include <zlib.h>

#include "model/common/error.h"
#include "sim/report/report.h"
#include "tests/wild/helper.h"
#include "traces/bundle/manifest.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::string unsupported_of(const engine::Prediction& prediction) {
  std::string text;
  for (const auto& [what, count] : prediction.unsupported)
    text += what + ": " + std::to_string(count) + "\n";
  return text;
}

std::string error_of(const std::string& input, const std::string& mount_point = "") {
  try {
    predict(input, mount_point);
  } catch (const model::InputError& error) {
    return error.what();
  }
  return "";
}

bool lacks(const engine::Prediction& prediction, const std::string& what) {
  for (const std::string& fault : prediction.quality.lacking)
    if (fault.find(what) != std::string::npos) return true;
  return false;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(text.size() + 1024, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string xz(const std::string& text) {
  std::string out(text.size() + 4096, '\0');
  std::size_t used = 0;
  REQUIRE(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &used,
                                  out.size()) == LZMA_OK);
  out.resize(used);
  return out;
}

// 400 appends, each with an fsync.
std::string appends() {
  std::string text =
      "1 1700000000.000000 openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3 "
      "<0.000010>\n";
  for (int i = 0; i < 400; ++i) {
    const std::string ms = std::to_string(100000 + i * 100).substr(1);
    text += "1 1700000001.0" + ms + " write(3, \"x\", 1) = 1 <0.000010>\n";
    text += "1 1700000002.0" + ms + " fsync(3) = 0 <0.000050>\n";
  }
  return text;
}

}  // namespace

TEST_CASE("calls on whole lines are in order", "[wild]") {
  for (const char* name : {"seq-two-pids-notime.strace", "seq-two-pids-t.strace"}) {
    INFO(name);
    const engine::Prediction prediction = predict(data(name));
    CHECK(prediction.commits == 7);
    CHECK(prediction.transactions == 1);
    CHECK(lacks(prediction, "no durations"));
  }
  const engine::Prediction fast = predict(data("fast-device-ttt-noT.strace"));
  CHECK(fast.commits == 6);
  CHECK(fast.transactions == 1);
}

TEST_CASE("sync calls on unknown descriptors are counted, and may be taken as files'", "[wild]") {
  const std::string input = data("attached-no-y.strace");
  const engine::Prediction unknown = predict(input);
  CHECK(lacks(unknown, "3 sync calls on unknown descriptors"));
  CHECK(unsupported_of(unknown).find("sync calls on descriptors of unknown origin") !=
        std::string::npos);
  const engine::Prediction files = predict(input, "", {"trace.unknown_are_files=true"});
  CHECK(files.sync_calls.fdatasync == 2);
  CHECK(files.sync_calls.fsync == 1);
  const engine::Prediction named =
      predict(input, "/d", {"trace.descriptors=83=/d/a,84=/elsewhere/b"});
  CHECK(named.sync_calls.fdatasync == 2);
  CHECK(named.sync_calls.fsync == 0);
}

TEST_CASE("a trace without writes says so", "[wild]") {
  CHECK(lacks(predict(data("no-writes-recorded.strace")), "no write was recorded"));
  const std::string only_files =
      scratch("file.strace",
              "1 1700000000.000000 openat(AT_FDCWD, \"/d/a\", O_WRONLY) = 3 <0.000010>\n"
              "1 1700000000.001000 rename(\"/d/a\", \"/d/b\") = 0 <0.000010>\n");
  CHECK(lacks(predict(only_files), "no write and no sync call"));
}

TEST_CASE("of a root file system, /proc, /sys, /dev and /run are others", "[wild]") {
  const engine::Prediction prediction = predict(data("root-mount-pseudo-fs.strace"), "/");
  CHECK(prediction.commits == 2);
  CHECK(prediction.transactions == 1);
}

TEST_CASE("columns of -n and -i", "[wild]") {
  const engine::Prediction numbers = predict(data("strace-n.strace"));
  CHECK(numbers.sync_calls.fsync == 1);
  CHECK(numbers.transactions == 1);
  const std::string pointers = scratch(
      "i.strace",
      "7 1700000000.001000 [00007f8d2c1b0a10] openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = "
      "3 <0.000010>\n7 1700000000.002000 [00007f8d2c1b0a10] write(3, \"1\", 1 <unfinished ...>\n"
      "7 1700000000.002100 [00007f8d2c1b0a10] <... write resumed>) = 1 <0.000100>\n"
      "7 1700000000.003000 [????????????????] fsync(3) = 0 <0.000500>\n"
      "7 1700000000.004000 [00007f8d2c1b0a10] +++ exited with 0 +++\n");
  const engine::Prediction prediction = predict(pointers);
  CHECK(prediction.sync_calls.fsync == 1);
  CHECK(prediction.transactions == 1);
  CHECK(unsupported_of(prediction).empty());
}

TEST_CASE("the program's own text between strace's", "[wild]") {
  const std::string mixed =
      scratch("mixed.strace",
              "openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3\n"
              "write(2, \"hello\\nworld\\n\", 12hello\nworld\n)          = 12\n"
              "write(1, \"half\", 4half)                     = 4\n"
              "write(3, \"x\", 1)                       = 1\n"
              "50 % donefsync(3)                          = 0\n"
              "+++ exited with 0 +++\n");
  const engine::Prediction prediction = predict(mixed);
  CHECK(prediction.sync_calls.fsync == 1);
  CHECK(unsupported_of(prediction).find("could not be parsed") == std::string::npos);
}

TEST_CASE("another name of strace's binary", "[wild]") {
  const std::string renamed =
      scratch("renamed.strace",
              "strace-arm64: Process 75 attached\n"
              "[pid 75] openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3\n"
              "[pid 75] clone(child_stack=NULL, flags=SIGCHLDstrace-arm64: Process 76 attached\n"
              " <unfinished ...>\n"
              "[pid 76] fsync(3) = 0\n"
              "[pid 75] <... clone resumed>) = 76\n");
  const engine::Prediction prediction = predict(renamed);
  CHECK(prediction.sync_calls.fsync == 1);
  CHECK(unsupported_of(prediction).find("could not be parsed") == std::string::npos);
}

TEST_CASE("halves of calls without pids are matched by the call's name", "[wild]") {
  const std::string nameless = scratch("nameless.strace",
                                       "openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3\n"
                                       "openat(AT_FDCWD, \"/d/b\", O_WRONLY|O_CREAT, 0644) = 4\n"
                                       "write(3, \"x\", 1) = 1\n"
                                       "fsync(3 <unfinished ...>\n"
                                       "write(4, \"x\", 1 <unfinished ...>\n"
                                       "<... fsync resumed>) = 0\n"
                                       "<... write resumed>) = 1\n"
                                       "fsync(4) = 0\n");
  const engine::Prediction prediction = predict(nameless);
  CHECK(prediction.sync_calls.fsync == 2);
  CHECK(prediction.transactions == 1);
  CHECK(prediction.commits == 1);
  CHECK(unsupported_of(prediction).empty());
}

TEST_CASE("arrays and strings that -s 0 cuts are passed over", "[wild]") {
  const std::string cut = scratch(
      "s0.strace",
      "1 1700000000.000000 openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>\n"
      "1 1700000000.001000 writev(3, [...], 2) = 4 <0.000010>\n"
      "1 1700000000.002000 pipe2([...], O_CLOEXEC) = 0 <0.000010>\n"
      "1 1700000000.003000 utimensat(AT_FDCWD, \"/d/a\", [...], 0) = 0 <0.000010>\n"
      "1 1700000000.004000 setxattr(\"/d/a\", \"\"..., \"\"..., 5, 0) = 0 <0.000010>\n"
      "1 1700000000.005000 io_submit(0x7f1, 1, [...]) = 1 <0.000010>\n"
      "1 1700000000.006000 fsync(3) = 0 <0.000500>\n");
  const engine::Prediction prediction = predict(cut);
  CHECK(prediction.sync_calls.fsync == 1);
  CHECK(unsupported_of(prediction).find("could not be parsed") == std::string::npos);
  CHECK(unsupported_of(prediction).find("io_submit calls whose requests") != std::string::npos);
}

TEST_CASE("calls that an old strace prints by their number are counted", "[wild]") {
  const std::string numbered = scratch(
      "numbered.strace",
      "1 1700000000.000000 openat(AT_FDCWD, \"/d/a\", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>\n"
      "1 1700000000.001000 syscall_0x1cf(0xffffff9c, 0x7f1, 0, 0x7f2, 0x7f3, 0x10) = 0 <0.000010>\n"
      "1 1700000000.002000 syscall_463(0xffffff9c, 0x7f1, 0, 0x7f2, 0x7f3, 0x10) = 0 <0.000010>\n"
      "1 1700000000.003000 syscall_0x1d0(0xffffff9c, 0x7f1, 0, 0x7f2, 0x7f3, 0x10) = 0 <0.000010>\n"
      "1 1700000000.004000 fsync(3) = 0 <0.000500>\n");
  CHECK(unsupported_of(predict(numbered)).find("strace did not know") != std::string::npos);
  CHECK(unsupported_of(predict(numbered)).find(": 2\n") != std::string::npos);
}

TEST_CASE("connect, setxattrat and a mount below the mount point", "[wild]") {
  // Its trace was recorded without connect; the calls stand where they were made, and one of the
  // five was made in another tick than the bind.
  CHECK(counted(predict(data("connect-touches-socket"))) == Counted{4, 7, 4, 7, 7});
  CHECK(counted(predict(data("setxattrat"))) == Counted{0, 7, 0, 7, 7});
  CHECK(counted(predict(data("nested-tmpfs"))) == Counted{1, 0, 1, 0, 0});
  const engine::Prediction listed =
      predict(data("nested-tmpfs"), "", {"trace.other_mounts=/mnt/x/sub"});
  CHECK(counted(listed) == Counted{1, 0, 1, 0, 0});
}

TEST_CASE("what is not strace's is refused with advice", "[wild]") {
  CHECK(error_of(data("ltrace-S.txt")).find("ltrace") != std::string::npos);
  CHECK(error_of(data("device-only.iolog")).find("device /dev/sdx") != std::string::npos);
  CHECK(error_of(scratch("bz2", "BZh91AY&SY")).find("bunzip2") != std::string::npos);
}

TEST_CASE("text of another system: line ends, marks, UTF-16", "[wild]") {
  const std::string text = appends();
  const Counted expected = counted(predict(scratch("unix.strace", text)));
  std::string crlf, little, big;
  for (const char c : text) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    little += {c, '\0'};
    big += {'\0', c};
  }
  CHECK(counted(predict(scratch("crlf.strace", crlf))) == expected);
  CHECK(counted(predict(scratch("bom.strace", "\xef\xbb\xbf" + text))) == expected);
  CHECK(counted(predict(scratch("le.strace", "\xff\xfe" + little))) == expected);
  CHECK(counted(predict(scratch("be.strace", "\xfe\xff" + big))) == expected);
  CHECK(counted(predict(scratch("bare-le.strace", little))) == expected);
  CHECK(counted(predict(scratch("bare-be.strace", big))) == expected);
}

TEST_CASE("-r together with -ttt puts a note after the time", "[wild]") {
  const std::string text = appends();
  std::string noted;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    noted += text.substr(at, 20) + "(+     0.000100) " + text.substr(at + 20, end + 1 - at - 20);
    at = end + 1;
  }
  const engine::Prediction prediction = predict(scratch("noted.strace", noted));
  CHECK(counted(prediction) == counted(predict(scratch("plain2.strace", text))));
  CHECK(unsupported_of(prediction).find("could not be parsed") == std::string::npos);
}

TEST_CASE("two traces in one file are told", "[wild]") {
  CHECK(lacks(predict(scratch("twice.strace", appends() + appends())), "times run backwards"));
}

TEST_CASE("text that is nearly strace's is refused with what mends it", "[wild]") {
  const std::string call =
      "77 1700000000.000000 openat(AT_FDCWD, \"/d/a\", O_WRONLY) = 3 <0.000010>\n";
  const auto refused = [](const char* name, const std::string& text) {
    return error_of(scratch(name, text));
  };
  CHECK(refused("quoted", "> " + call).find("quoted") != std::string::npos);
  CHECK(refused("grep", "trace.77:" + call).find("'trace.77:'") != std::string::npos);
  CHECK(refused("numbered", "     1\t" + call).find("sed -E 's/^.{7}//'") != std::string::npos);
  CHECK(refused("html", "77 openat(AT_FDCWD, &quot;/d/a&quot;, O_WRONLY) = 3 &lt;0.000010&gt;\n")
            .find("the source of a page") != std::string::npos);
  CHECK(refused("comma", "77 1700000000,000000 fsync(3) = 0 <0,000010>\n").find("comma") !=
        std::string::npos);
}

TEST_CASE("other tracers are named", "[wild]") {
  const auto refused = [](const char* name, const std::string& text) {
    return error_of(scratch(name, text));
  };
  CHECK(refused("perf", "     0.050 ( 1.204 ms): prog/77 fsync(fd: 3) = 0\n").find("perf trace") !=
        std::string::npos);
  CHECK(refused("dtruss", "SYSCALL(args) \t\t = return\nfsync(0x3, 0x0, 0x0)\t\t = 0 0\n")
            .find("dtruss") != std::string::npos);
  CHECK(refused("kdump", "   77 prog     CALL  fsync(0x3)\n").find("kdump") != std::string::npos);
  CHECK(refused("bpftrace", "Attaching 3 probes...\n77 prog fsync 3\n").find("bpftrace") !=
        std::string::npos);
  CHECK(refused("ftrace", "# tracer: nop\n#\n").find("ftrace") != std::string::npos);
  CHECK(refused("truss",
                "openat(AT_FDCWD,\"base/2674\",O_RDWR,00) = 17 (0x11)\nfsync(0x11) = 0 (0x0)\n")
            .find("truss") != std::string::npos);
  CHECK(refused("ltrace",
                "77 open(\"/d/a\", 66, 0644) = 3\n77 fsync(3, 0, 0) = 0\n"
                "77 +++ exited (status 0) +++\n")
            .find("ltrace") != std::string::npos);
}

TEST_CASE("an empty trace, and times that run backwards, are told", "[wild]") {
  CHECK(lacks(predict(data("empty.strace")), "no call"));
  CHECK(unsupported_of(predict(data("times-backwards.iolog"))).find("ran backwards") !=
        std::string::npos);
}

TEST_CASE("a mount point is normalised, and one that nothing touches is an error", "[wild]") {
  const std::string input = scratch("appends.strace", appends());
  const std::uint64_t expected = predict(input, "/d").commits;
  CHECK(expected > 300);
  for (const char* point : {"/d/", "//d", "/./d", "/x/../d"})
    CHECK(predict(input, point).commits == expected);
  const std::string error = error_of(input, "/nonexist");
  CHECK(error.find("400 sync calls") != std::string::npos);
  CHECK(error.find("/nonexist") != std::string::npos);
}

TEST_CASE("gzip and xz are read, and a cut one is said to be cut", "[wild]") {
  const std::string text = appends();
  const Counted expected = counted(predict(scratch("plain.strace", text)));
  for (const std::string& packed : {gzip(text), xz(text)}) {
    CHECK(counted(predict(scratch("packed", packed))) == expected);
    const engine::Prediction cut = predict(scratch("cut", packed.substr(0, packed.size() / 2)));
    CHECK(lacks(cut, "could not be read"));
  }
}

TEST_CASE("an answer opens with how far it can be trusted", "[wild]") {
  configuration::LoadedConfiguration configuration;
  const engine::Prediction prediction = predict(data("seq-two-pids-notime.strace"));
  const std::string text =
      report::text_of(report::prediction_document(configuration, prediction), {});
  CHECK(text.starts_with("Input: poor: no times (-ttt); no durations (-T)"));
}

TEST_CASE("a manifest tells flags, ACLs and projects", "[wild]") {
  const std::string head = "d\t755\t2\t3\t4096\t8\t.\n";
  const model::InitialState plain = traces::bundle::parse_manifest(head, "plain");
  CHECK_FALSE(plain.attributes_known);
  const model::InitialState state = traces::bundle::parse_manifest(
      head +
          "d\t755\t12\t2\t4096\t8\tj\t\tflags=80008,default-acl,label\n"
          "f\t644\t13\t1\t5\t8\tj/f\t0:33280:1\tflags=10080000,project=7,acl\n",
      "attributes");
  CHECK(state.attributes_known);
  REQUIRE(state.files.size() == 3);
  CHECK(state.files[1].flags == 0x80008);
  CHECK(state.files[1].default_acl);
  CHECK(state.files[1].label);
  CHECK(state.files[2].flags == 0x10080000);
  CHECK(state.files[2].project == 7);
  CHECK(state.files[2].access_acl);
  CHECK_THROWS_AS(traces::bundle::parse_manifest(head + "f\t644\t13\t1\t5\t8\tf\t\tfoo\n", "bad"),
                  model::InputError);
}

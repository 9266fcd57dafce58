// Does the binary form say all that the text says, and nothing else?
#include <algorithm>

#include "sim/questions/convert/convert.h"
#include "sim/replay/session.h"
#include "sim/report/report.h"
#include "tests/convert/helper.h"
#include "traces/binary/call_numbers.h"
#include "traces/bundle/bundle.h"
#include "traces/bundle/open.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::vector<std::string> bundles() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Both forms tell the same, and the binary form has the fingerprints of the text.
void check_same(const std::vector<std::string>& files, std::optional<int> zstd_level) {
  const traces::ReaderOptions options{.strict = false, .fingerprint = true};
  const std::string expected = account(*traces::strace::open_strace(files, options));
  const std::string bytes = convert(*traces::strace::open_strace(files, options), zstd_level);
  traces::binary::Reader reader = open_binary(bytes);
  CHECK(account(reader) == expected);
}

std::string json_of(const std::vector<std::string>& inputs) {
  replay::SessionRequest request;
  request.inputs = inputs;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  const replay::Session session = replay::predict(request);
  std::string text = report::json_report(session.configuration, session.prediction);
  for (const std::string& warning : session.warnings) text += warning + "\n";
  for (const std::string& file : session.trace_files) text += file + "\n";
  return text;
}

questions::convert::Converted convert_files(const std::vector<std::string>& inputs,
                                            const std::string& output) {
  questions::convert::ConvertRequest request;
  request.inputs = inputs;
  request.output = output;
  request.fcsim_version = "test";
  return questions::convert::convert(request);
}

}  // namespace

TEST_CASE("the events of every bundle are those of its text", "[convert]") {
  REQUIRE(bundles().size() > 100);
  for (const std::string& name : bundles()) {
    INFO(name);
    check_same({traces::bundle::find_bundle(bundle_folder(name)).trace}, {});
  }
}

TEST_CASE("compression changes nothing", "[convert]") {
  for (const char* name : {"press-creat", "art-fc128", "acl", "via-symlink"}) {
    INFO(name);
    check_same({bundle_folder(name) + "/trace.strace.zst"}, 1);
    check_same({bundle_folder(name) + "/trace.strace.zst"}, 19);
  }
  const std::string text = varied_text();
  CHECK(convert_text(text, 3).size() != convert_text(text).size());
}

TEST_CASE("lines that are odd, split or no lines at all", "[convert]") {
  const Workspace workspace;
  const std::string path = workspace.write("odd.strace", varied_text());
  check_same({path}, {});
  check_same({workspace.write("windows.strace", "10 1800000000.000101 fsync(3) = 0\r\n")}, {});
  check_same({workspace.write("no-times.strace", "fsync(3) = 0\nfsync(3) = 0")}, {});
  check_same({workspace.write("empty.strace", "")}, {});
}

TEST_CASE("the files of strace -ff stay apart", "[convert]") {
  const Workspace workspace;
  const std::vector<std::string> files = {
      workspace.write("t.7",
                      "1800000000.000001 fsync(3</m/a>) = 0\nnonsense\n"
                      "1800000002.000001 fsync(3</m/a>) = 0\n"),
      workspace.write("t.8", "rubbish\n1800000001.000001 fsync(3</m/b>) = 0\n")};
  check_same(files, {});
  const std::string bytes = convert(*traces::strace::open_strace(files, {}));
  traces::binary::Reader reader = open_binary(bytes);
  std::vector<std::string> origins;
  for (traces::Event event; reader.next(event);)
    origins.push_back(
        std::filesystem::path(reader.sources().at(event.source).path).filename().string() + ":" +
        std::to_string(event.line) + " " + std::to_string(event.pid));
  CHECK(origins == std::vector<std::string>{"t.7:1 7", "t.8:2 8", "t.7:3 7"});
}

TEST_CASE("blocks stand alone: long traces and long strings", "[convert]") {
  std::string text;
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i % 7 + 1) + " 18000" + std::to_string(10000 + i) +
            ".000001 unlink(\"/m/" + std::string(static_cast<std::size_t>(i % 50), 'n') +
            std::to_string(i) + "\") = 0\n";
  text += "1 1800090000.000001 unlink(\"/m/" + std::string(std::size_t{1} << 20, 'x') + "\") = 0\n";
  const std::string bytes = convert_text(text);
  CHECK(take_apart(bytes).blocks.size() >= 10);
  traces::binary::Reader reader = open_binary(bytes);
  CHECK(account(reader) == account(*traces::strace::open_strace_text(text, "t", {})));
}

TEST_CASE("strict stops where it stops in the text", "[convert]") {
  for (const std::string& text :
       {varied_text(), "nonsense\n" + varied_text(), varied_text() + "last"}) {
    std::string expected;
    std::uint64_t events = 0;
    try {
      const auto reader = traces::strace::open_strace_text(text, "t", {.strict = true});
      for (traces::Event event; reader->next(event);) ++events;
    } catch (const model::InputError& error) {
      expected = error.what();
    }
    CHECK_FALSE(expected.empty());
    const std::string bytes = convert_text(text);
    CHECK(refusal(bytes, true) == expected);
    traces::binary::Reader reader = open_binary(bytes, true);
    traces::Event event;
    for (std::uint64_t i = 0; i < events; ++i) CHECK(reader.next(event));
    CHECK_THROWS_AS(reader.next(event), model::InputError);
  }
}

TEST_CASE("predictions are the same to the byte", "[convert]") {
  const Workspace workspace;
  for (const char* name : {"art-fc128", "setxattr", "press-creat", "mt-append-2", "wb-write-40s"}) {
    INFO(name);
    const std::string output = workspace.path(name);
    const questions::convert::Converted converted = convert_files({bundle_folder(name)}, output);
    CHECK(converted.file == output + "/trace.fct");
    CHECK(json_of({output}) == json_of({bundle_folder(name)}));
    CHECK(read_bytes(output + "/env.toml") == read_bytes(bundle_folder(name) + "/env.toml"));
    CHECK(std::filesystem::exists(output + "/commits.tsv.zst") ==
          std::filesystem::exists(bundle_folder(name) + "/commits.tsv.zst"));
    CHECK_FALSE(std::filesystem::exists(output + "/trace.strace.zst"));
  }
  const std::string odd = workspace.write("odd.strace", varied_text());
  convert_files({odd}, workspace.path("odd.fct"));
  CHECK(json_of({workspace.path("odd.fct")}) == json_of({odd}));
}

TEST_CASE("converting again keeps where the trace came from", "[convert]") {
  const Workspace workspace;
  const std::string odd = workspace.write("odd.strace", varied_text());
  convert_files({odd}, workspace.path("once.fct"));
  const questions::convert::Converted again =
      convert_files({workspace.path("once.fct")}, workspace.path("b.fct"));
  const bool same = read_bytes(workspace.path("b.fct")) == read_bytes(workspace.path("once.fct"));
  CHECK(same);
  REQUIRE(again.sources.size() == 1);
  CHECK(again.sources.front().path == odd);
  CHECK(again.sources.front().lines == 13);
  CHECK(again.sources.front().bytes == varied_text().size());
  CHECK(again.sources.front().xxh64 == XXH64(varied_text().data(), varied_text().size(), 0));
}

TEST_CASE("a compressed binary trace is read like any compressed trace", "[convert]") {
  const Workspace workspace;
  const std::string plain = workspace.write("t.fct", convert_text(varied_text()));
  REQUIRE(std::system(("zstd -qf '" + plain + "'").c_str()) == 0);
  CHECK(account(*traces::bundle::open_trace({plain + ".zst"}, {})) ==
        account(*traces::bundle::open_trace({plain}, {})));
}

TEST_CASE("a binary trace is given alone", "[convert]") {
  const Workspace workspace;
  const std::string plain = workspace.write("t.fct", convert_text(varied_text()));
  const std::string text = workspace.write("t.strace", varied_text());
  CHECK_THROWS_AS(traces::bundle::open_trace({plain, text}, {}), model::InputError);
  CHECK_THROWS_AS(traces::bundle::open_trace({text, plain}, {}), model::InputError);
}

TEST_CASE("every call has its number, and docs/formats.md lists it", "[convert]") {
  const auto calls = traces::binary::numbered_calls();
  const auto last = static_cast<std::size_t>(traces::Call::events_lost);
  CHECK(calls.size() == last);
  for (std::size_t call = 1; call <= last; ++call)
    CHECK(traces::binary::number_of(static_cast<traces::Call>(call)) != 0);
  // The numbers of files that exist.
  CHECK(traces::binary::number_of(traces::Call::open) == 1);
  CHECK(traces::binary::number_of(traces::Call::write) == 18);
  CHECK(traces::binary::number_of(traces::Call::fsync) == 41);
  CHECK(traces::binary::number_of(traces::Call::process_replaced) == 101);
  CHECK(traces::binary::number_of(traces::Call::events_lost) == 121);
  const std::string page = read_bytes(std::string(FCSIM_SOURCE_DIR) + "/docs/formats.md");
  for (const char* row : {"| 1 | `open` |", "| 18 | `write` |", "| 41 | `fsync` |",
                          "| 101 | `process_replaced` |", "| 116 | `events_lost` |"}) {
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

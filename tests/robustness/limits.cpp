// Does input that is built to hurt get a plain answer, in little memory?
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>

#include "sim/configuration/document.h"
#include "sim/machine/truth.h"
#include "sim/questions/convert/convert.h"
#include "sim/questions/scenario/scenario.h"
#include "sim/support/new_file.h"
#include "tests/robustness/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string error_of_document(const std::string& text) {
  return error_of([&] { (void)configuration::parse_document(text, "t.toml"); });
}

std::string write_file(const Workspace& workspace, const std::string& name,
                       const std::string& text) {
  const std::string path = workspace.folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace

TEST_CASE("deeply nested TOML is refused where it becomes too deep", "[robustness]") {
  const std::string deep = "keys, arrays or tables lie more than 64 deep within each other";
  CHECK(error_of_document(repeated("a.", 50000) + "a = 1\n") == "t.toml:1:128: " + deep);
  CHECK(error_of_document("b = 1\n[" + repeated("a.", 50000) + "a]\n") == "t.toml:2:129: " + deep);
  CHECK(error_of_document("a = " + repeated("[", 50000)) == "t.toml:1:69: " + deep);
  CHECK(error_of_document("a = " + repeated("{a=", 50000)) == "t.toml:1:197: " + deep);
  CHECK(error_of_document(repeated("a.", 20) + "a = [[[1]]]\n").empty());
}

TEST_CASE("brackets and dots in strings and comments do not nest", "[robustness]") {
  const std::string many = repeated("[.{", 100);
  CHECK(error_of_document("# " + many + "\na = 1\n").empty());
  CHECK(error_of_document("a = \"\\\"" + many + "\"\n").empty());
  CHECK(error_of_document("a = '" + many + "'\n").empty());
  CHECK(error_of_document("a = \"\"\"\n\"" + many + "\n\"\"\"\n").empty());
  CHECK(error_of_document("a = '''\n'" + many + "\n'''\n").empty());
}

TEST_CASE("letters outside of ASCII are refused outside of strings", "[robustness]") {
  const std::string message = "a character that is not ASCII stands outside of a string";
  CHECK(error_of_document("\xc5\x95"
                          "e = 1\n") == "t.toml:1:1: " + message);
  CHECK(error_of_document("[kernel]\npr.\xd0\x90"
                          "file = 1\n") == "t.toml:2:4: " + message);
  CHECK(error_of_document("a = \"\xc5\x95\" # \xd0\x90\n").empty());
}

TEST_CASE("a configuration without an end is refused", "[robustness]") {
  CHECK(error_of([&] {
          (void)configuration::read_document("/dev/zero");
        }).find("is larger than 16 MiB") != std::string::npos);
}

TEST_CASE("times that do not fit are refused", "[robustness]") {
  const Workspace workspace;
  for (const std::string value :
       {"179393361582425", "9223372036854775807", "-1", "1e300", "9000000001", "nan"}) {
    const std::string path = write_file(workspace, "truth.toml",
                                        "[fc_info]\ncommits = 1\n[jbd2]\ntransactions = 1\n[run]\n"
                                        "started = " +
                                            value + "\n");
    CHECK(error_of([&] {
            (void)machine::read_truth(path);
          }).find("truth.toml:6:1: 'started' expects") != std::string::npos);
  }
}

TEST_CASE("names too long for the system are not there", "[robustness]") {
  const Workspace workspace;
  const std::string name(300, 'x');
  const std::string scenario = write_file(
      workspace, "scenario.toml", "[[step]]\nmkfs = \"\"\n[[step]]\nrun = \"" + name + "\"\n");
  CHECK(error_of([&] {
          (void)questions::scenario::read_scenario(scenario);
        }).find("scenario.toml:4:1: there is no trace or bundle") != std::string::npos);
  replay::SessionRequest request = request_for(name);
  CHECK(message_for(request).find("File name too long") != std::string::npos);
  request = request_for(bundle_folder("creat"));
  request.configuration.profile = name + ".toml";
  CHECK(message_for(request).find("there is no profile") != std::string::npos);
}

TEST_CASE("a long chain of profiles is read in linear time", "[robustness]") {
  const Workspace workspace;
  constexpr int length = 1000;
  for (int i = 0; i < length; ++i)
    write_file(workspace, "p" + std::to_string(i) + ".toml",
               i + 1 == length ? "inherits = \"6.18\"\n"
                               : "inherits = \"p" + std::to_string(i + 1) + ".toml\"\n");
  replay::SessionRequest request = request_for(bundle_folder("creat"));
  request.configuration.profile = workspace.folder() + "/p0.toml";
  CHECK(message_for(request) == "");
  write_file(workspace, "p999.toml", "inherits = \"p500.toml\"\n");
  CHECK(message_for(request).find("p999.toml:1:1: profile 'p500.toml' inherits from itself") !=
        std::string::npos);
}

TEST_CASE("a trace is not replaced by its own conversion", "[robustness]") {
  const Workspace workspace;
  const std::string text = read_trace("creat");
  const std::string path = write_file(workspace, "trace.strace", text);
  questions::convert::ConvertRequest request;
  request.inputs = {path};
  request.output = workspace.folder() + "/./trace.strace";
  CHECK(error_of([&] {
          (void)questions::convert::convert(request);
        }).find("is the trace that is converted") != std::string::npos);
  CHECK(read_text(path) == text);
}

TEST_CASE("a conversion replaces another conversion, and nothing else unasked", "[robustness]") {
  const Workspace workspace;
  questions::convert::ConvertRequest request;
  request.inputs = {write_file(workspace, "trace.strace", read_trace("creat"))};
  request.output = write_file(workspace, "thesis.txt", "years of work\n");
  CHECK(error_of([&] { (void)questions::convert::convert(request); }).find("is there already") !=
        std::string::npos);
  CHECK(read_text(request.output) == "years of work\n");
  request.replace = true;
  CHECK(questions::convert::convert(request).events != 0);
  request.replace = false;
  CHECK(questions::convert::convert(request).events != 0);
}

TEST_CASE("a file that is not finished leaves nothing, however the process ends", "[robustness]") {
  const Workspace workspace;
  const pid_t child = fork();
  if (child == 0) {
    support::NewFile file(workspace.folder() + "/unfinished");
    file.write(std::string(1 << 20, 'x'));
    _exit(0);  // as SIGKILL does, without destructors
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(std::filesystem::is_empty(workspace.folder()));
  support::NewFile file(workspace.folder() + "/finished");
  file.write("text");
  file.commit();
  CHECK(read_text(workspace.folder() + "/finished") == "text");
}

TEST_CASE("the files of one strace -ff take little memory", "[robustness]") {
  const Workspace workspace;
  std::vector<std::string> files;
  for (int i = 0; i < 500; ++i)
    files.push_back(write_file(workspace, "t." + std::to_string(1000 + i),
                               "1796038021.000000 fsync(3</mnt/creat/f>) = 0 <0.000010>\n"));
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  replay::SessionRequest request = request_for("");
  request.inputs = files;
  request.configuration.files = {bundle_folder("creat") + "/env.toml"};
  CHECK(message_for(request) == "");
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  constexpr long most_kib = 150 * 500;  // 150 KiB a file; it was more than a MiB
  CHECK(after.ru_maxrss - before.ru_maxrss < most_kib);
}

TEST_CASE("a hundred thousand calls that were queued take little stack", "[robustness]") {
  // Calls that begin while one of their task waits are queued. None of them waits when it ends.
  std::string text;
  const auto line = [&](const std::string& call) {
    text += "100 1796038021.000010 " + call + "\n";
  };
  line("openat(AT_FDCWD</>, \"/mnt/creat/f\", O_RDWR|O_CREAT, 0644) = 3</mnt/creat/f> <0.000010>");
  line("write(3</mnt/creat/f>, \"x\"..., 4096) = 4096 <0.000010>");
  for (int i = 0; i < 100'000; ++i) line("fsync(3</mnt/creat/f>) = 0 <0.000010>");
  const Workspace workspace;
  write_file(workspace, "env.toml", read_text(bundle_folder("creat") + "/env.toml"));
  write_file(workspace, "trace.strace", text);
  CHECK(message_for(request_for(workspace.folder())) == "");
}

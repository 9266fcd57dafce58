// Do the files beside a trace, damaged, ever do more than give an answer or an error?
#include <sys/resource.h>

#include "sim/configuration/keys.h"
#include "tests/robustness/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::vector<std::string> kValues = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "7",
                                          "8",
                                          "16",
                                          "100",
                                          "255",
                                          "1000",
                                          "4096",
                                          "65535",
                                          "65536",
                                          "1000000",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "1099511627776",
                                          "4611686018427387904",
                                          "9223372036854775807",
                                          "-1",
                                          "-9223372036854775808",
                                          "0.5",
                                          "1e300",
                                          "nan",
                                          "inf",
                                          "\"\"",
                                          "\"x\"",
                                          "true",
                                          "false",
                                          "[]",
                                          "[\"has_journal\"]",
                                          "[1]"};

std::string change_numbers(const std::string& text, Random& random, std::uint64_t one_in) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      result += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (random.below(one_in) == 0)
      result += kValues[random.below(21)];
    else
      result.append(text, at, end - at);
    at = end;
  }
  return result;
}

std::string damage(const std::string& text, Random& random) {
  switch (random.below(5)) {
    case 0:
      return flip_bytes(text, random, 6);
    case 1:
      return text.substr(0, random.below(text.size() + 1));
    default:
      return change_numbers(text, random, 1 + random.below(20));
  }
}

// Asking for more memory than any machine has must be refused, not tried.
class MemoryLimit {
 public:
  MemoryLimit() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t{4} << 30);
    setrlimit(RLIMIT_AS, &limit);
#endif
  }
  ~MemoryLimit() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_AS, &before_);
#endif
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("each setting with each value", "[robustness]") {
  const MemoryLimit limit;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.role == configuration::KeyRole::information) continue;
    for (const std::string& value : kValues) {
      replay::SessionRequest request = request_for(bundle_folder("truncate-down"));
      request.configuration.settings = {key.full_name() + "=" + value};
      INFO(request.configuration.settings.front());
      message_for(request);
    }
  }
}

TEST_CASE("several settings at once", "[robustness]") {
  const MemoryLimit limit;
  std::vector<std::string> names;
  for (const configuration::Key& key : configuration::configuration_keys())
    if (key.role != configuration::KeyRole::information) names.push_back(key.full_name());
  const std::vector<std::string> bundles = {"falloc-punch-log", "unlink-open",      "mo-sync",
                                            "art-datajournal",  "fs-inline-append", "creat"};
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    replay::SessionRequest request = request_for(bundle_folder(random.of(bundles)));
    INFO("seed " << seed);
    // Most single values are refused: those of the file system that can be taken together.
    const std::uint64_t count = 1 + random.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool filesystem = random.below(2) == 0;
      std::string name = random.of(names);
      while (filesystem && !name.starts_with("filesystem.")) name = random.of(names);
      request.configuration.settings.push_back(name + "=" + kValues[random.below(20)]);
      UNSCOPED_INFO(request.configuration.settings.back());
    }
    message_for(request);
  }
}

TEST_CASE("damaged environments, manifests and truths", "[robustness]") {
  const MemoryLimit limit;
  const Workspace workspace;
  const std::vector<std::string> bundles = {
      "unlink-open", "truncate-down",     "rename-over-dirty", "evict-creat",  "over-fdatasync",
      "swap-boot",   "o-direct-prealloc", "fs-noextent",       "encrypt-creat"};
  for (std::uint64_t seed = 1; seed <= 900; ++seed) {
    Random random(seed);
    const std::string& name = random.of(bundles);
    Parts parts = read_parts(name);
    const std::uint64_t which = random.below(3);
    if (which == 0) parts.environment = damage(*parts.environment, random);
    if (which == 1) parts.manifest = damage(*parts.manifest, random);
    if (which == 2) parts.truth = damage(*parts.truth, random);
    INFO("seed " << seed << ", " << name << "; left in " << workspace.folder());
    workspace.write(parts);
    message_for(request_for(workspace.folder()));
    questions::validate::ValidateRequest validation;
    validation.configuration = request_for("").configuration;
    validation.blocks = true;
    const questions::validate::BundleResult result =
        questions::validate::validate_bundle(workspace.folder(), validation);
    UNSCOPED_INFO(result.reason);
    if (result.verdict == questions::validate::Verdict::failed)
      CHECK(result.reason.find(':') != std::string::npos);
  }
}

TEST_CASE("manifests of nonsense", "[robustness]") {
  const Workspace workspace;
  Parts parts = read_parts("truncate-down");
  const std::string root = "d\t755\t2\t3\t4096\t8\t.\n";
  const std::string name_255(255, 'n');
  const std::string name_256(256, 'n');
  for (const std::string& text : {
           std::string("nonsense\n"),
           std::string(1000, '\0'),
           root + "f\t644\t12\t1\t4096\t8\tf\t0:0:0\n",
           root + "f\t644\t12\t1\t4096\t8\t" + name_256 + "\n",
           root + "f\t644\t12\t1\t4096\t8\tno/such/f\n",
       }) {
    parts.manifest = text;
    workspace.write(parts);
    const std::string message = message_for(request_for(workspace.folder()));
    INFO(text);
    CHECK(message.find("manifest.tsv:") != std::string::npos);
  }
  for (const std::string& text : {
           root + "f\t644\t12\t1\t4096\t8\t" + name_255 + "\n",
           root + "f\t644\t4294967295\t1\t4096\t8\tdata\t0:1:1\n",
           root + "f\t644\t0\t1\t4096\t8\tdata\t0:1:1\n",
           root + "f\t644\t12\t0\t4096\t8\tdata\n",
           root + "f\t644\t12\t4294967295\t9223372036854775807\t9223372036854775807\tdata\n",
           root + "f\t644\t12\t1\t9223372036854775807\t8\tdata\t0:1:4294967295\n",
           root + "f\t644\t12\t1\t4096\t8\tdata\t4294967295:18446744073709551615:4294967295\n",
           root + "f\t644\t12\t1\t40960\t80\tdata\t0:40000:10,5:40005:10,3:1:2u\n",
           root + "f\t644\t12\t1\t40960\t80\tdata\t0:0:10,10:0:10,20:0:4294967275\n",
           root + "f\t644\t12\t1\t4096\t8\tdata\t0:40000:1\nf\t644\t13\t1\t4096\t8\tg\t0:40000:1\n",
           root + "l\t777\t12\t1\t9223372036854775807\t0\tdata\n",
           root + "o\t666\t12\t1\t0\t0\tdata\n",
           root + "d\t755\t12\t2\t9223372036854775807\t8\tdata\n",
           std::string("f\t644\t2\t1\t4096\t8\tdata\n"),
           std::string(),
       }) {
    parts.manifest = text;
    workspace.write(parts);
    INFO(text);
    message_for(request_for(workspace.folder()));
  }
}

TEST_CASE("one bad bundle does not end a validation", "[robustness]") {
  const Workspace workspace;
  Parts parts = read_parts("creat");
  parts.truth = "[fc_info]\ncommits = -1\n";
  workspace.write(parts);
  questions::validate::ValidateRequest request = {};
  request.configuration = request_for("").configuration;
  request.paths = {workspace.folder(), bundle_folder("creat")};
  request.threads = 2;
  std::vector<questions::validate::Verdict> verdicts;
  std::string reason;
  questions::validate::validate(request, [&](const questions::validate::BundleResult& result) {
    verdicts.push_back(result.verdict);
    reason += result.reason;
  });
  CHECK(verdicts == std::vector<questions::validate::Verdict>{questions::validate::Verdict::failed,
                                                              questions::validate::Verdict::exact});
  CHECK(reason.find("truth.toml:2:") != std::string::npos);
}

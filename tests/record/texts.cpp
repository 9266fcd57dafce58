// Does the recorder understand what kernel and e2fsprogs print, and does the rest of fcsim
// understand what the recorder writes?
#include <fstream>

#include "sim/configuration/configuration.h"
#include "sim/configuration/document.h"
#include "sim/configuration/mke2fs.h"
#include "sim/configuration/toml_writer.h"
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/live/loop_file_system.h"
#include "sim/machine/mount_options.h"
#include "sim/machine/record/commit_events.h"
#include "sim/machine/record/environment_text.h"
#include "sim/machine/record/kernel_counters.h"
#include "sim/machine/truth.h"
#include "sim/questions/validate/kernel_commits.h"
#include "sim/support/json.h"
#include "tests/catch.h"
#include "tests/machine/dumpe2fs_text.h"
#include "tests/record/machine.h"

using namespace fcsim;

namespace {

std::string written(const std::string& name, const std::string& text) {
  const std::string path = test::new_folder("texts") + "/" + name;
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kFcInfo =
    "fc stats:\n12 commits\n3 ineligible\n14 numblks\n70us avg_commit_time\n"
    "Ineligible reasons:\n\"Extended attributes changed\":\t2\n\"Cross rename\":\t0\n";

constexpr const char* kJbd2Info =
    "7 transactions (5 requested), each up to 2730 blocks\n"
    "average: \n  0ms waiting for transaction\n";

}  // namespace

TEST_CASE("env.toml loads as what was found", "[record]") {
  machine::record::Environment environment;
  environment.release = "6.18.1-\"x\"";
  environment.profile = "6.18";
  environment.clock.hz = 1000;
  environment.clock.tick_phase_ns = 123;
  environment.filesystem = machine::parse_dumpe2fs(test::kDump, "dumpe2fs").settings;
  environment.whole_geometry = true;
  environment.mount =
      machine::listed_mount_settings({"data=journal", "commit=7", "strictatime"}, true);
  environment.writeback = {{"dirty_expire_centisecs", 77}};
  environment.lacks = {"a \\ b"};
  machine::record::TraceTable trace;
  trace.mount_point = "/mnt/\xC3\xA4 \"b\"";
  trace.command = {"sh", "-c", "echo 'a\tb\n'", "\xFF"};
  trace.manifest_at = 1'796'038'591'752'132'000;
  trace.manifest_moved_atimes = {".", "a/b"};
  trace.transactions_before = 4;
  trace.attached = true;
  configuration::LoadRequest request;
  request.directories = {FCSIM_SOURCE_DIR "/configs"};
  request.files = {written("env.toml", machine::record::environment_text(environment, trace))};
  const configuration::LoadedConfiguration loaded = configuration::load(request);
  CHECK(loaded.release == environment.release);
  CHECK(loaded.mount_point == trace.mount_point);
  CHECK(loaded.values.clock.hz == 1000);
  CHECK(loaded.values.clock.tick_phase_ns == 123);
  CHECK_FALSE(loaded.values.clock.jiffy0_realtime_ns);
  CHECK(loaded.values.filesystem.extra_isize == 28);
  CHECK(loaded.values.filesystem.features == environment.filesystem->features);
  CHECK(loaded.values.mount.data == model::DataMode::journal);
  CHECK(loaded.values.mount.commit_interval_s == 7);
  CHECK(loaded.values.mount.atime == model::AtimeMode::strictatime);
  CHECK(loaded.values.writeback.dirty_expire_centisecs == 77);
  REQUIRE(loaded.start.manifest_at_s);
  CHECK(*loaded.start.manifest_at_s == 1796038591.752132);
  CHECK(loaded.start.manifest_moved_atimes == trace.manifest_moved_atimes);
  CHECK(loaded.start.transactions_before == 4);
  REQUIRE(loaded.assumed.size() == 3);  // [clock] is not whole, nor is [writeback]
  CHECK(loaded.assumed.back().starts_with("recorded with -p: "));
}

TEST_CASE("counters are read, subtracted and written as a truth", "[record]") {
  const auto before = machine::parse_kernel_counters(
      "fc stats:\n2 commits\n1 ineligible\n2 numblks\nIneligible reasons:\n"
      "\"Extended attributes changed\":\t1\n",
      "1 transactions (1 requested), each up to 2730 blocks\n");
  const auto counted =
      machine::record::difference(before, machine::parse_kernel_counters(kFcInfo, kJbd2Info));
  CHECK(counted.value("fc_info", "commits") == 10);
  CHECK(counted.value("jbd2", "transactions") == 6);
  CHECK(counted.value("jbd2", "requested") == 4);
  const std::string text = machine::record::truth_text(
      counted, {3, 1'796'038'591'752'132'000, 1'796'038'592'000'000'000});
  const machine::Truth truth = machine::read_truth(written("truth.toml", text));
  std::string flat;
  for (const machine::Counter& counter : truth.counters)
    flat += counter.name + "=" + std::to_string(counter.value) + " ";
  CHECK(flat ==
        "commits=10 ineligible=2 numblks=12 reasons.Extended attributes changed=1 transactions=6 "
        "requested=4 max_transaction_blocks=2730 ");
  CHECK(truth.started == 1'796'038'591'752'132'000);
  CHECK_THROWS_AS(machine::parse_kernel_counters("no such thing", ""), model::InputError);
}

TEST_CASE("snapshot counters of patched kernels are kept", "[record]") {
  const auto counters = machine::parse_kernel_counters(
      std::string(kFcInfo) + "Snapshot stats:\n4 inodes\n9 ranges\n12us lock\n", "");
  CHECK(counters.value("fc_info.snapshot", "inodes") == 4);
  CHECK(counters.value("fc_info.snapshot", "ranges") == 9);
  CHECK(counters.value("fc_info", "commits") == 12);
  const std::string text = machine::record::truth_text(counters, {});
  CHECK(text.find("[fc_info.snapshot]\ninodes = 4\nranges = 9\n") != std::string::npos);
}

TEST_CASE("trace events become lines that validate reads", "[record]") {
  const std::int64_t boot = 1'796'000'000'000'000'000;
  const std::string lines =
      machine::record::commit_line(
          "      my prog-2 x-123   [001] .....   100.250001: ext4_fc_commit_start: dev 7,0 tid 9",
          boot) +
      machine::record::commit_line(
          "      my prog-2 x-123   [001] .....   100.250101: ext4_fc_commit_stop: dev 7,0 nblks 2, "
          "reason 0, fc = 1, ineligible = 0, agg_nblks 2, tid 9",
          boot);
  const auto commits = questions::validate::read_kernel_commits(written("commits.tsv", lines));
  REQUIRE(commits.fast.size() == 1);
  CHECK(commits.fast[0].pid == 123);
  CHECK(commits.fast[0].blocks == 2);
  CHECK(commits.fast[0].start == boot + 100'250'001'000);
  CHECK(lines.find("7,0") == std::string::npos);
  CHECK(machine::record::commit_line("# tracer: nop", boot).empty());
}

TEST_CASE("TOML strings hold any bytes", "[record]") {
  CHECK(configuration::toml_string("a\"\\\n\x7F") == "\"a\\\"\\\\\\u000A\\u007F\"");
  CHECK(configuration::toml_string("\xC3\xA4\xE2\x82\xAC") == "\"\xC3\xA4\xE2\x82\xAC\"");
  const std::string bytes = "\xC3(\xED\xA0\x80";
  const configuration::Value read =
      configuration::parse_value(configuration::toml_string(bytes), {"t.toml", 1, 1});
  CHECK(support::name_from_json(std::get<std::string>(read)) == bytes);
}

TEST_CASE("mke2fs and mount are asked for the configuration", "[record]") {
  model::FilesystemSettings settings;
  settings.features = configuration::default_features();
  const auto has = [](const std::vector<std::string>& options, const std::string& value) {
    return std::find(options.begin(), options.end(), value) != options.end();
  };
  CHECK(has(machine::live::mke2fs_options(settings), "fast_commit_size=512"));
  settings.journal_blocks = 4096 + 64;
  settings.fast_commit_blocks = 64;
  CHECK(has(machine::live::mke2fs_options(settings), "size=16,fast_commit_size=256"));
  settings.journal_blocks = 4096 + 64 + 1;
  CHECK_THROWS_AS(machine::live::mke2fs_options(settings), model::InputError);
  model::MountSettings mount;
  mount.commit_interval_s = 9;
  mount.lazytime = true;
  CHECK(machine::live::mount_options(mount, settings) ==
        "relatime,barrier=1,auto_da_alloc,delalloc,dioread_nolock,lazytime,data=ordered,commit=9,"
        "max_batch_time=15000,min_batch_time=0");
}

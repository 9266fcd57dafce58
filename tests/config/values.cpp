// Does a configuration reach the model's values, in the right order of precedence?
#include <filesystem>

#include "sim/configuration/keys.h"
#include "tests/catch.h"
#include "tests/config/helper.h"

using namespace fcsim;
using test::Folder;
using test::load_file;
using test::load_settings;

TEST_CASE("the profile 6.18 equals the model's own defaults", "[config]") {
  configuration::Settings loaded;
  loaded.values = load_settings({}).values;
  configuration::Settings plain;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    // The model leaves the names of reasons to the profile.
    if (key.role != configuration::KeyRole::rule || key.name == "reasons") continue;
    INFO(key.full_name());
    CHECK(key.get(loaded) == key.get(plain));
  }
  CHECK(loaded.values.kernel.ineligible.reasons.size() == 10);
  CHECK(loaded.values.kernel.ineligible.reasons.front() == "Extended attributes changed");
}

TEST_CASE("the profile 6.18 states every rule", "[config]") {
  const configuration::Document profile =
      configuration::read_document(test::source_configs() + "/kernels/6.18.toml");
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.role != configuration::KeyRole::rule) continue;
    INFO(key.full_name());
    CHECK(std::any_of(profile.entries.begin(), profile.entries.end(),
                      [&](const configuration::Entry& entry) {
                        return entry.table == key.table && entry.key == key.name;
                      }));
  }
}

TEST_CASE("later sources override earlier ones", "[config]") {
  const Folder folder("configuration-order");
  configuration::LoadRequest request;
  request.directories = {test::source_configs()};
  request.files = {folder.write("a.toml", "[mount]\ncommit_interval_s = 7\nlazytime = true\n"),
                   folder.write("b.toml", "[mount]\ncommit_interval_s = 8\n")};
  CHECK(configuration::load(request).values.mount.commit_interval_s == 8);
  CHECK(configuration::load(request).values.mount.lazytime);
  request.settings = {"mount.commit_interval_s=9", "mount.data=writeback"};
  CHECK(configuration::load(request).values.mount.commit_interval_s == 9);
  CHECK(configuration::load(request).values.mount.data == model::DataMode::writeback);
}

TEST_CASE("settings take strings and lists without quotes", "[config]") {
  const auto loaded =
      load_settings({"filesystem.features=has_journal,extent", "trace.mount_point=/mnt/x",
                     "device.flush_us=12.5", "device.write_us=7"});
  CHECK(loaded.values.filesystem.features == std::vector<std::string>{"has_journal", "extent"});
  CHECK(loaded.mount_point == "/mnt/x");
  CHECK(loaded.values.device.flush_us == 12.5);
  CHECK(loaded.values.device.write_us == 7.0);
}

TEST_CASE("a profile inherits and changes single rules", "[config]") {
  const Folder folder("configuration-profile");
  folder.write("kernels/patched.toml",
               "summary = \"a patch\"\ninherits = \"6.18\"\n"
               "[range_tracking]\npolicy = \"disjoint\"\nmax_ranges = 4\n");
  configuration::LoadRequest request;
  request.directories = {folder.path(), test::source_configs()};
  request.profile = "patched";
  const auto loaded = configuration::load(request);
  CHECK(loaded.values.kernel.profile == "patched");
  CHECK(loaded.values.kernel.summary == "a patch");
  CHECK(loaded.values.kernel.range_tracking.policy == model::TrackerPolicy::disjoint);
  CHECK(loaded.values.kernel.range_tracking.max_ranges == 4);
  CHECK(loaded.values.kernel.ineligible.reasons.size() == 10);  // from 6.18

  // The same by its path.
  request.directories = {test::source_configs()};
  request.profile = folder.path() + "/kernels/patched.toml";
  CHECK(configuration::load(request).values.kernel.range_tracking.max_ranges == 4);
}

TEST_CASE("rule tables in a configuration file change its profile", "[config]") {
  const Folder folder("configuration-rules");
  const std::string file = folder.write(
      "env.toml", "[snapshot]\nenabled = true\nmax_ranges = 99\n[kernel]\nprofile = \"6.18\"\n");
  CHECK(load_file(file).values.kernel.snapshot.enabled);
  CHECK(load_file(file).values.kernel.snapshot.max_ranges == 99);
  // A profile named later takes the rules with it.
  CHECK_FALSE(load_file(file, {"kernel.profile=6.18"}).values.kernel.snapshot.enabled);
  CHECK(load_file(file, {"snapshot.max_ranges=5"}).values.kernel.snapshot.max_ranges == 5);
}

TEST_CASE("faults of profiles", "[config]") {
  const Folder folder("configuration-profile-faults");
  const auto error_with = [&](const std::string& profile) -> std::string {
    configuration::LoadRequest request;
    request.directories = {folder.path(), test::source_configs()};
    request.profile = profile;
    try {
      configuration::load(request);
    } catch (const model::InputError& error) {
      return error.what();
    }
    return "no error";
  };
  folder.write("kernels/a.toml", "inherits = \"b\"\n");
  folder.write("kernels/b.toml", "summary = \"b\"\ninherits = \"a\"\n");
  CHECK(error_with("a").ends_with("kernels/b.toml:2:1: profile 'a' inherits from itself"));
  folder.write("kernels/c.toml", "[mount]\nsync = true\n");
  CHECK(error_with("c").ends_with(
      "c.toml:1:1: [mount] is not a table of kernel rules; it belongs in a "
      "configuration file, not in a profile"));
  folder.write("kernels/d.toml", "inherit = \"6.18\"\n");
  CHECK(error_with("d").ends_with(
      "d.toml:1:1: unknown key 'inherit' at the top of a profile; expected "
      "'summary', 'inherits' or a table of rules"));
  CHECK(error_with("9.9").starts_with("-k: there is no kernel profile '9.9'; known are "));
}

TEST_CASE("profiles are listed by version", "[config]") {
  const Folder folder("configuration-list");
  for (const char* name : {"6.12", "6.1", "7.0", "6.2"})
    folder.write(std::string("kernels/") + name + ".toml", "summary = \"s\"\n");
  std::vector<std::string> names;
  for (const auto& profile : configuration::list_profiles({folder.path()}))
    names.push_back(profile.name);
  CHECK(names == std::vector<std::string>{"6.1", "6.2", "6.12", "7.0"});
}

TEST_CASE("what was not given is said", "[config]") {
  const auto bare = load_settings({});
  REQUIRE(bare.assumed.size() == 6);
  CHECK(bare.assumed[0] == "no kernel given: the rules of profile 6.18");
  const std::string bundle = std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/creat/env.toml";
  CHECK(load_file(bundle).assumed.empty());
  const Folder folder("configuration-partial");
  const auto partial =
      load_file(folder.write("t.toml", "[writeback]\ndirty_writeback_centisecs = 600\n"));
  CHECK(partial.assumed.back() ==
        "[writeback]: the defaults of the kernel for dirty_expire_centisecs");
}

TEST_CASE("what is recorded and not modelled is refused on the command line, noted in files",
          "[config]") {
  for (const char* setting : {"writeback.dirty_ratio=30", "writeback.dirty_background_ratio=5",
                              "mount.max_batch_time_us=0", "mount.min_batch_time_us=100"}) {
    INFO(setting);
    CHECK_THROWS_AS(load_settings({setting}), configuration::ArgumentError);
  }
  const Folder folder("configuration-recorded");
  const auto usual = load_file(folder.write("a.toml", "[writeback]\ndirty_ratio = 20\n"));
  CHECK(usual.notes.empty());
  const auto other = load_file(folder.write("b.toml", "[writeback]\ndirty_ratio = 30\n"));
  REQUIRE(other.notes.size() == 1);
  CHECK(other.notes[0] ==
        "writeback.dirty_ratio has no effect: the model does not know how much memory the machine "
        "has, and never runs out of it");
}

TEST_CASE("provenance names the source of each value", "[config]") {
  const Folder folder("configuration-provenance");
  const auto loaded =
      load_file(folder.write("t.toml", "[mount]\nsync = true\n"), {"mount.data=journal"});
  REQUIRE(loaded.provenance.size() == 2);
  CHECK(loaded.provenance[0].key == "mount.data");
  CHECK(loaded.provenance[0].source == "--set mount.data=journal");
  CHECK(loaded.provenance[1].key == "mount.sync");
  CHECK(loaded.provenance[1].source.ends_with("t.toml:2:1"));
}

TEST_CASE("every key is documented and keeps what it is given", "[config]") {
  configuration::Settings settings;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    INFO(key.full_name());
    CHECK_FALSE(key.documentation.empty());
    CHECK(configuration::find_key(key.table, key.name) == &key);
    const auto value = key.get(settings);
    if (!value) continue;
    CHECK_FALSE(configuration::complaint(key, *value));
    key.set(settings, *value);
    CHECK(key.get(settings) == value);
  }
}

TEST_CASE("the environment of every bundled case loads", "[config]") {
  const std::filesystem::path bundles = std::string(FCSIM_SOURCE_DIR) + "/tests/bundles";
  for (const auto& bundle : std::filesystem::directory_iterator(bundles)) {
    INFO(bundle.path().string());
    CHECK_NOTHROW(load_file((bundle.path() / "env.toml").string()));
  }
}

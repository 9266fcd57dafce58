#include "sim/configuration/configuration.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>

#include "sim/configuration/features.h"
#include "sim/configuration/mke2fs.h"
#include "sim/configuration/profile.h"

namespace fcsim::configuration {
namespace {

constexpr const char* kDefaultProfile = "6.18";
// A hole may have 2^32 blocks, and each look at it is a step.
constexpr std::uint64_t kLeastLookup = 32768;

// One file's or the command line's entries, applied together.
struct Source {
  std::vector<Entry> entries;
};

// The state of loading: a value, so that what several configurations begin with is loaded once.
class Loading {
 public:
  explicit Loading(ProfileMemory& profiles) : profiles_(&profiles) {}

  // All but the settings.
  void begin(const LoadRequest& request) {
    settings_.values.filesystem.features = default_features();
    profile(kDefaultProfile, {});
    for (const std::string& file : request.files) apply(read_source(file));
    if (request.profile.empty()) return;
    refusing_arguments([&] {
      profile(request.profile, {"-k", 0, 0});
      given_["kernel.profile"] = "-k " + request.profile;
    });
  }

  // The settings on top, once.
  LoadedConfiguration finish(const std::vector<std::string>& settings) {
    refusing_arguments([&] { apply(source_of(settings)); });
    complete();
    note_settings_without_effect();
    check_consistency();
    return result();
  }

 private:
  template <class Step>
  static void refusing_arguments(const Step& step) {
    try {
      step();
    } catch (const model::InputError& fault) {
      const std::string& where = fault.position().file;
      if (where == "-k" || where.starts_with("--set ")) throw ArgumentError(fault);
      throw;
    }
  }

  void profile(const std::string& name, const model::Position& named_at) {
    settings_.values.kernel = profiles_->rules(name, named_at);
    if (rules_at_)
      notes_.push_back("kernel profile '" + name + "' replaces the rules that " +
                       to_string(*rules_at_) + " changes");
    rules_at_.reset();
    std::erase_if(given_, [](const auto& item) {
      return is_rule_table(std::string_view(item.first).substr(0, item.first.find('.')));
    });
  }

  static Source read_source(const std::string& file) {
    Document document = read_document(file);
    for (const TableHeader& header : document.tables)
      if (!is_known_table(header.table))
        throw model::InputError(
            header.position, "unknown table [" + header.table + "]" + suggest_table(header.table));
    for (const Entry& entry : document.entries)
      if (entry.table.empty())
        throw model::InputError(entry.position,
                                "unknown key '" + entry.key + "' outside of a table" +
                                    suggest_key("", entry.key) +
                                    (entry.key == "inherits" || entry.key == "summary"
                                         ? "; this looks like a kernel profile, which -k takes"
                                         : ""));
    return {std::move(document.entries)};
  }

  static Source source_of(const std::vector<std::string>& settings) {
    Source source;
    for (const std::string& setting : settings) source.entries.push_back(parse(setting));
    return source;
  }

  // "table.key=value"; strings need no quotes, lists may be separated by commas.
  static Entry parse(const std::string& setting) {
    const model::Position position{"--set " + setting, 0, 0};
    const std::size_t equals = setting.find('=');
    const std::size_t dot = setting.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals)
      throw model::InputError(position, "expected table.key=value");
    Entry entry;
    entry.table = setting.substr(0, dot);
    entry.key = setting.substr(dot + 1, equals - dot - 1);
    entry.position = position;
    if (!is_known_table(entry.table))
      throw model::InputError(position,
                              "unknown table [" + entry.table + "]" + suggest_table(entry.table));
    const std::string text = setting.substr(equals + 1);
    const Key* key = find_key(entry.table, entry.key);
    const bool quoted = !text.empty() && (text[0] == '"' || text[0] == '\'' || text[0] == '[');
    if (key != nullptr && key->kind == KeyKind::text && !quoted) {
      entry.value = text;
    } else if (key != nullptr && key->kind == KeyKind::text_list && !quoted) {
      entry.value = split(text);
    } else if (key != nullptr) {
      entry.value = parse_scalar(text, position);
    }
    return entry;
  }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return parts;
  }

  // What is no TOML value is taken as a string, so that the complaint is about its kind.
  static Value parse_scalar(const std::string& text, const model::Position& position) {
    try {
      return parse_value(text, position);
    } catch (const model::InputError&) {
      return text;
    }
  }

  // The profile first, wherever it stands; then plain keys; then keys that derive others.
  void apply(const Source& source) {
    std::vector<const Entry*> derived;
    for (const Entry& entry : source.entries)
      if (&checked_key(entry) == find_key("kernel", "profile"))
        profile(std::get<std::string>(entry.value), entry.position);
    drop_dependents(source);
    for (const Entry& entry : source.entries) {
      const Key& key = checked_key(entry);
      given_[key.full_name()] = to_string(entry.position);
      if (key.full_name() == "recorded_with.attached") attached_ = std::get<bool>(entry.value);
      if (key.role == KeyRole::rule && !entry.position.file.starts_with("--set ") && !rules_at_)
        rules_at_ = entry.position;
      if (key.role == KeyRole::derived)
        derived.push_back(&entry);
      else
        key.set(settings_, entry.value);
      if (key.full_name() == "filesystem.features") {
        check_features(settings_.values.filesystem.features, entry.position);
        made_with_fast_commit_ = settings_.values.filesystem.has("fast_commit");
      }
    }
    complete();
    for (const Entry* entry : derived) {
      checked_key(*entry).set(settings_, entry->value);
      if (entry->key == "fast_commit_kib") apply_fast_commit_kib(*entry);
    }
  }

  // Whoever changes the size of blocks describes another file system: what earlier sources said in
  // blocks of the old size is gone, but for the size of the device.
  void drop_dependents(const Source& source) {
    const auto gives = [&](std::string_view key) {
      return std::any_of(source.entries.begin(), source.entries.end(), [&](const Entry& entry) {
        return entry.table == "filesystem" && entry.key == key;
      });
    };
    model::FilesystemSettings& fs = settings_.values.filesystem;
    std::uint64_t block_size = fs.block_size;
    for (const Entry& entry : source.entries)
      if (entry.table == "filesystem" && entry.key == "block_size")
        if (const auto* value = std::get_if<std::int64_t>(&entry.value))
          block_size = static_cast<std::uint64_t>(*value);
    if (block_size == fs.block_size) return;
    if (gave("filesystem.block_count")) bytes_ = fs.block_count * fs.block_size;
    std::string names;
    for (const char* name : {"block_count", "blocks_per_group", "inode_count", "inodes_per_group",
                             "journal_blocks", "fast_commit_blocks"}) {
      if (gives(name) || given_.erase(std::string("filesystem.") + name) == 0) continue;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    given_.erase("filesystem.fast_commit_kib");
    kib_applied_ = false;
    if (!names.empty())
      notes_.push_back("filesystem.block_size = " + std::to_string(block_size) + ": " + names +
                       " as mke2fs chooses them for this block size");
  }

  // What is not given is mke2fs's choice for what is.
  void complete() {
    model::FilesystemSettings& fs = settings_.values.filesystem;
    const auto given = [&](const char* name) { return gave(std::string("filesystem.") + name); };
    GivenGeometry geometry;
    geometry.block_size = given("block_size") || given("block_count");
    geometry.block_count = given("block_count");
    geometry.blocks_per_group = given("blocks_per_group");
    geometry.inode_count = given("inode_count");
    geometry.inodes_per_group = given("inodes_per_group");
    geometry.journal_blocks = given("journal_blocks") || kib_applied_;
    geometry.fast_commit_blocks = given("fast_commit_blocks") || kib_applied_;
    // Nonsense is told by check_groups().
    if (fs.blocks_per_group == 0 || fs.inode_size == 0 || fs.block_size == 0) return;
    choose_geometry(bytes_, geometry, made_with_fast_commit_, fs);
  }

  void note_settings_without_effect() {
    const model::RangeTrackingRules& ranges = settings_.values.kernel.range_tracking;
    const auto note = [&](const char* key, const std::string& why) {
      if (gave(key)) notes_.push_back(std::string(key) + " has no effect: " + why);
    };
    if (ranges.policy != model::TrackerPolicy::disjoint)
      for (const char* key : {"range_tracking.max_ranges", "range_tracking.overflow"})
        note(key, "only range_tracking.policy = \"disjoint\" looks at it");
    if (!settings_.values.kernel.snapshot.enabled)
      for (const char* key : {"snapshot.max_inodes", "snapshot.max_ranges", "snapshot.source"})
        note(key, "snapshot.enabled is false");
    if (!settings_.values.filesystem.has("has_journal"))
      for (const char* key : {"filesystem.journal_blocks", "filesystem.fast_commit_blocks"})
        if (gave(key) && settings_.values.filesystem.journal_blocks != 0)
          note(key, "the file system has no feature has_journal");
  }

  void apply_fast_commit_kib(const Entry& entry) {
    model::FilesystemSettings& filesystem = settings_.values.filesystem;
    const FastCommitSize size = fast_commit_size(filesystem, std::get<std::int64_t>(entry.value));
    if (size.refusal) throw model::InputError(entry.position, *size.refusal);
    filesystem.fast_commit_blocks = size.area_blocks;
    filesystem.journal_blocks = size.journal_blocks;
    kib_applied_ = true;
    if (filesystem.has("fast_commit"))
      notes_.push_back("fast_commit_kib = " + std::to_string(std::get<std::int64_t>(entry.value)) +
                       ": area of " + std::to_string(size.area_blocks) + " blocks, journal of " +
                       std::to_string(size.journal_blocks) + " blocks");
    if (!size.note.empty()) notes_.push_back(size.note);
  }

  // What single keys cannot see.
  void check_consistency() const {
    if (rules_at_ && !gave("kernel.profile"))
      throw model::InputError(
          *rules_at_,
          "this changes a kernel's rules, and no kernel is named: expected [kernel] "
          "profile = \"NAME\", or a profile with inherits = \"NAME\" for -k; " +
              known_profiles(profiles_->directories()));
    const model::FilesystemSettings& filesystem = settings_.values.filesystem;
    const std::uint32_t hz = static_cast<std::uint32_t>(settings_.values.clock.hz);
    if (hz != 100 && hz != 250 && hz != 300 && hz != 1000)
      fail("kernel.hz",
           "expects 100, 250, 300 or 1000 (ticks a second), found " + std::to_string(hz));
    if (filesystem.inode_size > filesystem.block_size)
      fail("filesystem.inode_size", "an inode cannot be larger than a block");
    if (filesystem.inode_size > 128 && filesystem.extra_isize > filesystem.inode_size - 128)
      fail("filesystem.extra_isize", "is more than the inode has beyond 128 bytes");
    check_groups(filesystem);
    if (filesystem.has("has_journal") && filesystem.journal_blocks == 0 &&
        gave("filesystem.journal_blocks"))
      fail("filesystem.journal_blocks",
           "the feature has_journal is set and the journal has no blocks; for a journal on another "
           "device give that device's number of blocks");
    const bool active = filesystem.has("fast_commit") && filesystem.has("has_journal") &&
                        filesystem.journal_blocks != 0 &&
                        settings_.values.mount.data != model::DataMode::journal;
    const auto& rules = settings_.values.kernel.fast_commit;
    if (rules.max_lookup_blocks != 0 && rules.max_lookup_blocks < kLeastLookup)
      fail("fast_commit.max_lookup_blocks",
           "expects 0 (no limit) or at least " + std::to_string(kLeastLookup) + " blocks");
    const std::uint64_t area =
        filesystem.fast_commit_blocks != 0 ? filesystem.fast_commit_blocks : rules.default_blocks;
    if (active && filesystem.journal_blocks < area + rules.min_log_blocks)
      fail("filesystem.journal_blocks",
           "the kernel refuses to mount this: without the fast-commit area of " +
               std::to_string(area) + " blocks the log must keep " +
               std::to_string(rules.min_log_blocks) + " blocks, and the journal has " +
               std::to_string(filesystem.journal_blocks));
  }

  // A file system that mke2fs would not make, or that is too large to be kept in memory.
  void check_groups(const model::FilesystemSettings& filesystem) const {
    constexpr std::uint64_t kMostGroups = 1U << 20;  // 128 TiB of 4 KiB blocks
    constexpr std::uint32_t kLeastGroup = 256;
    constexpr std::uint32_t kLeastInodes = 16;  // 11 are reserved
    const std::uint64_t block = filesystem.block_size;
    const std::uint64_t group = filesystem.blocks_per_group;
    if (group < kLeastGroup || group % 8 != 0)
      fail("filesystem.blocks_per_group", "expects a multiple of 8 from 256 on");
    if (group > 8 * block && !filesystem.has("bigalloc"))
      fail("filesystem.blocks_per_group", "expects at most " + std::to_string(8 * block) +
                                              " (a bit each in one block), found " +
                                              std::to_string(group));
    if (filesystem.inodes_per_group < kLeastInodes || filesystem.inodes_per_group > 8 * block)
      fail("filesystem.inodes_per_group",
           "expects 16 to " + std::to_string(8 * block) + " (a bit each in one block)");
    const std::uint64_t tables = filesystem.inodes_per_group / (block / filesystem.inode_size);
    if (tables + 64 > group)
      fail("filesystem.inodes_per_group", "the inode table of " + std::to_string(tables) +
                                              " blocks leaves no room in a group of " +
                                              std::to_string(group) + " blocks");
    if (filesystem.block_count < kLeastGroup || filesystem.block_count / group >= kMostGroups)
      fail("filesystem.block_count",
           "expects 256 to " + std::to_string(kMostGroups * group - 1) + " blocks");
    if (filesystem.flex_group_size > kMostGroups ||
        (filesystem.flex_group_size & (filesystem.flex_group_size - 1)) != 0)
      fail("filesystem.flex_group_size",
           "expects a power of two up to " + std::to_string(kMostGroups));
    if (filesystem.journal_blocks > filesystem.block_count)
      fail("filesystem.journal_blocks", "the journal is larger than the file system of " +
                                            std::to_string(filesystem.block_count) + " blocks");
  }

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    const auto given = given_.find(key);
    if (given == given_.end()) throw model::InputError({key, 0, 0}, message);
    throw model::InputError({given->second, 0, 0}, key + ": " + message);
  }

  LoadedConfiguration result() const {
    LoadedConfiguration loaded;
    static_cast<Settings&>(loaded) = settings_;
    loaded.values.device.given = gave_any("device");
    loaded.notes = notes_;
    loaded.assumed = assumptions();
    for (const Key& key : configuration_keys())
      if (const auto given = given_.find(key.full_name()); given != given_.end())
        loaded.provenance.push_back({given->first, given->second});
    return loaded;
  }

  [[nodiscard]] bool gave(const std::string& key) const { return given_.contains(key); }

  [[nodiscard]] bool gave_any(std::string_view table) const {
    for (const auto& [key, source] : given_)
      if (key.starts_with(std::string(table) + ".")) return true;
    return false;
  }

  // The keys of a table that nobody gave, "a, b, c".
  [[nodiscard]] std::string missing(std::string_view table) const {
    std::string names;
    for (const Key& key : configuration_keys()) {
      if (key.table != table || key.role != KeyRole::setting || gave(key.full_name())) continue;
      names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    return names;
  }

  std::vector<std::string> assumptions() const {
    std::vector<std::string> sentences;
    const model::FilesystemSettings& fs = settings_.values.filesystem;
    if (!gave("kernel.profile"))
      sentences.push_back(std::string("no kernel given: the rules of profile ") + kDefaultProfile);
    if (!gave("kernel.hz")) sentences.push_back("no kernel.hz given: 250 ticks a second");
    if (!gave("clock.tick_phase_ns") || !gave("clock.jiffy0_realtime_ns"))
      sentences.push_back("no [clock] given: ticks and timers at whole multiples of the tick");
    if (!gave_any("filesystem"))
      sentences.push_back(
          "no [filesystem] given: mke2fs -O fast_commit on 1 GiB, " +
          std::to_string(fs.block_count) + " blocks of " + std::to_string(fs.block_size) +
          " bytes, a journal of " + std::to_string(fs.journal_blocks) +
          " blocks with a fast-commit area of " + std::to_string(fs.fast_commit_blocks));
    else
      add_defaults(sentences, "filesystem", "mke2fs");
    if (!gave_any("mount"))
      sentences.push_back(
          "no [mount] given: the defaults of mount (data=ordered, commit=5, relatime)");
    else
      add_defaults(sentences, "mount", "mount");
    if (!gave_any("writeback"))
      sentences.push_back(
          "no [writeback] given: the kernel's defaults (expire 30 s, wake every 5 s)");
    else
      add_defaults(sentences, "writeback", "the kernel");
    if (attached_)
      sentences.push_back(
          "recorded with -p: the program ran on while strace attached; what it did then may be "
          "counted by the kernel and not be in the trace, or the other way round");
    return sentences;
  }

  void add_defaults(std::vector<std::string>& sentences, const char* table,
                    const char* whose) const {
    const std::string names = missing(table);
    if (!names.empty())
      sentences.push_back(std::string("[") + table + "]: the defaults of " + whose + " for " +
                          names);
  }

  ProfileMemory* profiles_;
  Settings settings_;
  std::map<std::string, std::string> given_;      // key -> where
  std::uint64_t bytes_ = std::uint64_t{1} << 30;  // of the device, where block_count is not given
  bool made_with_fast_commit_ = true;
  bool kib_applied_ = false;                 // fast_commit_kib decided the journal's size
  std::optional<model::Position> rules_at_;  // where a file changes rules
  bool attached_ = false;                    // the recorder attached to a running program
  std::vector<std::string> notes_;
};

}  // namespace

struct Loader::Begun {
  LoadRequest request;  // without its settings
  ProfileMemory profiles;
  std::optional<Loading> loading;
};

Loader::Loader() = default;
Loader::~Loader() = default;

LoadedConfiguration Loader::load(const LoadRequest& request) {
  if (begun_ == nullptr || begun_->request.directories != request.directories)
    begun_ = std::make_unique<Begun>(
        Begun{{{}, {}, {}, request.directories}, ProfileMemory(request.directories), {}});
  if (!begun_->loading || begun_->request.files != request.files ||
      begun_->request.profile != request.profile) {
    begun_->loading.reset();
    Loading loading(begun_->profiles);
    loading.begin(request);
    begun_->request.files = request.files;
    begun_->request.profile = request.profile;
    begun_->loading = std::move(loading);
  }
  return Loading(*begun_->loading).finish(request.settings);
}

LoadedConfiguration load(const LoadRequest& request) {
  return Loader().load(request);
}

}  // namespace fcsim::configuration

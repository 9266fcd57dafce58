#include "sim/machine/options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/configuration/features.h"
#include "sim/configuration/mke2fs.h"
#include "sim/configuration/nearest.h"
#include "sim/support/size.h"
#include "sim/support/text.h"

namespace fcsim::machine {
namespace {

std::optional<std::int64_t> count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

struct FeatureChange {
  std::string name;
  bool on = true;
};

std::vector<FeatureChange> features_of(const std::string& list, const model::Position& position) {
  std::vector<FeatureChange> changes;
  for (const std::string& word : support::split(list, ',')) {
    FeatureChange change{word, true};
    if (word.starts_with('^')) change = {word.substr(1), false};
    const auto& names = configuration::feature_names();
    if (std::find(names.begin(), names.end(), change.name) == names.end())
      throw model::InputError(position, "there is no feature '" + change.name + "'" +
                                            configuration::suggest_nearest(change.name, names));
    if (change.name == "extents") change.name = "extent";
    changes.push_back(change);
  }
  return changes;
}

void set_feature(model::FilesystemSettings& fs, const FeatureChange& change) {
  if (!change.on)
    std::erase(fs.features, change.name);
  else if (!fs.has(change.name))
    fs.features.push_back(change.name);
}

// Words of a command's options, taken one by one.
class Words {
 public:
  Words(std::string command, const std::string& options, const model::Position& position)
      : command_(std::move(command)), position_(position), words_(words_of(options, position)) {}

  [[nodiscard]] bool done() const { return next_ == words_.size(); }
  std::string take() { return words_[next_++]; }
  // The value of `option`, given as "-O value" or "-Ovalue".
  std::string value_of(const std::string& word) {
    if (word.size() > 2) return word.substr(2);
    if (done()) throw model::InputError(position_, command_ + ": '" + word + "' expects a value");
    return take();
  }
  [[noreturn]] void fail(const std::string& word) const {
    throw model::InputError(position_, command_ + ": '" + word + "' is not understood");
  }

 private:
  std::string command_;
  model::Position position_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

std::optional<std::string> value_behind(const std::string& text, std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  return text.substr(key.size());
}

struct Wanted {
  std::vector<FeatureChange> features;
  std::optional<std::int64_t> journal_mib;
  std::optional<std::int64_t> fast_commit_kib;
  std::optional<std::uint64_t> bytes;
  std::optional<std::int64_t> block_size, inode_size, bytes_an_inode, inodes;

  [[nodiscard]] bool changes_geometry() const {
    return block_size || inode_size || bytes_an_inode || inodes;
  }
};

void take_journal_options(const std::string& list, Words& words, Wanted& wanted) {
  for (const std::string& option : support::split(list, ',')) {
    std::optional<std::int64_t>* target = nullptr;
    std::optional<std::string> value;
    if ((value = value_behind(option, "size=")))
      target = &wanted.journal_mib;
    else if ((value = value_behind(option, "fast_commit_size=")))
      target = &wanted.fast_commit_kib;
    if (target == nullptr || !(*target = count(*value))) words.fail(option);
  }
}

// The member that an option with a number sets; nullptr: it is not such an option.
std::optional<std::int64_t>* number_of(const std::string& word, Wanted& wanted) {
  if (word.starts_with("-b")) return &wanted.block_size;
  if (word.starts_with("-I")) return &wanted.inode_size;
  if (word.starts_with("-i")) return &wanted.bytes_an_inode;
  return word.starts_with("-N") ? &wanted.inodes : nullptr;
}

Wanted read_mke2fs_options(const std::string& options, const model::Position& position) {
  Words words("mke2fs", options, position);
  Wanted wanted;
  while (!words.done()) {
    const std::string word = words.take();
    if (word.starts_with("-O")) {
      for (FeatureChange& change : features_of(words.value_of(word), position))
        wanted.features.push_back(std::move(change));
    } else if (word.starts_with("-J")) {
      take_journal_options(words.value_of(word), words, wanted);
    } else if (word.starts_with("-t")) {
      if (words.value_of(word) != "ext4") words.fail(word);
    } else if (word.starts_with("-E")) {
      for (const std::string& option : support::split(words.value_of(word), ','))
        if (!option.starts_with("lazy_") && option != "nodiscard" && option != "discard")
          words.fail(option);
    } else if (std::optional<std::int64_t>* const number = number_of(word, wanted)) {
      *number = count(words.value_of(word));
      if (!*number || **number == 0) words.fail(word);
    } else if (word.starts_with("-L") || word.starts_with("-U") || word.starts_with("-m")) {
      words.value_of(word);
    } else if (word != "-q" && word != "-F" && word != "-v" && word != "-j") {
      wanted.bytes = word.starts_with('-') ? std::nullopt : support::parse_size(word);
      if (!wanted.bytes) words.fail(word);
    }
  }
  return wanted;
}

// The fast-commit area leaves or joins the journal with its feature.
void set_journal_features(model::FilesystemSettings& fs, const Wanted& wanted) {
  bool journal = fs.has("has_journal");
  bool fast_commit = false;
  for (const FeatureChange& change : wanted.features) {
    if (change.name == "has_journal") journal = change.on;
    if (change.name == "fast_commit") fast_commit = change.on;
  }
  const bool had = fs.has("fast_commit") && fs.fast_commit_blocks != 0;
  if (!fast_commit || !journal) {
    fs.journal_blocks -= std::min(fs.journal_blocks, fs.fast_commit_blocks);
    fs.fast_commit_blocks = 0;
  }
  if (!journal) fs.journal_blocks = 0;
  if (journal && fs.journal_blocks == 0)
    fs.journal_blocks = configuration::default_journal_blocks(fs.block_count);
  set_feature(fs, {"has_journal", journal});
  set_feature(fs, {"fast_commit", fast_commit});
  if (!journal || !fast_commit || had) return;
  const configuration::FastCommitSize area = configuration::fast_commit_size(fs, 0);
  fs.fast_commit_blocks = area.area_blocks;
  fs.journal_blocks = area.journal_blocks;
}

// -J size= and fast_commit_size=.
void take_sizes(const Wanted& wanted, const model::Position& position,
                model::FilesystemSettings& fs) {
  if (wanted.journal_mib) {
    const std::int64_t blocks = *wanted.journal_mib * 1024 * 1024 / fs.block_size;
    if (blocks < 1024 || static_cast<std::uint64_t>(blocks) > fs.block_count / 2)
      throw model::InputError(position, "a journal of " + std::to_string(*wanted.journal_mib) +
                                            " MiB: expected 1024 blocks to half of the file "
                                            "system");
    fs.journal_blocks = static_cast<std::uint32_t>(blocks) + fs.fast_commit_blocks;
  }
  if (!wanted.fast_commit_kib) return;
  const configuration::FastCommitSize area =
      configuration::fast_commit_size(fs, *wanted.fast_commit_kib);
  if (area.refusal) throw model::InputError(position, *area.refusal);
  fs.fast_commit_blocks = area.area_blocks;
  fs.journal_blocks = area.journal_blocks;
}

// tune2fs makes a journal: of the default size with an area of 1/64 of it where the feature is set,
// or as -J says (tried with 1.47).
void size_journal(const Wanted& wanted, const model::Position& position,
                  model::FilesystemSettings& fs) {
  const std::uint32_t log = configuration::default_journal_blocks(fs.block_count);
  if (log == 0 && !wanted.journal_mib)
    throw model::InputError(position, "tune2fs: the file system is too small for a journal");
  fs.fast_commit_blocks = fs.has("fast_commit") ? log / 64 : 0;
  fs.journal_blocks = log + fs.fast_commit_blocks;
  take_sizes(wanted, position, fs);
}

void remove_journal(const model::Position& position, bool mounted, model::FilesystemSettings& fs) {
  if (mounted)
    throw model::InputError(position,
                            "tune2fs: the journal can be removed only while the file system is "
                            "not mounted");
  set_feature(fs, {"has_journal", false});
  fs.journal_blocks = fs.fast_commit_blocks = 0;
}

// -b, -I, -i and -N: what is not given follows from them as mke2fs chooses it.
void choose_geometry_again(const Wanted& wanted, const model::Position& position,
                           model::FilesystemSettings& fs) {
  const std::uint64_t bytes = wanted.bytes.value_or(fs.block_count * fs.block_size);
  const auto power_of_two = [&](std::int64_t value, std::int64_t least, std::int64_t most,
                                const char* option) {
    if (value >= least && value <= most && (value & (value - 1)) == 0)
      return static_cast<std::uint32_t>(value);
    throw model::InputError(position, std::string("mke2fs: ") + option + " " +
                                          std::to_string(value) +
                                          ": expected a power of two from " +
                                          std::to_string(least) + " to " + std::to_string(most));
  };
  configuration::GivenGeometry given;
  given.block_size = true;
  if (wanted.block_size) fs.block_size = power_of_two(*wanted.block_size, 1024, 65536, "-b");
  if (wanted.inode_size) {
    fs.inode_size = power_of_two(*wanted.inode_size, 128, fs.block_size, "-I");
    fs.extra_isize = fs.inode_size > 128 ? 32 : 0;
  }
  given.inode_count = wanted.inodes || wanted.bytes_an_inode;
  if (wanted.inodes) fs.inode_count = static_cast<std::uint32_t>(*wanted.inodes);
  if (wanted.bytes_an_inode)
    fs.inode_count = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(bytes / static_cast<std::uint64_t>(*wanted.bytes_an_inode), 1));
  configuration::choose_geometry(bytes, given, fs.has("fast_commit"), fs);
  if (!given.inode_count) return;
  given = {.block_size = true, .block_count = true, .inodes_per_group = true};
  configuration::choose_geometry(bytes, given, fs.has("fast_commit"), fs);
}

}  // namespace

std::vector<std::string> words_of(std::string_view text, const model::Position& position) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word->push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (!word) word.emplace();
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (word) words.push_back(std::move(*word));
      word.reset();
    } else {
      if (!word) word.emplace();
      word->push_back(c);
    }
  }
  if (quote != 0)
    throw model::InputError(position, std::string("a quote (") + quote + ") is not closed");
  if (word) words.push_back(std::move(*word));
  return words;
}

void apply_tune2fs_options(const std::string& options, const model::Position& position,
                           bool mounted, model::FilesystemSettings& on_disk) {
  Words words("tune2fs", options, position);
  model::FilesystemSettings changed = on_disk;
  Wanted wanted;
  bool make_journal = false;
  while (!words.done()) {
    const std::string word = words.take();
    if (word.starts_with("-O")) {
      for (const FeatureChange& change : features_of(words.value_of(word), position)) {
        if (change.name != "fast_commit" && change.name != "has_journal")
          words.fail("-O " + change.name);
        if (change.name == "has_journal" && change.on)
          make_journal = true;
        else if (change.name == "has_journal")
          remove_journal(position, mounted, changed);
        else
          set_feature(changed, change);
      }
    } else if (word == "-j") {
      make_journal = true;
    } else if (word.starts_with("-J")) {
      const std::string value = words.value_of(word);
      if (!changed.has("has_journal"))
        make_journal = true;
      else if (!value.starts_with("fast_commit_size="))
        words.fail("-J " + value);
      take_journal_options(value, words, wanted);
    } else {
      words.fail(word);
    }
  }
  if (make_journal && !changed.has("has_journal")) {
    set_feature(changed, {"has_journal", true});
    size_journal(wanted, position, changed);
  }
  on_disk = changed;
}

model::FilesystemSettings make_with_options(const std::string& options,
                                            const model::Position& position,
                                            const model::FilesystemSettings& on_disk) {
  const Wanted wanted = read_mke2fs_options(options, position);
  model::FilesystemSettings fs = on_disk;
  if (wanted.bytes) {
    try {
      fs = configuration::make_file_system(*wanted.bytes, std::nullopt);
    } catch (const model::InputError& error) {
      throw model::InputError(position, std::string("mke2fs: ") + error.what());
    }
  }
  if (wanted.changes_geometry()) choose_geometry_again(wanted, position, fs);
  for (const FeatureChange& change : wanted.features)
    if (change.name != "fast_commit" && change.name != "has_journal") set_feature(fs, change);
  set_journal_features(fs, wanted);
  take_sizes(wanted, position, fs);
  return fs;
}

}  // namespace fcsim::machine

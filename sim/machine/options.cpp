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
                           model::FilesystemSettings& on_disk) {
  Words words("tune2fs", options, position);
  model::FilesystemSettings changed = on_disk;
  while (!words.done()) {
    const std::string word = words.take();
    if (word.starts_with("-O")) {
      for (const FeatureChange& change : features_of(words.value_of(word), position)) {
        if (change.name != "fast_commit") words.fail("-O " + change.name);
        set_feature(changed, change);
      }
    } else if (word.starts_with("-J") && changed.has("has_journal")) {
      const std::string value = words.value_of(word);
      if (!value.starts_with("fast_commit_size=")) words.fail("-J " + value);
    } else {
      words.fail(word);
    }
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
  for (const FeatureChange& change : wanted.features)
    if (change.name != "fast_commit" && change.name != "has_journal") set_feature(fs, change);
  set_journal_features(fs, wanted);
  if (wanted.journal_mib) {
    const std::int64_t blocks = *wanted.journal_mib * 1024 * 1024 / fs.block_size;
    if (blocks < 1024 || static_cast<std::uint64_t>(blocks) > fs.block_count / 2)
      throw model::InputError(position,
                              "mke2fs: a journal of " + std::to_string(*wanted.journal_mib) +
                                  " MiB: expected 1024 blocks to half of the file system");
    fs.journal_blocks = static_cast<std::uint32_t>(blocks) + fs.fast_commit_blocks;
  }
  if (wanted.fast_commit_kib) {
    const configuration::FastCommitSize area =
        configuration::fast_commit_size(fs, *wanted.fast_commit_kib);
    if (area.refusal) throw model::InputError(position, *area.refusal);
    fs.fast_commit_blocks = area.area_blocks;
    fs.journal_blocks = area.journal_blocks;
  }
  return fs;
}

}  // namespace fcsim::machine

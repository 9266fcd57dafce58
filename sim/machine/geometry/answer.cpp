#include "sim/machine/geometry/answer.h"

#include <algorithm>
#include <stdexcept>

#include "model/common/error.h"
#include "model/common/geometry.h"
#include "sim/machine/mount_options.h"

namespace fcsim::machine::geometry {
namespace {

std::string blocks(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " block" : " blocks");
}

bool gave(const configuration::LoadedConfiguration& loaded, const std::string& key) {
  return std::any_of(loaded.provenance.begin(), loaded.provenance.end(),
                     [&](const configuration::Provenance& given) { return given.key == key; });
}

class Answer {
 public:
  Answer(const FilesystemOnDisk& disk, const std::optional<MountedFilesystem>& mounted,
         const configuration::LoadedConfiguration& loaded)
      : disk_(disk), mounted_(mounted) {
    model::Configuration& values = answer_.configuration;
    values = loaded.values;
    values.filesystem = disk.settings;
    check_values();
    choose_mount(loaded);
    answer_.statements = disk.statements;
  }

  GeometryAnswer write() {
    if (disk_.settings.type == model::FilesystemType::xfs) return std::move(answer_);
    decide();
    area_statements();
    mount_statements();
    recovery_statements();
    return std::move(answer_);
  }

 private:
  // Keys have ranges; a damaged superblock without checksum may hold anything.
  void check_values() const {
    configuration::Settings settings;
    settings.values = answer_.configuration;
    for (const configuration::Key& key : configuration::configuration_keys()) {
      if (key.table != "filesystem") continue;
      if (const auto value = value_of(key, settings))
        if (const auto wrong = complaint(key, *value))
          throw model::InputError({disk_.source, 0, 0}, "the superblock is damaged: " + *wrong);
    }
    const model::FilesystemSettings& fs = disk_.settings;
    if (fs.type == model::FilesystemType::xfs) return;  // its reader has seen to that
    if (fs.inode_size > fs.block_size || fs.block_count <= (fs.block_size == 1024 ? 1 : 0))
      throw model::InputError(
          {disk_.source, 0, 0},
          "the superblock is damaged: inodes of " + std::to_string(fs.inode_size) + " bytes in " +
              blocks(fs.block_count) + " of " + std::to_string(fs.block_size) + " bytes");
  }

  // The user's keys, then the mount's, then the superblock's.
  void choose_mount(const configuration::LoadedConfiguration& loaded) {
    configuration::Settings known;
    known.values.filesystem.type = disk_.settings.type;
    if (mounted_)
      known.values.mount = mount_settings(*mounted_);
    else
      apply_known_mount_options(disk_.default_options, known.values.mount);
    configuration::Settings chosen;
    chosen.values = answer_.configuration;
    for (const configuration::Key& key : configuration::configuration_keys()) {
      if (key.table != "mount" || gave(loaded, key.full_name())) continue;
      const auto value = value_of(key, known);
      if (!value) continue;
      if (!mounted_ && value != value_of(key, chosen)) answer_.mount_known = true;
      key.set(chosen, *value);
    }
    answer_.mount_known = answer_.mount_known || mounted_.has_value();
    answer_.configuration.mount = chosen.values.mount;
  }

  [[nodiscard]] model::Geometry geometry(bool with_feature) const {
    model::FilesystemSettings fs = disk_.settings;
    std::erase(fs.features, "fast_commit");
    if (with_feature) fs.features.emplace_back("fast_commit");
    return {fs, answer_.configuration.mount, answer_.configuration.kernel};
  }

  void take(const model::Geometry& geometry) {
    answer_.log_blocks = geometry.log_blocks;
    answer_.max_transaction_blocks = geometry.max_transaction_blocks;
    if (!geometry.fast_commit_active) return;
    answer_.area_blocks = disk_.settings.journal_blocks - geometry.log_blocks;
    answer_.usable_blocks = geometry.fast_commit_usable_blocks;
  }

  void set(FastCommitState state, std::string reason) {
    answer_.state = state;
    answer_.reason = std::move(reason);
  }

  void decide() {
    if (mounted_) {
      decide_mounted();
      return;
    }
    const bool feature = disk_.settings.has("fast_commit");
    try {
      const model::Geometry result = geometry(feature);
      take(result);
      if (result.fast_commit_active)
        set(FastCommitState::active, "the superblock has the feature fast_commit");
      else
        set(FastCommitState::inactive, why_inactive(result));
    } catch (const std::invalid_argument& refusal) {
      set(FastCommitState::refused, std::string(refusal.what()) + ": mount fails");
    }
  }

  [[nodiscard]] std::string why_inactive(const model::Geometry& result) const {
    if (!result.has_journal) return "there is no journal, nothing is ever committed";
    if (answer_.configuration.mount.data == model::DataMode::journal)
      return "data=journal turns it off; every fsync is a full commit";
    return "the feature fast_commit is not set; every fsync is a full commit";
  }

  // A mount keeps what it found when it began, so the superblock decides nothing: the size of
  // the largest transaction tells, as the area is taken from the log.
  void decide_mounted() {
    const model::Geometry off = geometry(false);
    if (!off.has_journal || answer_.configuration.mount.data == model::DataMode::journal) {
      take(off);
      set(FastCommitState::inactive, why_inactive(off));
      return;
    }
    std::optional<model::Geometry> on;
    try {
      on = geometry(true);
    } catch (const std::invalid_argument&) {  // then this mount cannot have it
    }
    const FastCommitState state = state_of_mount(off, on);
    take(state == FastCommitState::inactive || !on ? off : *on);
    if (state == FastCommitState::unknown) answer_.area_blocks = answer_.usable_blocks = 0;
  }

  [[nodiscard]] bool off_on_disk() const { return !disk_.settings.has("fast_commit"); }

  FastCommitState state_of_mount(const model::Geometry& off,
                                 const std::optional<model::Geometry>& on) {
    const auto decided = [&](FastCommitState state, std::string reason) {
      set(state, std::move(reason));
      return state;
    };
    if (on && mounted_->fast_commits.value_or(0) != 0)
      return decided(FastCommitState::active, "this mount has made " +
                                                  std::to_string(*mounted_->fast_commits) +
                                                  " fast commits (fc_info)");
    if (on && mounted_->has_option("fc_debug_force"))
      return decided(FastCommitState::active, "the mount's options show it (fc_debug_force)");
    const auto limit = mounted_->max_transaction_blocks;
    const bool like_off = limit == off.max_transaction_blocks;
    const bool like_on = on && limit == on->max_transaction_blocks;
    const std::string seen = "the kernel's largest transaction, " + blocks(limit.value_or(0)) +
                             ", is that of a journal with";
    if (like_on && !like_off) return decided(FastCommitState::active, seen + " a fast-commit area");
    if (like_off && !like_on)
      return decided(FastCommitState::inactive,
                     (off_on_disk() ? "neither the superblock has the feature fast_commit nor this "
                                      "mount an area for it"
                                    : seen + "out a fast-commit area") +
                         "; every fsync is a full commit");
    return decided(FastCommitState::unknown, why_unknown(off, on));
  }

  [[nodiscard]] std::string why_unknown(const model::Geometry& off,
                                        const std::optional<model::Geometry>& on) const {
    const std::string tail =
        "; if 'commits' in fc_info grows when a file is appended to and fsynced twice, it is "
        "active";
    if (!mounted_->max_transaction_blocks)
      return "/proc/fs/jbd2/" + mounted_->name + "-8/info cannot be read" + tail;
    const std::string limit = std::to_string(*mounted_->max_transaction_blocks);
    if (*mounted_->max_transaction_blocks == off.max_transaction_blocks)
      return "the largest transaction, " + limit + " blocks, is the same with and without it" +
             tail;
    return "the kernel's largest transaction is " + limit + " blocks; profile " +
           answer_.configuration.kernel.profile + " gives " +
           (on ? std::to_string(on->max_transaction_blocks) + " with fast commit and " : "") +
           std::to_string(off.max_transaction_blocks) + " without: is that this kernel (-k)?" +
           tail;
  }

  void say(std::string sentence) { answer_.statements.push_back(std::move(sentence)); }

  void area_statements() {
    const model::FilesystemSettings& fs = disk_.settings;
    const bool active = answer_.area_blocks != 0;
    const std::uint32_t standard = answer_.configuration.kernel.fast_commit.default_blocks;
    const bool feature = fs.has("fast_commit");
    if (!fs.has("has_journal")) return;
    if ((active || answer_.state == FastCommitState::refused) && fs.fast_commit_blocks == 0)
      say("the journal's superblock says 0, which the kernel reads as " + blocks(standard) +
          " taken out of the log: so after tune2fs -O fast_commit on a journal that existed, and "
          "after mke2fs -J fast_commit_size= with less than a block (" +
          std::to_string(fs.block_size) +
          " bytes). tune2fs -J fast_commit_size= changes nothing; "
          "removing and making the journal anew does");
    if (active && !disk_.area_as_stored && fs.fast_commit_blocks == standard)
      say("dumpe2fs prints " + std::to_string(standard) +
          " also where 0 is stored; the area is the same");
    if (active && answer_.usable_blocks == 0)
      say("one block of the area is never used: no fast commit fits, every fsync falls back to a "
          "full commit");
    if (!feature && fs.fast_commit_blocks == 0 && answer_.state == FastCommitState::inactive)
      feature_statement(standard);
    if (answer_.state == FastCommitState::inactive && fs.fast_commit_blocks != 0)
      say("the area of " + blocks(fs.fast_commit_blocks) +
          " on disk belongs to the log while fast commit is not active");
  }

  // What tune2fs -O fast_commit would give.
  void feature_statement(std::uint32_t standard) {
    try {
      const model::Geometry with = geometry(true);
      if (with.fast_commit_active)
        say("tune2fs -O fast_commit and a new mount would make it active, with " +
            blocks(standard) + " taken out of the log: largest transaction " +
            blocks(with.max_transaction_blocks));
    } catch (const std::invalid_argument& refusal) {
      say(std::string("after tune2fs -O fast_commit it could not be mounted any more: ") +
          refusal.what());
    }
  }

  void mount_statements() {
    const bool feature = disk_.settings.has("fast_commit");
    if (!mounted_) {
      if (answer_.mount_known)
        say("the superblock holds default mount options (tune2fs -o or -E mount_opts=), see "
            "[mount]");
      return;
    }
    const bool journal_data = answer_.configuration.mount.data == model::DataMode::journal;
    if (feature && answer_.state == FastCommitState::inactive && !journal_data)
      say("the feature is on disk and this mount is older: tune2fs on a mounted file system, and "
          "mount -o remount, change nothing until it is unmounted and mounted again. To predict "
          "for this mount: --set filesystem.fast_commit=false");
    if (!feature && answer_.state == FastCommitState::active)
      say("the feature is not on disk: it was taken away after this mount began, or the mount has "
          "fc_debug_force. To predict for this mount: --set filesystem.fast_commit=true");
    if (!mounted_->options_known)
      say("/proc/fs/ext4/" + mounted_->name +
          "/options cannot be read: [mount] has what "
          "mountinfo shows, and defaults");
  }

  void recovery_statements() {
    if (!disk_.journal) return;
    if (disk_.journal->error != 0)
      say("the journal was aborted with errno " + std::to_string(disk_.journal->error));
    if (!disk_.needs_recovery || mounted_) return;
    std::string sentence = "not cleanly unmounted: the journal waits for recovery (--log lists it)";
    if (disk_.journal->fast_commit) sentence += "; the mount that left it had fast commit active";
    say(sentence);
  }

  const FilesystemOnDisk& disk_;
  const std::optional<MountedFilesystem>& mounted_;
  GeometryAnswer answer_;
};

}  // namespace

std::string_view to_string(FastCommitState state) {
  switch (state) {
    case FastCommitState::active:
      return "active";
    case FastCommitState::inactive:
      return "not active";
    case FastCommitState::refused:
      return "cannot be mounted";
    case FastCommitState::unknown:
      return "not known";
  }
  return "";
}

GeometryAnswer answer_geometry(const FilesystemOnDisk& filesystem,
                               const std::optional<MountedFilesystem>& mounted,
                               const configuration::LoadedConfiguration& loaded) {
  return Answer(filesystem, mounted, loaded).write();
}

}  // namespace fcsim::machine::geometry

#include "sim/questions/doctor/findings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/common/counter_table.h"
#include "sim/machine/truth.h"
#include "sim/support/text.h"

namespace fcsim::questions::doctor {
namespace {

using machine::geometry::FastCommitState;
using support::counted;

// What a name of fc_info's reasons stands for (fs/ext4/fast_commit.c, fc_ineligible_reasons) and
// what avoids it.
struct ReasonAdvice {
  std::string_view reason;
  std::string_view advice;
};
constexpr std::array<ReasonAdvice, 13> kReasons = {{
    {"Extended attributes changed",
     "setxattr, removexattr, an ACL, or a file created below a default ACL or a security label"},
    {"Cross rename", "renameat2 with RENAME_EXCHANGE or RENAME_WHITEOUT"},
    {"Journal flag changed", "chattr +j or -j"},
    {"Insufficient memory", "the kernel found no memory to track a change"},
    {"Swap boot", "EXT4_IOC_SWAP_BOOT"},
    {"Resize", "resize2fs on the mounted file system"},
    {"Dir renamed", "a folder moved to another folder"},
    {"Falloc range op", "fallocate with COLLAPSE_RANGE or INSERT_RANGE"},
    {"Data journalling", "files with chattr +j, device files, sockets and FIFOs"},
    {"Encrypted filename", "names in encrypted folders"},
    {"Inode format migration", "chattr +e or -e"},
    {"fs-verity enable", "fsverity enable"},
    {"Move extents", "e4defrag"},
}};

class Examination {
 public:
  explicit Examination(const Subject& subject) : subject_(subject) {}

  std::vector<Finding> run() {
    safety();
    activation();
    area();
    mount_options();
    counters();
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.weight < b.weight; });
    return std::move(findings_);
  }

 private:
  [[nodiscard]] const model::FilesystemSettings& disk() const {
    return subject_.geometry.configuration.filesystem;
  }
  [[nodiscard]] const model::MountSettings& mount() const {
    return subject_.geometry.configuration.mount;
  }
  [[nodiscard]] bool active() const { return subject_.geometry.state == FastCommitState::active; }
  [[nodiscard]] std::string device() const {
    if (!subject_.device.empty()) return subject_.device;
    return subject_.is_bundle ? "DEVICE" : subject_.source;
  }
  [[nodiscard]] std::string mount_point() const {
    return subject_.mount_point.empty() ? "MOUNT-POINT" : subject_.mount_point;
  }
  [[nodiscard]] bool mounted() const { return !subject_.mount_point.empty() || subject_.is_bundle; }
  [[nodiscard]] bool is_root() const { return subject_.mount_point == "/"; }

  void add(Weight weight, std::string what, std::string effect, std::vector<Step> steps) {
    findings_.push_back({weight, std::move(what), std::move(effect), std::move(steps)});
  }

  // The steps between an unmount and a mount.
  [[nodiscard]] std::vector<Step> while_unmounted(std::vector<Step> steps,
                                                  const std::string& options = "") const {
    if (!mounted()) return steps;
    if (is_root()) {
      steps.insert(steps.begin(), {"", "boot a rescue system: / cannot be unmounted", false});
      steps.push_back({"reboot", "", false});
      return steps;
    }
    steps.insert(steps.begin(), {"umount " + mount_point(), "", false});
    steps.push_back(
        {"mount " + (options.empty() ? "" : "-o " + options + " ") + device() + " " + mount_point(),
         "", false});
    return steps;
  }

  // tune2fs changes flags of what is mounted; the next mount finds them.
  [[nodiscard]] std::vector<Step> then_mount_again(std::vector<Step> steps) const {
    if (!is_root()) return while_unmounted(std::move(steps));
    steps.push_back({"reboot", "/ finds it when it is mounted again", false});
    return steps;
  }

  [[nodiscard]] std::uint32_t default_area() const {
    return subject_.geometry.configuration.kernel.fast_commit.default_blocks;
  }

  // A journal made anew, with a log of at least 1024 blocks and an area as mke2fs chooses it, 1/64
  // of the log.
  [[nodiscard]] std::vector<Step> new_journal(std::uint64_t log_blocks) const {
    constexpr std::uint64_t kMib = 1024 * 1024;
    const std::uint64_t bytes = std::max<std::uint64_t>(log_blocks, 1024) * disk().block_size;
    const std::string size =
        "size=" + std::to_string(std::max<std::uint64_t>((bytes + kMib - 1) / kMib, 4));
    return {{"e2fsck -f " + device(), "the file system must be clean", false},
            {"tune2fs -O ^has_journal " + device(), "", false},
            {"tune2fs -O fast_commit " + device(), "", false},
            {"tune2fs -J " + size + " " + device(), "", false}};
  }

  [[nodiscard]] std::vector<Step> with_destruction(std::vector<Step> steps) const {
    if (subject_.is_bundle) return steps;
    steps.push_back({"mke2fs -t ext4 -O fast_commit " + device(),
                     "only in place of the above, for a file system whose files are not needed",
                     true});
    return steps;
  }

  void safety() {
    if (subject_.journal_error != 0)
      add(Weight::danger,
          "the journal was aborted with errno " + std::to_string(subject_.journal_error),
          "changes after that are not on the disk",
          while_unmounted({{"e2fsck -f " + device(), "may ask before it mends", false}}));
    if (subject_.needs_recovery && subject_.mount_point.empty() && !subject_.is_bundle)
      add(Weight::danger, "it was not cleanly unmounted: the journal waits for recovery",
          "what the disk shows now is older than what was synced",
          {{"e2fsck -p " + device(), "replays the journal; so does a mount", false}});
    if (disk().has("has_journal") && !mount().barrier)
      add(Weight::danger, "it is mounted with nobarrier",
          "fsync does not empty the device's cache; a power cut loses what was synced, unless "
          "that cache is protected",
          {{"mount -o remount,barrier " + mount_point(), "", false}});
  }

  void activation() {
    const bool feature = disk().has("fast_commit");
    const FastCommitState state = subject_.geometry.state;
    if (!disk().has("has_journal")) {
      add(Weight::no_gain, "there is no journal", "nothing is ever committed; fsync writes inodes",
          with_destruction(
              while_unmounted({{"tune2fs -O has_journal,fast_commit " + device(), "", false}})));
      return;
    }
    if (state == FastCommitState::refused) {
      std::vector<Step> steps = {
          {"tune2fs -O ^fast_commit " + device(), "it can be mounted again, without", false}};
      for (Step& step : new_journal(1024)) steps.push_back(std::move(step));
      steps[1].remark = "then, or instead, a larger journal: " + steps[1].remark;
      add(Weight::no_gain, subject_.geometry.reason, "", with_destruction(std::move(steps)));
      return;
    }
    if (mount().data == model::DataMode::journal) return data_journal();
    if (state == FastCommitState::unknown) return unknown_state();
    if (state == FastCommitState::inactive) return inactive(feature);
    if (mounted() && !feature && !subject_.is_bundle)
      add(Weight::no_gain, "the feature fast_commit was taken away while this mount has it",
          "the next mount is without fast commits",
          {{"tune2fs -O fast_commit " + device(), "keeps it", false}});
  }

  void data_journal() {
    add(Weight::no_gain, "it is mounted with data=journal",
        "data=journal turns fast commits off; every fsync is a full commit with the data in it",
        while_unmounted({{"tune2fs -o ^journal_data " + device(),
                          "where the option is the superblock's; in /etc/fstab as well", false}},
                        "data=ordered"));
  }

  void unknown_state() {
    const std::string name = subject_.device.substr(subject_.device.rfind('/') + 1);
    const std::string file = mount_point() + "/fcsim-probe";
    add(Weight::no_gain, "whether fast commit is active is not known", subject_.geometry.reason,
        {{"dd if=/dev/zero of=" + file + " bs=1 count=2 conv=fsync oflag=sync", "", false},
         {"head -n 2 /proc/fs/ext4/" + (name.empty() ? "NAME" : name) + "/fc_info",
          "commits grows: it is active", false},
         {"rm " + file, "", false}});
  }

  void inactive(bool feature) {
    const std::string effect = "every fsync is a full commit";
    if (feature) {
      add(Weight::no_gain, "the feature fast_commit is on disk and this mount is older",
          effect + "; neither tune2fs nor mount -o remount changes that", then_mount_again({}));
      return;
    }
    std::string area = "an area of " + counted(default_area(), "block") + " is taken from the log";
    if (disk().fast_commit_blocks != 0)
      area = "the journal has an area of " + counted(disk().fast_commit_blocks, "block");
    if (disk().journal_blocks >= default_area() + 1024 || disk().fast_commit_blocks != 0) {
      add(Weight::no_gain, "the feature fast_commit is not set", effect,
          with_destruction(
              then_mount_again({{"tune2fs -O fast_commit " + device(), area, false}})));
      return;
    }
    add(Weight::no_gain,
        "the feature fast_commit is not set, and the journal of " +
            counted(disk().journal_blocks, "block") + " is too small for it",
        effect, with_destruction(while_unmounted(new_journal(1024))));
  }

  void area() {
    if (!active() || subject_.geometry.usable_blocks != 0) return;
    add(Weight::no_gain, "the fast-commit area has one block, which is never used",
        "no fast commit fits, every fsync falls back to a full commit",
        with_destruction(while_unmounted(new_journal(subject_.geometry.log_blocks))));
  }

  void mount_options() {
    if (!disk().has("has_journal")) return;
    if (mount().sync)
      add(Weight::dear, "it is mounted with sync",
          "each change waits for a commit of its own, not only those that a program syncs",
          {{"mount -o remount,async " + mount_point(), "", false}});
    if (mount().dirsync)
      add(Weight::dear, "it is mounted with dirsync",
          "each change of a folder waits for a full commit of its own; a remount leaves that as it "
          "is",
          while_unmounted({}));
  }

  void counters() {
    if (!subject_.counters || !active()) return;
    const machine::KernelCounters& counted_here = *subject_.counters;
    ineligible(counted_here);
    const std::uint64_t fell_back = counted_here.value("fc_info", "ineligible");
    const std::uint64_t requested = std::max(counted_here.value("jbd2", "requested"), fell_back);
    const std::uint64_t others = requested - fell_back;
    if (others > 1 && others > counted_here.value("fc_info", "commits") / 4)
      add(Weight::dear,
          counted(others, "full commit") +
              " that callers waited for had no reason that the kernel counts",
          "the causes that leave no name in fc_info: a full area, fsync of a folder, sync and "
          "syncfs, the first commit of a mount, changes that wait (chattr +S, O_SYNC on a folder)",
          {});
  }

  void ineligible(const machine::KernelCounters& counted_here) {
    const std::uint64_t fell_back = counted_here.value("fc_info", "ineligible");
    if (fell_back == 0) return;
    for (const ReasonAdvice& known : kReasons) {
      const std::uint64_t marks = counted_here.value("fc_info.reasons", known.reason);
      if (marks == 0) continue;
      add(Weight::dear,
          "\"" + std::string(known.reason) + "\" was marked " + counted(marks, "time"),
          std::string(known.advice) + ": after it the next fsync is a full commit (" +
              counted(fell_back, "full commit") + " for all reasons together)",
          {});
    }
  }

  const Subject& subject_;
  std::vector<Finding> findings_;
};

}  // namespace

machine::KernelCounters counters_of_bundle(const std::string& truth) {
  constexpr std::string_view kReasons = "reasons.";
  machine::KernelCounters counters;
  for (const machine::Counter& counter : machine::read_truth(truth).counters) {
    const std::string_view name = counter.name;
    if (name.starts_with(kReasons))
      counters.counted.push_back(
          {"fc_info.reasons", counter.name.substr(kReasons.size()), counter.value});
    else
      for (const char* group : {"fc_info", "jbd2"})
        if (model::counter_group(group).find(name) != nullptr)
          counters.counted.push_back({group, counter.name, counter.value});
  }
  return counters;
}

std::string_view to_string(Weight weight) {
  switch (weight) {
    case Weight::danger:
      return "danger";
    case Weight::no_gain:
      return "no fast commits";
    case Weight::dear:
      return "full commits";
  }
  return "";
}

std::vector<Finding> findings_of(const Subject& subject) {
  return Examination(subject).run();
}

std::vector<Step> next_steps(const Subject& subject) {
  if (subject.is_bundle)
    return {{"fcsim explain " + subject.source, "every full commit and its cause", false},
            {"fcsim tune " + subject.source, "the smallest area that gains all there is", false}};
  if (subject.mount_point.empty()) return {};
  return {{"fcsim record -o BUNDLE --mount-point " + subject.mount_point +
               " --whole-file-system --for 60s",
           "whoever works there; or -p PID, or -- COMMAND", false},
          {"fcsim explain BUNDLE", "every full commit and its cause", false},
          {"fcsim tune BUNDLE", "the smallest area that gains all there is", false}};
}

}  // namespace fcsim::questions::doctor

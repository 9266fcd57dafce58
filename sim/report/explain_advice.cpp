// What would avoid full commits of each cause. A sentence says only what the model knows: a rule of
// the kernel, or a number from a prediction that was made with the change.
#include "sim/report/explain_report.h"
#include "sim/report/journal_commands.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

using support::counted;

std::string about_area_full(const questions::explain::Explanation& explanation) {
  const std::optional<questions::tune::AreaAdvice>& area = explanation.alternatives.area;
  if (!area) return "a larger fast-commit area (fcsim tune says how large)";
  std::uint64_t remaining = 0;
  for (const auto& [cause, count] : area->limits) remaining += count;
  if (area->limited_by_size)
    return "even the largest fast-commit area that mke2fs makes here, " +
           counted(area->smallest, "block") + ", is full at times; with it there are " +
           counted(remaining, "full commit");
  return "a fast-commit area of " + counted(area->smallest, "block") +
         " would have held every fast commit; full commits then: " + number(remaining) +
         " instead of " + number(explanation.prediction.transactions) + ". " +
         area_commands(explanation.configuration.values.filesystem, area->smallest) + ": " +
         area_commands_explained();
}

std::string about_ineligible(const questions::explain::CauseShare& share) {
  std::string text;
  for (const questions::explain::CauseShare::Mark& mark : share.marks) {
    text += text.empty() ? "" : ", ";
    text += (mark.reason.empty() ? "journalled data" : "\"" + mark.reason + "\"") +
            (mark.call.empty() ? "" : " by " + mark.call) + " (" + number(mark.commits) + ")";
  }
  return text +
         ": after such a call the next fsync is a full commit; avoid these calls, or batch many "
         "before one fsync";
}

std::string about_directory_fsync(const questions::explain::Explanation& explanation) {
  std::string text;
  for (const questions::explain::OtherOutcome& kernel : explanation.alternatives.directory_kernels)
    text += (text.empty() ? "" : ", ") + kernel.name + " (" +
            counted(kernel.full_commits, "full commit") + ", " +
            counted(kernel.fast_commits, "fast commit") + " there)";
  return "this kernel commits in full for every fsync of a directory or special file while a "
         "transaction runs; " +
         (text.empty() ? "all supported kernels that can mount this file system do this"
                       : "kernels that treat it as fsync of a file: " + text);
}

std::string about_interval(const questions::explain::Explanation& explanation) {
  return "a transaction is committed when it is " +
         number(
             static_cast<std::uint64_t>(explanation.configuration.values.mount.commit_interval_s)) +
         " s old; with a larger mount -o commit=SECONDS that is rarer, and a crash loses more of "
         "what was not synced";
}

std::string about_synchronous_handle(const questions::explain::Explanation& explanation) {
  const model::MountSettings& mount = explanation.configuration.values.mount;
  const std::string what = mount.sync      ? "the mount option sync"
                           : mount.dirsync ? "the mount option dirsync"
                                           : "the attribute S or D (chattr)";
  return what +
         " makes a change wait for a full commit of its own; without it the program's own "
         "fsyncs decide";
}

std::string about_fast_commit_off(const questions::explain::Explanation& explanation) {
  const model::Configuration& values = explanation.configuration.values;
  if (explanation.alternatives.with_fast_commit) {
    const questions::explain::OtherOutcome& other = *explanation.alternatives.with_fast_commit;
    return "the file system lacks the feature; with it there would be " +
           counted(other.full_commits, "full commit") + " and " +
           counted(other.fast_commits, "fast commit") +
           (values.mount.data == model::DataMode::journal
                ? ", as data=journal turns fast commits off"
                : ": " + feature_commands());
  }
  if (!values.filesystem.has("fast_commit"))
    return "the file system lacks the feature, and this one cannot be mounted with it";
  return values.mount.data == model::DataMode::journal
             ? "data=journal turns fast commits off"
             : "fast commits are off in this configuration";
}

std::string about_snapshot_refused(const questions::explain::Explanation& explanation) {
  const model::SnapshotRules& rules = explanation.configuration.values.kernel.snapshot;
  return "this kernel copies " + counted(rules.max_inodes, "inode") + " and " +
         counted(rules.max_ranges, "range") +
         " at most for a fast commit; fewer changes between two fsyncs fit";
}

}  // namespace

std::string explain_advice(const questions::explain::Explanation& explanation,
                           const questions::explain::CauseShare& share) {
  using enum model::Cause;
  switch (share.cause) {
    case fast_commit_off:
      return about_fast_commit_off(explanation);
    case first_commit:
      return "unavoidable: fast commits begin after the first full commit of a mount";
    case area_full:
      return about_area_full(explanation);
    case log_failed:
      return "a file without extents was cut, whose range of blocks fast commits cannot look up; "
             "files made after tune2fs -O extent have extents";
    case ineligible:
      return about_ineligible(share);
    case snapshot_refused:
      return about_snapshot_refused(explanation);
    case directory_fsync:
      return about_directory_fsync(explanation);
    case timer:
    case expired:
      return about_interval(explanation);
    case sync:
      return "sync and syncfs commit the running transaction in full; fsync of the files that "
             "matter "
             "need not";
    case synchronous_handle:
      return about_synchronous_handle(explanation);
    case transaction_full:
      return "a transaction holds " +
             counted(explanation.prediction.max_transaction_blocks, "block") +
             " at most here; a larger log raises that (" + log_commands() + ")";
    case log_space:
      return "the log had to be emptied; a larger one makes that rarer (" + log_commands() + ")";
    case no_space:
      return "free space: an allocation that finds none commits, as that may free blocks, and "
             "tries again";
    case administration:
      return "unavoidable: freezing, remounting, resizing and the like commit the running "
             "transaction";
  }
  return "";
}

}  // namespace fcsim::report

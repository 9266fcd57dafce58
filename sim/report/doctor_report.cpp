#include "sim/report/doctor_report.h"

#include <algorithm>

#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using questions::doctor::Finding;
using questions::doctor::Step;
using questions::doctor::Subject;
using support::counted;

std::string title_of(const Subject& subject, std::size_t findings) {
  std::string name = subject.source;
  const std::string& mounted = subject.mount_point;
  if (!mounted.empty() && mounted != name) name += ", mounted on " + mounted;
  if (!subject.device.empty() && subject.device != subject.source)
    name += " (" + subject.device + ")";
  return name + ": fast commit " + std::string(to_string(subject.geometry.state)) + ", " +
         (findings == 0 ? "nothing to mend" : counted(findings, "thing") + " to mend");
}

// The options that decide what is committed when; those that are as always are left out.
std::string mount_line(const model::MountSettings& mount) {
  std::string line = mount.data == model::DataMode::journal     ? "data=journal"
                     : mount.data == model::DataMode::writeback ? "data=writeback"
                                                                : "data=ordered";
  line += ", commit=" + std::to_string(mount.commit_interval_s);
  if (!mount.barrier) line += ", nobarrier";
  if (!mount.delalloc) line += ", nodelalloc";
  if (mount.sync) line += ", sync";
  if (mount.dirsync) line += ", dirsync";
  if (mount.lazytime) line += ", lazytime";
  return line;
}

void add_state(Document& document, const Subject& subject) {
  const machine::geometry::GeometryAnswer& geometry = subject.geometry;
  const model::FilesystemSettings& disk = geometry.configuration.filesystem;
  document.heading("State");
  document.line("fast commit: " + std::string(to_string(geometry.state)) + ": " + geometry.reason,
                1);
  document.line("journal: " + counted(disk.journal_blocks, "block") + " of " +
                    std::to_string(disk.block_size) + " bytes: log " +
                    std::to_string(geometry.log_blocks) + ", fast-commit area " +
                    std::to_string(geometry.area_blocks) + " (" +
                    std::to_string(geometry.usable_blocks) + " usable); largest transaction " +
                    counted(geometry.max_transaction_blocks, "block"),
                1);
  document.line("kernel: " + (subject.release.empty() ? "" : subject.release + ", ") +
                    "rules of profile " + geometry.configuration.kernel.profile,
                1);
  document.line("mount: " + mount_line(geometry.configuration.mount), 1);
  for (const std::string& statement : geometry.statements) document.item(statement);
}

void add_counters(Document& document, const Subject& subject) {
  if (!subject.counters) return;
  const machine::KernelCounters& now = *subject.counters;
  document.heading(subject.is_bundle ? "Counters over the recording" : "Counters since the mount");
  Table table({"counter", "value"}, {true, false});
  const auto row = [&](const char* name, std::uint64_t value, const std::string& remark) {
    table.add({name, std::to_string(value)}, remark);
  };
  row("fast commits", now.value("fc_info", "commits"), "");
  row("blocks of fast commits", now.value("fc_info", "numblks"), "");
  row("full commits", now.value("jbd2", "transactions"), "");
  row("requested", now.value("jbd2", "requested"),
      "of the full commits; the rest by the commit timer");
  row("ineligible", now.value("fc_info", "ineligible"),
      "fast commits that fell back to a full commit for a reason below");
  for (const model::NamedCounter& reason : now.counted)
    if (reason.group == "fc_info.reasons" && reason.value != 0)
      table.add({"\"" + reason.name + "\"", std::to_string(reason.value)}, "marks");
  document.table(std::move(table));
}

void add_steps(Document& document, const std::vector<Step>& steps) {
  if (steps.empty()) return;
  Table table({"data", "command"}, {true, true});
  for (const Step& step : steps)
    table.add({step.destroys_data ? "DESTROYED" : "kept", step.command}, step.remark);
  document.table(std::move(table));
}

void add_finding(Document& document, std::size_t number, const Finding& finding) {
  document.heading(std::to_string(number) + ". " + std::string(to_string(finding.weight)) + ": " +
                   finding.what);
  if (!finding.effect.empty()) document.line(finding.effect, 1);
  add_steps(document, finding.steps);
}

}  // namespace

Document doctor_document(const Subject& subject) {
  const std::vector<Finding> findings = questions::doctor::findings_of(subject);
  Document document(title_of(subject, findings.size()));
  add_state(document, subject);
  add_counters(document, subject);
  std::size_t number = 0;
  for (const Finding& finding : findings) add_finding(document, ++number, finding);
  if (const auto next = questions::doctor::next_steps(subject); !next.empty()) {
    document.heading("To learn more");
    add_steps(document, next);
  }
  return document;
}

}  // namespace fcsim::report

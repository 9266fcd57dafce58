#include "sim/report/exposure_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace fcsim::report {

using model::exposure::Breach;
using model::exposure::kBefore;
using model::exposure::Kept;
using model::exposure::kZeros;
using model::exposure::Piece;
using model::exposure::Survivor;
using model::exposure::Ages;
using model::exposure::HalfKind;
using model::exposure::HalfState;
using questions::exposure::Exposure;

namespace {

constexpr std::uint64_t kLine = (std::uint64_t{1} << 48U) - 1;

char letter(model::FileType type) {
  switch (type) {
    case model::FileType::regular:
      return 'f';
    case model::FileType::directory:
      return 'd';
    case model::FileType::symlink:
      return 'l';
    default:  // fifos, sockets and devices
      return 'o';
  }
}

std::string content_text(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += ',';
    text += std::to_string(piece.offset) + ':' + std::to_string(piece.length) + ':';
    if (piece.writer == kZeros)
      text += 'z';
    else if (piece.writer == kBefore)
      text += '=';
    else
      text += '@' + std::to_string(piece.writer & kLine);
  }
  return text;
}

// Whole records, each its first byte's writer's.
std::vector<Piece> records_of(const std::vector<Piece>& pieces, std::int64_t size) {
  std::vector<Piece> records;
  std::int64_t at = 0;
  for (const Piece& piece : pieces) {
    const std::int64_t end = piece.offset + piece.length;
    if (end <= at) continue;
    const std::int64_t whole = piece.writer == kZeros ? end : (end + size - 1) / size * size;
    model::exposure::append(records, {at, whole - at, piece.writer});
    at = whole;
  }
  if (!pieces.empty() && at > pieces.back().offset + pieces.back().length)
    records.back().length -= at - pieces.back().offset - pieces.back().length;
  return records;
}

std::string octal(std::uint32_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%o", mode);
  return text.data();
}

void add_survivor(std::string& out, std::uint64_t point, const Survivor& survivor,
                  const Exposure& exposure) {
  const std::string path = exposure.texts.path(survivor.path);
  if (path == "lost+found" || path.starts_with("lost+found/")) return;
  const model::FileVersion& version = survivor.file->version;
  const bool regular = version.type == model::FileType::regular;
  std::uint64_t blocks = version.tree_blocks;
  for (const model::MappedRun& run : version.map) blocks += run.length;
  const std::uint64_t sectors = exposure.configuration.values.filesystem.block_size / 512;
  out += std::to_string(point) + '\t' + path + '\t' + letter(version.type) + '\t' +
         octal(exposure.texts.mode(*survivor.file)) + '\t' + std::to_string(version.links) + '\t';
  const bool sized = version.type != model::FileType::directory;
  out += sized ? std::to_string(version.size) : "-";
  out += '\t';
  out += regular ? std::to_string(blocks * sectors) : "-";
  const bool link = version.type == model::FileType::symlink;
  const std::vector<Piece> content = exposure.record_size > 1
                                         ? records_of(survivor.content, exposure.record_size)
                                         : survivor.content;
  out += '\t' + (link                     ? exposure.texts.target(*survivor.file)
                 : survivor.content_known ? content_text(content)
                                          : "-") +
         '\n';
}

std::string seconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string offset(model::Time time, const Exposure& exposure) {
  return seconds(static_cast<double>(time - exposure.begin) / 1e9) + " s";
}

std::string call_text(model::exposure::Writer writer, const Exposure& exposure) {
  const auto call = exposure.calls.find(writer);
  const std::string line = "line " + std::to_string(writer & kLine);
  return call == exposure.calls.end() ? line : call->second + " (" + line + ")";
}

std::string sparkline(const std::vector<double>& curve) {
  static constexpr std::array<const char*, 9> bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double top = curve.empty() ? 0 : *std::max_element(curve.begin(), curve.end());
  std::string line;
  for (const double value : curve) {
    const double part = top > 0 ? value / top * 8 : 0;
    line += bars.at(value > 0 ? std::clamp<std::size_t>(static_cast<std::size_t>(part + 0.5), 1, 8)
                              : 0);
  }
  return line;
}

void add_ages(Table& table, const char* title, const Ages& ages) {
  table.add({title, seconds(ages.mean), seconds(ages.p50), seconds(ages.p90), seconds(ages.p99),
             seconds(ages.maximum),
             std::to_string(static_cast<int>(ages.below_half_second * 100 + 0.5)),
             std::to_string(ages.most_writes), std::to_string(ages.most_bytes),
             std::to_string(ages.most_files), std::to_string(ages.most_names)});
}

const char* breach_name(Breach breach) {
  switch (breach) {
    case Breach::no_barrier:
      return "no-barrier";
    case Breach::link_without_create:
      return "link-without-create";
    case Breach::slept_through:
      return "slept-through";
    case Breach::unlinked_inode:
      return "unlinked-inode";
    case Breach::tracking_off:
      return "tracking-off";
    case Breach::directory_attributes:
      return "directory-attributes";
    case Breach::commit_by_unlink:
      return "commit-by-unlink";
  }
  return "";
}

const char* breach_clause(Breach breach) {
  switch (breach) {
    case Breach::no_barrier:
      return "barrier=0: nothing flushes the device's cache";
    case Breach::link_without_create:
      return "an O_TMPFILE file that got its name by linkat: the fast-commit log has no CREAT "
             "record of it, and the replay skips its LINK record";
    case Breach::slept_through:
      return "the call slept through another process's fast commit, which lacks its inode";
    case Breach::unlinked_inode:
      return "the log holds an inode without links, and the kernel refuses the mount "
             "(\"Structure needs cleaning\") until e2fsck -fy has replayed it";
    case Breach::tracking_off:
      return "the mark of a transaction that was being committed had switched tracking off, and "
             "the fast commit lacks the change";
    case Breach::directory_attributes:
      return "a fast commit leaves out the changed mode or times of a directory, which a full "
             "commit would have taken along";
    case Breach::commit_by_unlink:
      return "SQLite with journal_mode=DELETE: the transaction ends with the unlink of its "
             "journal, which no call syncs; after a cut the last transaction is rolled back";
  }
  return "";
}

const char* breach_remedy(Breach breach) {
  switch (breach) {
    case Breach::no_barrier:
      return "mount.barrier = true";
    case Breach::link_without_create:
      return "durability.tmpfile_link_logs_inode = true";
    case Breach::slept_through:
      return "durability.sleeper_checks_inode = true";
    case Breach::unlinked_inode:
      return "durability.unlinked_inode_replays = true";
    case Breach::tracking_off:
      return "durability.ineligible_keeps_tracking = true";
    case Breach::directory_attributes:
      return "durability.directory_attributes_logged = true";
    case Breach::commit_by_unlink:
      return "mount.dirsync = true, or SQLite's PRAGMA synchronous=EXTRA";
  }
  return "";
}

void add_promises(Document& document, const Exposure& exposure) {
  document.heading("Promises that do not hold");
  if (exposure.broken.empty() && exposure.unmountable.empty())
    document.line("none: every call that promised durability had kept its promise when it returned");
  std::set<Breach> rules;
  if (!exposure.broken.empty() || !exposure.unmountable.empty()) {
    Table table({"returned", "until", "call", "lost", "rule"}, {false, false, true, true, true});
    for (const auto& broken : exposure.broken) {
      rules.insert(broken.breach);
      const std::string lost = broken.breach == Breach::directory_attributes ? "attributes"
                               : broken.name_missing ? "the name"
                                                     : std::to_string(broken.writes) + " writes";
      table.add({offset(broken.call.end, exposure),
                 broken.kept_at == 0 ? "the end" : offset(broken.kept_at, exposure),
                 call_text(model::exposure::writer_of(broken.call), exposure), lost,
                 breach_name(broken.breach)});
    }
    for (const auto& [from, to] : exposure.unmountable) {
      rules.insert(Breach::unlinked_inode);
      table.add({offset(from, exposure), to == 0 ? "the end" : offset(to, exposure), "",
                 "the mount", breach_name(Breach::unlinked_inode)});
    }
    document.table(std::move(table));
  }
  if (!exposure.possible.empty()) {
    document.heading("Promises that may not hold: threads decide");
    Table table({"returned", "call", "beside", "rule"}, {false, true, true, true});
    for (const auto& possible : exposure.possible) {
      rules.insert(possible.breach);
      table.add({offset(possible.call.end, exposure),
                 call_text(model::exposure::writer_of(possible.call), exposure),
                 call_text(model::exposure::writer_of(possible.other), exposure),
                 breach_name(possible.breach)});
    }
    document.table(std::move(table));
  }
  if (rules.empty()) return;
  document.heading("Rules");
  for (const Breach rule : rules)
    document.item(std::string(breach_name(rule)) + ": " + breach_clause(rule) +
                  ". It would hold with " + breach_remedy(rule));
}

const char* half_text(HalfKind kind) {
  switch (kind) {
    case HalfKind::empty:
      return "empty: the file is there and has no bytes";
    case HalfKind::zeros:
      return "zeros: zeros where a call wrote";
    case HalfKind::old_file:
      return "old file: the name stands for what was replaced";
    case HalfKind::name_back:
      return "name back: a removed name is there again";
  }
  return "";
}

// The list of the text form ends here; JSON and CSV have as much as was kept.
void add_half_states(Document& document, const Exposure& exposure, std::size_t listed) {
  const model::exposure::HalfStates& half = exposure.half_states;
  document.heading("States that no program saw");
  Table counts({"state", "seen", "at once"}, {true});
  for (std::size_t k = 0; k < model::exposure::kHalfKinds; ++k)
    counts.add({half_text(static_cast<HalfKind>(k)), std::to_string(half.seen[k]),
                std::to_string(half.at_once[k])});
  document.table(std::move(counts));
  if (half.list.empty()) return;
  Table list({"from", "to", "state", "call"}, {false, false, true, true});
  for (std::size_t i = 0; i < std::min(listed, half.list.size()); ++i) {
    const HalfState& state = half.list[i];
    const std::string text = half_text(state.kind);
    list.add({offset(state.from, exposure),
              state.to == 0 ? "the end" : offset(state.to, exposure),
              text.substr(0, text.find(':')), call_text(state.call, exposure)});
  }
  document.table(std::move(list));
}

void add_worst(Document& document, const char* title, const Ages& ages, const Exposure& exposure) {
  document.line(std::string(title) + " |" + sparkline(ages.curve) + "| 0 to " +
                    seconds(ages.maximum) + " s",
                1);
  if (ages.worst_at != 0)
    document.line("the worst moment is " + offset(ages.worst_at, exposure) + ", which loses the " +
                      call_text(ages.worst_writer, exposure),
                  1);
}

void add_phase(Document& document, const Exposure& exposure) {
  if (exposure.flusher_wakeup) return;
  const auto& writeback = exposure.configuration.values.writeback;
  document.line("The flusher's phase is not known ([clock] flusher_wakeup_realtime_ns): what hangs "
                "on it may come up to " +
                seconds(static_cast<double>(writeback.dirty_writeback_centisecs) / 100) +
                " s earlier or later, and every age above may differ by as much");
}

}  // namespace

std::string_view breach_text(Breach breach) {
  return breach_clause(breach);
}

std::string survivors_tsv(const Exposure& exposure) {
  std::string out =
      "# point\tpath\ttype\tmode\tnlink\tsize\tblocks512\tcontent (offset:length:@line)\n";
  for (std::size_t i = 0; i < exposure.cuts.size(); ++i)
    for (const Survivor& survivor : exposure.survivors[i])
      add_survivor(out, exposure.cuts[i].point, survivor, exposure);
  return out;
}

Document exposure_document(const Exposure& exposure, std::size_t half_states) {
  Document document;
  document.heading("Data at risk");
  Table table({"end", "mean s", "p50 s", "p90 s", "p99 s", "max s", "below 0.5 s %", "writes",
               "bytes", "files", "names"},
              {true});
  const Ages& flushed = exposure.ages[static_cast<std::size_t>(Kept::flushed)];
  const Ages& completed = exposure.ages[static_cast<std::size_t>(Kept::completed)];
  add_ages(table, "flushed", flushed);
  add_ages(table, "completed", completed);
  document.table(std::move(table));
  document.line(
      "seconds: the age of the oldest lost write, over all moments; writes to names: the most that "
      "one cut would take");
  document.line("flushed: the device's cache is lost; completed: every finished write is kept");
  add_phase(document, exposure);
  document.heading("Age of the oldest lost write over time");
  add_worst(document, "flushed  ", flushed, exposure);
  add_worst(document, "completed", completed, exposure);
  add_promises(document, exposure);
  add_half_states(document, exposure, half_states);
  return document;
}

Document exposure_settings_document(const questions::exposure::BySetting& settings) {
  std::vector<std::string> header = settings.keys;
  for (const char* name : {"full commits", "fast commits", "journal blocks", "flushes", "device ms",
                           "mean s", "p90 s", "max s", "below 0.5 s %", "writes", "broken"})
    header.emplace_back(name);
  Table table(header);
  for (const questions::exposure::SettingRow& row : settings.rows) {
    std::vector<std::string> cells = row.values;
    if (!row.error.empty()) {
      table.add(std::move(cells), "refused: " + row.error);
      continue;
    }
    for (const std::uint64_t value : {row.transactions, row.commits, row.journal_blocks, row.flushes})
      cells.push_back(std::to_string(value));
    cells.push_back(seconds(row.device_us / 1000));
    for (const double value : {row.ages.mean, row.ages.p90, row.ages.maximum})
      cells.push_back(seconds(value));
    cells.push_back(std::to_string(static_cast<int>(row.ages.below_half_second * 100 + 0.5)));
    cells.push_back(std::to_string(row.ages.most_writes));
    cells.push_back(std::to_string(row.broken));
    table.add(std::move(cells));
  }
  Document document;
  document.table(std::move(table));
  document.line("seconds: the age of the oldest write that a power cut would lose (flushed), over "
                "all moments; broken: calls whose promise of durability does not hold");
  return document;
}

Document exposure_tuning_document(const questions::exposure::AtRiskTuning& tuning) {
  Document document = exposure_settings_document(tuning.tried);
  document.heading("At most " + seconds(tuning.limit_s) + " s at risk");
  if (!tuning.best) {
    document.line("no setting that was tried keeps to it; what is left is an fsync, or "
                  "O_DSYNC, after what must not be lost");
    return document;
  }
  const questions::exposure::SettingRow& row = tuning.tried.rows[*tuning.best];
  for (std::size_t i = 0; i < row.values.size(); ++i)
    document.item(tuning.tried.keys[i] + " = " + row.values[i]);
  const questions::exposure::SettingRow& now = tuning.now;
  document.line("it loses at most " + seconds(row.ages.maximum) + " s and costs " +
                std::to_string(row.journal_blocks) + " journal blocks and " +
                std::to_string(row.flushes) + " flushes; now: at most " +
                seconds(now.ages.maximum) + " s, " + std::to_string(now.journal_blocks) +
                " journal blocks, " + std::to_string(now.flushes) + " flushes");
  return document;
}

}  // namespace fcsim::report

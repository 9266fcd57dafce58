#include "sim/report/exposure_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace fcsim::report {

using model::exposure::Breach;
using model::exposure::kBefore;
using model::exposure::Kept;
using model::exposure::kZeros;
using model::exposure::Piece;
using model::exposure::Survivor;
using questions::exposure::Ages;
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
  std::uint64_t blocks = 0;
  for (const model::MappedRun& run : version.map) blocks += run.length;
  const std::uint64_t sectors = exposure.configuration.values.filesystem.block_size / 512;
  out += std::to_string(point) + '\t' + path + '\t' + letter(version.type) + '\t' +
         octal(exposure.texts.mode(*survivor.file)) + '\t' + std::to_string(version.links) + '\t';
  const bool sized = version.type != model::FileType::directory;
  out += sized ? std::to_string(version.size) : "-";
  out += '\t';
  out += regular ? std::to_string(blocks * sectors) : "-";
  const bool link = version.type == model::FileType::symlink;
  out +=
      '\t' + (link ? exposure.texts.target(*survivor.file) : content_text(survivor.content)) + '\n';
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

void add_ages(std::string& out, const char* title, const Ages& ages, const Exposure& exposure) {
  out += std::string(title) + "\n";
  out += "  age of the oldest lost write: mean " + seconds(ages.mean) + " s, median " +
         seconds(ages.p50) + ", 90 % " + seconds(ages.p90) + ", 99 % " + seconds(ages.p99) +
         ", maximum " + seconds(ages.maximum) + "; below 0.5 s in " +
         std::to_string(static_cast<int>(ages.below_half_second * 100 + 0.5)) + " % of the time\n";
  out += "  |" + sparkline(ages.curve) + "|\n";
  if (ages.worst_at != 0)
    out += "  worst moment: " + offset(ages.worst_at, exposure) + ", which loses the " +
           call_text(ages.worst_writer, exposure) + "\n";
  out += "  at most lost: " + std::to_string(ages.most_writes) + " writes, " +
         std::to_string(ages.most_bytes) + " bytes in " + std::to_string(ages.most_files) +
         " files, " + std::to_string(ages.most_names) + " names\n";
}

void add_promises(std::string& out, const Exposure& exposure) {
  out += "promises that did not hold: " + std::to_string(exposure.broken.size()) + "\n";
  for (const auto& broken : exposure.broken) {
    out += "  " + offset(broken.call.end, exposure) + "  " +
           call_text(broken.call.line | (std::uint64_t{broken.call.source} << 48U), exposure) +
           ": " +
           (broken.name_missing ? "the file's name" : std::to_string(broken.writes) + " writes") +
           " lost until " + (broken.kept_at == 0 ? "the end" : offset(broken.kept_at, exposure)) +
           "; " + std::string(breach_text(broken.breach)) + "\n";
  }
  for (const auto& [from, to] : exposure.unmountable)
    out += "  " + offset(from, exposure) + " to " +
           (to == 0 ? std::string("the end") : offset(to, exposure)) + ": " +
           std::string(breach_text(Breach::unlinked_inode)) + "\n";
}

}  // namespace

std::string_view breach_text(Breach breach) {
  switch (breach) {
    case Breach::no_barrier:
      return "barrier=0: nothing flushes the device's cache";
    case Breach::link_without_create:
      return "an O_TMPFILE file that got its name by linkat: the fast-commit log has no CREAT "
             "record of it, and the replay skips its LINK record";
    case Breach::slept_through:
      return "the call slept through another process's fast commit, which lacks its inode";
    case Breach::unlinked_inode:
      return "the log holds an inode without links, and the kernel refuses the mount";
  }
  return "";
}

std::string survivors_tsv(const Exposure& exposure) {
  std::string out =
      "# point\tpath\ttype\tmode\tnlink\tsize\tblocks512\tcontent (offset:length:@line)\n";
  for (std::size_t i = 0; i < exposure.cuts.size(); ++i)
    for (const Survivor& survivor : exposure.survivors[i])
      add_survivor(out, exposure.cuts[i].point, survivor, exposure);
  return out;
}

std::string exposure_text(const Exposure& exposure) {
  std::string out;
  add_ages(out, "A power cut that loses the device's cache (flushed)",
           exposure.ages[static_cast<std::size_t>(Kept::flushed)], exposure);
  add_ages(out, "A reset that keeps every finished write (completed)",
           exposure.ages[static_cast<std::size_t>(Kept::completed)], exposure);
  add_promises(out, exposure);
  return out;
}

}  // namespace fcsim::report

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "traces/input.h"
#include "traces/reader.h"
#include "traces/strace/file_reader.h"
#include "traces/strace/foreign_form.h"
#include "traces/strace/merged_reader.h"
#include "traces/strace/open.h"
#include "traces/strace/ordered_reader.h"

namespace fcsim::traces::strace {
namespace {

// The pid in a name of `strace -ff`: "trace.123", "trace.123.zst" or .gz or .xz; 0 for other names.
std::int32_t pid_of_name(std::string_view path) {
  constexpr std::size_t kDigitsMaximum = 7;
  for (const std::string_view compressed : {".zst", ".gz", ".xz"})
    if (path.ends_with(compressed)) {
      path.remove_suffix(compressed.size());
      break;
    }
  const std::size_t point = path.rfind('.');
  if (point == std::string_view::npos) return 0;
  const std::string_view suffix = path.substr(point + 1);
  if (suffix.empty() || suffix.size() > kDigitsMaximum) return 0;
  if (!std::all_of(suffix.begin(), suffix.end(), is_digit)) return 0;
  std::int32_t pid = 0;
  for (const char c : suffix) pid = pid * 10 + (c - '0');
  return pid;
}

// `strace -ff` writes a file for each process, a build easily thousands; 1024 descriptors are what
// a shell grants by default.
constexpr std::size_t kOpenFilesMaximum = 256;

// So much of a file tells its form.
constexpr std::size_t kFormBytes = std::size_t{64} << 10;

std::unique_ptr<TraceReader> placed(std::unique_ptr<FileReader> reader, const TraceForm& form) {
  if (form.places_calls()) return reader;
  return std::make_unique<OrderedReader>(std::move(reader), form);
}

}  // namespace

std::vector<OpenedFile> open_files(const std::vector<std::string>& paths,
                                   const ReaderOptions& options) {
  if (paths.empty()) throw model::InputError({}, "no trace given");
  if (paths.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw model::InputError({}, "more than 65535 trace files given together");
  }
  const bool keep_open = paths.size() <= kOpenFilesMaximum;
  std::vector<OpenedFile> files;
  for (const std::string& path : paths) {
    OpenedFile& file = files.emplace_back(OpenedFile{path, nullptr, nullptr});
    if (options.fingerprint) file.fingerprint = std::make_shared<Fingerprint>();
    file.bytes = open_source(path, keep_open, file.fingerprint);
  }
  return files;
}

std::unique_ptr<TraceReader> read_files(std::vector<OpenedFile> files,
                                        const ReaderOptions& options) {
  std::vector<std::unique_ptr<TraceReader>> readers;
  for (OpenedFile& file : files) {
    const std::int32_t pid = pid_of_name(file.path);
    std::string head = read_head(*file.bytes, kFormBytes);
    if (has_results_of_truss(head))
      throw model::InputError({file.path == "-" ? "standard input" : file.path, 0, 0},
                              "not a trace: this is the text of truss, of another system's kernel; "
                              "record one on Linux with: " +
                                  std::string(kRecordingRecipe));
    const TraceForm form = recognise_form(head);
    file.bytes = put_back(std::move(head), std::move(file.bytes));
    readers.push_back(
        placed(std::make_unique<FileReader>(std::move(file.bytes), std::move(file.path),
                                            static_cast<std::uint16_t>(readers.size()), pid,
                                            options, std::move(file.fingerprint)),
               form));
  }
  if (readers.size() == 1) return std::move(readers.front());
  return std::make_unique<MergedReader>(std::move(readers));
}

std::unique_ptr<TraceReader> open_strace(const std::vector<std::string>& paths,
                                         const ReaderOptions& options) {
  return read_files(open_files(paths, options), options);
}

std::unique_ptr<TraceReader> open_strace_text(std::string text, std::string name,
                                              const ReaderOptions& options) {
  const std::int32_t pid = pid_of_name(name);
  const TraceForm form = recognise_form(text);
  std::unique_ptr<ByteSource> source = open_memory(std::move(text), name);
  return strace::placed(
      std::make_unique<FileReader>(std::move(source), std::move(name), 0, pid, options), form);
}

}  // namespace fcsim::traces::strace

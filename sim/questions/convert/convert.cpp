#include "sim/questions/convert/convert.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "sim/replay/decoder.h"
#include "sim/support/new_file.h"
#include "traces/binary/reader.h"
#include "traces/binary/writer.h"
#include "traces/bundle/bundle.h"
#include "traces/bundle/open.h"
#include "traces/strace/line_writer.h"

namespace fcsim::questions::convert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceName = "trace.fct";
constexpr const char* kTextName = "trace.strace";

void check(const std::error_code& error, const fs::path& path, const std::string& what) {
  if (error) throw model::InputError({path.string(), 0, 0}, what + ": " + error.message());
}

Converted write_text(traces::TraceReader& reader, support::NewFile& file,
                     const std::string& output) {
  Converted converted;
  converted.file = output;
  traces::strace::LineWriter writer;
  std::string line;
  for (traces::Event event; reader.next(event);) {
    line.clear();
    writer.append(event, line);
    file.write(line);
    ++converted.events;
    converted.bytes += line.size();
  }
  file.commit();
  converted.sources = reader.sources();
  converted.warnings = replay::warnings_of(reader.statistics());
  return converted;
}

Converted convert_trace(const ConvertRequest& request, const std::vector<std::string>& inputs,
                        const std::string& output) {
  const auto reader =
      traces::bundle::open_trace(inputs, {.strict = request.strict, .fingerprint = true});
  if (!reader->assumed().empty())  // before the first event: an iolog's
    throw model::InputError({inputs.front(), 0, 0},
                            "is an iolog of fio; only strace's text is converted");
  support::NewFile file(output);
  if (request.text) return write_text(*reader, file, output);
  traces::binary::BinarySummary summary =
      traces::binary::write_binary(*reader, {request.fcsim_version, request.zstd_level},
                                   [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
  return {output, summary.events, summary.bytes, std::move(summary.sources),
          replay::warnings_of(reader->statistics())};
}

// A folder that goes away again unless it gets its name.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& path)
      : path_(path), partial_(path.string() + ".partial-" + std::to_string(::getpid())) {
    std::error_code error;
    const bool taken =
        fs::exists(path_, error) && !(fs::is_directory(path_, error) && fs::is_empty(path_, error));
    if (taken) throw model::InputError({path_.string(), 0, 0}, "is there already");
    fs::create_directories(partial_, error);
    check(error, path_, "cannot be made");
  }
  ~NewFolder() {
    std::error_code error;
    if (!partial_.empty()) fs::remove_all(partial_, error);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  [[nodiscard]] const fs::path& partial() const { return partial_; }

  void commit() {
    std::error_code error;
    fs::rename(partial_, path_, error);
    check(error, path_, "cannot be made");
    partial_.clear();
  }

 private:
  fs::path path_;
  fs::path partial_;
};

bool is_trace(const fs::path& name) {
  return name == kTextName || name == "trace.strace.zst" || name == kTraceName;
}

void copy_others(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(from, error)) entries.push_back(entry.path());
  check(error, from, "cannot be read");
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (is_trace(entry.filename())) continue;
    fs::copy(entry, to / entry.filename(), fs::copy_options::recursive, error);
    check(error, entry, "cannot be copied");
  }
}

bool lies_within(const fs::path& path, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

Converted convert_bundle(const ConvertRequest& request) {
  const traces::bundle::Bundle bundle = traces::bundle::find_bundle(request.inputs.front());
  fs::path output = request.output;
  if (!output.has_filename()) output = output.parent_path();  // "folder/"
  if (lies_within(output, bundle.directory))
    throw model::InputError({output.string(), 0, 0}, "is within the bundle that is converted");
  NewFolder folder(output);
  const char* const name = request.text ? kTextName : kTraceName;
  Converted converted = convert_trace(request, {bundle.trace}, (folder.partial() / name).string());
  copy_others(bundle.directory, folder.partial());
  folder.commit();
  converted.file = (output / name).string();
  return converted;
}

// Whether nothing is lost by replacing the file: it can be made again.
bool is_conversion(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 64> head{};
  file.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
  return bytes.empty() || traces::binary::looks_binary(bytes);
}

}  // namespace

Converted convert(const ConvertRequest& request) {
  std::error_code error;  // what cannot be looked up is reported where it is opened
  if (request.inputs.size() == 1 && fs::is_directory(request.inputs.front(), error))
    return convert_bundle(request);
  for (const std::string& input : request.inputs)
    if (fs::equivalent(input, request.output, error) && !error && fs::is_regular_file(input, error))
      throw model::InputError({request.output, 0, 0}, "is the trace that is converted");
  if (!request.replace && fs::is_regular_file(request.output, error) &&
      !is_conversion(request.output))
    throw model::InputError({request.output, 0, 0},
                            "is there already, and is not a trace in the binary form; --force "
                            "replaces it");
  return convert_trace(request, request.inputs, request.output);
}

}  // namespace fcsim::questions::convert

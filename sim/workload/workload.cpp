#include "sim/workload/workload.h"

#include <algorithm>

#include "model/common/error.h"
#include "sim/workload/shapes.h"

namespace fcsim::workload {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kMany = 1'000'000'000;

constexpr std::string_view kProgram = "/usr/bin/fcsim-workload";

using Shape = void (*)(const ShapeContext&);

struct Workload {
  WorkloadSummary summary;
  Shape shape = nullptr;
};

// `common` ones after those that are the workload's own.
Workload make(std::string_view name, std::string_view summary, Shape shape,
              std::vector<std::pair<std::string_view, std::uint64_t>> own, std::uint64_t size) {
  own.insert(own.end(), {{"fdatasync", 0}, {"seed", 1}, {"fsync-time", 700}, {"size", size}});
  return {{name, summary, std::move(own)}, shape};
}

const std::vector<Workload>& all() {
  static const std::vector<Workload> list = {
      make("append-fsync", "a log: new file, then appends, an fsync after each", append,
           {{"fsyncs", 2000}, {"files", 1}, {"rounds", 1}, {"write-size", kBlock}}, kGiB),
      make("files-per-round", "several logs, each appended to and synced in turn", append,
           {{"fsyncs", 1500}, {"files", 16}, {"rounds", 1}, {"write-size", kBlock}}, kGiB),
      make("sparse-random", "scattered blocks of a sparse file, then an fsync", sparse_random,
           {{"span", kGiB}, {"writes", 16}, {"fsyncs", 300}, {"cold", 1}}, 2 * kGiB),
      make("overwrite-random", "scattered blocks of a written file, then an fsync",
           overwrite_random, {{"span", 64 * kMiB}, {"writes", 16}, {"fsyncs", 300}}, kGiB),
      make("create-rename", "files replaced: write, fsync, rename over the old one", create_rename,
           {{"fsyncs", 1000}, {"files", 100}, {"write-size", kBlock}, {"sync-directory", 0}}, kGiB),
      make("mixed", "processes with logs, databases, replaced and scratch files", mixed,
           {{"fsyncs", 2000}, {"processes", 4}, {"writes", 4}, {"span", 64 * kMiB}}, kGiB),
  };
  return list;
}

const Workload& find(const std::string& name) {
  std::string known;
  for (const Workload& workload : all()) {
    if (workload.summary.name == name) return workload;
    known += (known.empty() ? "" : ", ") + std::string(workload.summary.name);
  }
  throw model::InputError({}, "there is no workload '" + name + "'; known are " + known);
}

void check(const std::string& name, std::uint64_t value) {
  const auto& parameters = workload_parameters();
  const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                      [&](const WorkloadParameter& p) { return p.name == name; });
  if (parameter == parameters.end())
    throw model::InputError({}, "there is no parameter '" + name + "'");
  if (value < parameter->minimum || value > parameter->maximum)
    throw model::InputError({}, "--" + name + ": expected " + std::to_string(parameter->minimum) +
                                    " to " + std::to_string(parameter->maximum) + ", found " +
                                    std::to_string(value));
}

void check_together(const ParameterValues& values) {
  const auto span = values.find("span");
  const auto writes = values.find("writes");
  if (span == values.end() || writes == values.end()) return;
  if (span->second / kBlock < writes->second)
    throw model::InputError({}, "--span: expected room for " + std::to_string(writes->second) +
                                    " different blocks of 4 KiB, found " +
                                    std::to_string(span->second) + " bytes");
}

}  // namespace

const std::vector<WorkloadParameter>& workload_parameters() {
  using enum ParameterUnit;
  static const std::vector<WorkloadParameter> list = {
      {"fsyncs", count, 1, kMany, "rounds of writes and sync; in appends, for each file"},
      {"writes", count, 1, 1'000'000, "different 4 KiB blocks written before each sync"},
      {"span", bytes, kBlock, std::uint64_t{1} << 43,
       "the file's size, in which blocks are chosen"},
      {"write-size", bytes, 1, kGiB, "bytes of one write"},
      {"files", count, 1, 10'000, "files written in turn"},
      {"rounds", count, 1, 1'000'000, "times that all is repeated, with new files"},
      {"processes", count, 1, 1000, "processes that take turns"},
      {"cold", flag, 0, 1, "the first sync is the first commit of the mount"},
      {"sync-directory", flag, 0, 1, "fsync of the directory after each rename"},
      {"fdatasync", flag, 0, 1, "fdatasync in place of fsync"},
      {"seed", count, 0, ~std::uint64_t{0}, "what the choices depend on"},
      {"fsync-time", microseconds, 1, 60'000'000, "how long a sync call takes in the trace"},
      {"size", bytes, 2 * kMiB, std::uint64_t{1} << 44, "the file system's size, as for mke2fs"},
  };
  return list;
}

const std::vector<WorkloadSummary>& workloads() {
  static const std::vector<WorkloadSummary> list = [] {
    std::vector<WorkloadSummary> summaries;
    for (const Workload& workload : all()) summaries.push_back(workload.summary);
    return summaries;
  }();
  return list;
}

WorkloadRequest completed(const WorkloadRequest& request) {
  const Workload& workload = find(request.name);
  WorkloadRequest full{request.name, {}};
  for (const auto& [name, value] : workload.summary.defaults)
    full.given.emplace(std::string(name), value);
  for (const auto& [name, value] : request.given) {
    const auto known = full.given.find(name);
    if (known == full.given.end())
      throw model::InputError(
          {}, "--" + name + ": the workload " + request.name + " has no such parameter");
    check(name, value);
    known->second = value;
  }
  check_together(full.given);
  return full;
}

std::string workload_mount_point(const WorkloadRequest& request) {
  return "/mnt/" + request.name;
}

void write_workload(const WorkloadRequest& request, const TextSink& sink) {
  const WorkloadRequest full = completed(request);
  const std::uint64_t seed = full.given.at("seed");
  StraceClock clock;
  clock.sync_ns = static_cast<std::int64_t>(full.given.at("fsync-time")) * 1000;
  StraceWriter trace(sink, workload_mount_point(full), clock, seed);
  Random random(seed);
  trace.exec(StraceWriter::kFirstPid, kProgram);
  find(full.name).shape({full.given, trace, random});
  trace.exit(StraceWriter::kFirstPid);
  trace.finish();
}

}  // namespace fcsim::workload

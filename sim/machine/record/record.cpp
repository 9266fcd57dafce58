#include "sim/machine/record/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "model/common/error.h"
#include "sim/machine/record/commit_events.h"
#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/environment.h"
#include "sim/machine/record/environment_text.h"
#include "sim/machine/record/manifest_writer.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/staging.h"
#include "sim/machine/record/time.h"
#include "sim/machine/record/tracepoints/commit_line.h"
#include "sim/machine/record/tracepoints/probe.h"
#include "sim/machine/record/tracepoints/recorder.h"
#include "sim/machine/record/tracer.h"
#include "sim/support/output_file.h"
#include "traces/binary/writer.h"

namespace fcsim::machine::record {
namespace {

// The path whose file system is recorded, and why that one where nobody named it.
ProcessMount recorded_place(const RecordRequest& request) {
  if (!request.mount_point.empty()) return {request.mount_point, ""};
  if (!request.processes.empty()) return mount_of_process(request.processes.front());
  return {request.directory.empty() ? "." : request.directory, ""};
}

// The words with which a running program was started.
std::vector<std::string> command_of(pid_t pid) {
  const std::string text =
      read_small_file("/proc/" + std::to_string(pid) + "/cmdline").value_or("");
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

class Recorder {
 public:
  Recorder(const RecordRequest& request, SignalWatch& signals)
      : request_(request),
        signals_(signals),
        place_(recorded_place(request)),
        mounted_(find_mounted(place_.mount_point)),
        staging_(request.bundle, request.replace, mounted_.number, request.temporary) {}

  Recording run() {
    choose_source();
    prepare();
    const TraceEnd end = with_tracepoints() ? run_tracepoints() : run_strace();
    if (run_.read_at_ns == 0) run_.read_at_ns = realtime_ns();
    read_counters_after();
    report(RecordStep::finishing);
    if (end.lines == 0)
      throw std::runtime_error(
          end.interrupted_by   ? "nothing was traced until a signal ended the recording"
          : with_tracepoints() ? "nothing happened on the file system"
                               : "strace wrote nothing: it could not start or attach");
    complete(end);
    Recording result;
    result.mounted = mounted_;
    result.source = source_;
    result.why_strace = why_strace_;
    result.notes = notes_;
    result.chosen_because = place_.why;
    result.lacks = environment_.lacks;
    result.counted = counted_;
    result.lines = end.lines;
    result.exit_status = end.exit_status;
    result.strace_died = end.strace_died;
    result.interrupted_by = end.interrupted_by;
    return result;
  }

 private:
  void lack(std::string sentence) { environment_.lacks.push_back(std::move(sentence)); }

  void report(RecordStep step) const {
    if (request_.progress) request_.progress(step, mounted_, staging_.folder());
  }

  [[nodiscard]] bool with_tracepoints() const { return source_ == RecordSource::tracepoints; }
  [[nodiscard]] bool is_running_already() const {
    return !request_.processes.empty() || (request_.everybody && request_.command.empty());
  }

  void choose_source() {
    const std::string why = tracepoints::Probe::unavailable();
    if (request_.source == RecordSource::tracepoints && !why.empty())
      throw std::runtime_error("the kernel's tracepoints cannot be used: " + why);
    source_ =
        request_.source.value_or(why.empty() ? RecordSource::tracepoints : RecordSource::strace);
    if (!request_.source) why_strace_ = why;
    if (request_.everybody && !with_tracepoints())
      throw std::runtime_error(
          "a whole file system is recorded through the kernel's tracepoints only" +
          (why.empty() ? std::string() : ", which cannot be used here: " + why));
    if (request_.duration_ns && !with_tracepoints())
      throw std::runtime_error("a time is kept by a recording through tracepoints only");
    trace_.recorder = with_tracepoints() ? "tracepoints" : "strace";
  }

  // All that has to be there for a prediction is on disk before strace starts.
  void prepare() {
    sync_file_system();
    environment_ = read_environment(mounted_, request_.configuration_directories);
    if (staging_.disturbs())
      lack(
          "no other file system was found to write to: the blocks of the trace itself are "
          "counted");
    trace_.mount_point = mounted_.mount_point;
    MountTree tree = mounts_around(mounted_);
    trace_.other_mounts = std::move(tree.other_mounts);
    trace_.also_at = std::move(tree.also_at);
    trace_.attached = is_running_already();
    if (trace_.attached && with_tracepoints())
      lack(
          "the programs ran on while the recording began and ended: what they did in these moments "
          "may be counted and not traced, or traced and not counted");
    else if (trace_.attached)
      lack(
          "the program ran on while strace attached: what it did in that moment may be counted and "
          "not traced, or traced and not counted");
    trace_.command =
        request_.processes.empty() ? request_.command : command_of(request_.processes.front());
    signals_.check();
    open_commit_events();
    read_counters_before();
    if (request_.manifest)
      take_manifest();
    else
      lack("no manifest: files that the trace does not create are guessed from how it uses them");
    write_environment();
  }

  // Commits what is open, so that the recording begins with an empty fast-commit area and no
  // running transaction.
  void sync_file_system() const {
    const Descriptor folder(open(mounted_.mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) syncfs(folder.get());
  }

  void open_commit_events() {
    if (!mounted_.is_ext4()) return;
    std::string why;
    if (!with_tracepoints()) events_ = CommitEvents::open(mounted_, why);
    if (events_ || with_tracepoints())
      commits_ = std::make_unique<support::OutputFile>(staging_.path("commits.tsv.zst"));
    else
      lack("the kernel's trace events cannot be had (" + why +
           "): validate cannot compare single commits");
    if (commits_) commits_->write("# realtime\tevent\tfields\n");
  }

  void read_counters_before() {
    if (mounted_.is_xfs()) xfs_before_ = read_xfs_statistics(mounted_.device);
    if (mounted_.is_xfs() && !xfs_before_ && run_.started_ns == 0)
      lack("/sys/fs/xfs/" + mounted_.device +
           "/stats/stats cannot be read: no truth.toml to validate with");
    if (!mounted_.is_ext4()) return;
    before_ = read_kernel_counters(mounted_.device);
    if (before_)
      trace_.transactions_before = before_->transactions;
    else if (run_.started_ns == 0)  // else it was said before
      lack("/proc/fs/ext4/" + mounted_.device +
           "/fc_info cannot be read: no truth.toml to validate with");
  }

  void take_manifest() {
    report(RecordStep::manifest);
    support::OutputFile file(staging_.path("manifest.tsv"));
    const ManifestSummary summary = write_manifest(
        mounted_, environment_.filesystem.has_value(),
        [&](std::string_view text) { file.write(text); }, [&] { signals_.check(); });
    file.close();
    trace_.manifest_at = summary.began;
    trace_.manifest_moved_atimes = summary.moved_atimes;
    const auto lack_some = [&](std::uint64_t count, const std::string& what) {
      if (count != 0) lack(std::to_string(count) + " " + what);
    };
    lack_some(summary.unreadable_directories,
              "of the folders cannot be read: what they hold is not in the manifest");
    lack_some(summary.without_extents,
              "of the files cannot be opened: the manifest has no extents of them");
    lack_some(summary.unwritable_names,
              "of the names hold a tab or a line end: they are not in the manifest");
    drop_manifest_beyond_assumed(summary);
  }

  // Without a geometry 65536 inodes are assumed; more files than that cannot be.
  void drop_manifest_beyond_assumed(const ManifestSummary& summary) {
    const model::FilesystemSettings assumed;
    if (environment_.filesystem || summary.names + 12 < assumed.inode_count) return;
    std::filesystem::remove(staging_.path("manifest.tsv"));
    trace_.manifest_at.reset();
    lack("no manifest: " + std::to_string(summary.names) +
         " names do not fit into the file system that is assumed");
  }

  void write_environment() {
    support::OutputFile file(staging_.path("env.toml"));
    file.write(environment_text(environment_, trace_));
    file.close();
  }

  TraceEnd run_strace() {
    const std::string name = request_.compress ? "trace.strace.zst" : "trace.strace";
    support::OutputFile trace_file(staging_.path(name));
    std::int64_t flushed = 0;
    TraceRequest trace_request;
    trace_request.command = request_.command;
    trace_request.processes = request_.processes;
    trace_request.directory = request_.directory;
    trace_request.pipe = staging_.path("trace.pipe");
    trace_request.put = [&](std::string_view lines) {
      trace_file.write(lines);
      if (flushed == 0) begin();
      // Somebody may pull the plug: what is a second old shall be there.
      if (const std::int64_t now = clock_ns(CLOCK_MONOTONIC); now - flushed > kSecond) {
        trace_file.flush();
        flushed = now;
      }
    };
    trace_request.tick = [&] { drain_events(); };
    report(RecordStep::tracing);
    run_.started_ns = realtime_ns();
    const TraceEnd end = trace(trace_request, signals_);
    trace_file.close();
    return end;
  }

  TraceEnd run_tracepoints() {
    support::OutputFile trace_file(staging_.path("trace.fct"));
    traces::binary::BinaryOptions options;
    options.fcsim_version = request_.fcsim_version;
    if (request_.compress) options.zstd_level = 1;
    const std::vector<traces::SourceFile> sources = {{"trace.fct", 0, 0, 0}};
    traces::binary::BinaryWriter writer(options, traces::binary::Origin::recording, sources,
                                        [&](std::string_view bytes) { trace_file.write(bytes); });
    tracepoints::TracepointRequest wanted;
    wanted.command = request_.command;
    wanted.processes = request_.processes;
    wanted.everybody = request_.everybody;
    wanted.directory = request_.directory;
    wanted.device = mounted_.number;
    wanted.mount_point = mounted_.mount_point;
    wanted.whole_mount = mounted_.whole;
    wanted.duration_ns = request_.duration_ns;
    wanted.ring_bytes = request_.ring_bytes;
    wanted.attached = [&] {
      report(RecordStep::tracing);
      run_.started_ns = realtime_ns();
      begin();
    };
    wanted.put = [&](const traces::Event& event) {
      traces::Event numbered = event;
      numbered.line = writer.events() + 1;
      if (numbered.line == 1) staging_.keep();
      writer.write(numbered);
      if (const std::string line = tracepoints::commit_line(event); !line.empty() && commits_) {
        commits_->write(line);
        note_sync(line);
      }
    };
    wanted.flush = [&] {
      writer.flush();
      trace_file.flush();
      if (commits_) commits_->flush();
    };
    wanted.ended = [&] {
      run_.read_at_ns = realtime_ns();
      if (before_) after_ = read_kernel_counters(mounted_.device);
      if (xfs_before_) xfs_after_ = read_xfs_statistics(mounted_.device);
    };
    const tracepoints::TracepointEnd told = tracepoints::record_tracepoints(wanted, signals_);
    traces::ReaderStatistics statistics;
    statistics.lines = statistics.events = told.events;
    statistics.restarted_calls = told.restarted;
    statistics.reordered = told.reordered;
    statistics.first_time_ns = told.first_time;
    statistics.last_time_ns = told.last_time;
    statistics.time_base = traces::TimeBase::epoch;
    statistics.has_pids = statistics.has_durations = statistics.has_fd_paths = true;
    writer.end(statistics, {{"trace.fct", told.events, 0, 0}});
    trace_file.close();
    report_tracepoints(told);
    TraceEnd end;
    end.lines = told.events;
    end.processes.insert(told.tasks.begin(), told.tasks.end());
    end.exit_status = told.exit_status;
    end.interrupted_by = told.interrupted_by;
    return end;
  }

  void report_tracepoints(const tracepoints::TracepointEnd& told) {
    trace_.lost_events = told.lost;
    if (told.lost != 0)
      lack(std::to_string(told.lost) +
           " events were lost, as the ring buffer was full: record again with a larger --ring");
    if (told.unread_strings != 0)
      lack(std::to_string(told.unread_strings) + " paths of calls were not in memory");
    notes_.push_back(
        "the ring buffer of " + std::to_string(told.ring_bytes >> 20) + " MiB was at most " +
        std::to_string(100 * told.ring_peak / std::max<std::uint64_t>(told.ring_bytes, 1)) +
        " % full; " + std::to_string(told.lost) + " events lost");
  }

  // The first lines have come: from here on there is something worth keeping. A running program
  // went on until strace had attached to it; what it did meanwhile is in no trace, so it is
  // committed now and not counted.
  void begin() {
    if (!with_tracepoints()) staging_.keep();
    if (!is_running_already()) return;
    sync_file_system();
    read_counters_before();
    run_.started_ns = realtime_ns();
    trace_.manifest_moved_atimes.clear();
    write_environment();
    if (events_) events_->drain([](std::string_view) {});
  }

  void drain_events() {
    if (!events_) return;
    events_->drain([&](std::string_view line) {
      commits_->write(line);
      note_sync(line);
    });
  }

  // "TIME<TAB>ext4_sync_fs<TAB>pid=123 wait 1": sync(2) or syncfs(2), whoever called it.
  void note_sync(std::string_view line) {
    constexpr std::string_view kSync = "\text4_sync_fs\tpid=";
    const std::size_t at = line.find(kSync);
    pid_t pid = 0;
    if (at == std::string_view::npos) return;
    std::from_chars(line.data() + at + kSync.size(), line.data() + line.size(), pid);
    syncing_.insert(pid);
  }

  // sync(2) reaches all file systems, from whatever program.
  void report_foreign_syncs(const TraceEnd& end) {
    std::string foreign;
    for (const pid_t pid : syncing_)
      if (!end.processes.contains(pid))
        foreign += (foreign.empty() ? "" : ", ") + std::to_string(pid);
    if (!foreign.empty())
      lack("another program called sync meanwhile (process " + foreign +
           "): its commits are counted, and are not in the trace");
  }

  void read_counters_after() {
    if (xfs_before_)
      if (const auto after = xfs_after_ ? xfs_after_ : read_xfs_statistics(mounted_.device))
        xfs_counted_ = machine::difference(*xfs_before_, *after);
    if (!before_) return;
    if (const auto after = after_ ? after_ : read_kernel_counters(mounted_.device))
      counted_ = difference(*before_, *after);
    else
      lack("the file system was unmounted meanwhile: no counters to validate with");
  }

  void complete(const TraceEnd& end) {
    drain_events();
    if (events_ && events_->lost() != 0)
      lack(std::to_string(events_->lost()) +
           " of the kernel's trace events came too fast and are lost");
    report_foreign_syncs(end);
    events_.reset();
    if (commits_) commits_->close();
    if (end.strace_died) lack("strace ended before what it traced: the trace is cut there");
    run_.exit_status = end.exit_status.value_or(0);
    if (counted_ || xfs_counted_) {
      support::OutputFile truth(staging_.path("truth.toml"));
      truth.write(counted_ ? truth_text(*counted_, run_) : truth_text(*xfs_counted_, run_));
      truth.close();
    }
    write_environment();
    staging_.finish();
  }

  const RecordRequest& request_;
  SignalWatch& signals_;
  ProcessMount place_;
  Mounted mounted_;
  Staging staging_;
  Environment environment_;
  TraceTable trace_;
  RecordedRun run_;
  std::unique_ptr<CommitEvents> events_;
  std::unique_ptr<support::OutputFile> commits_;
  std::set<pid_t> syncing_;
  std::optional<KernelCounters> before_, after_, counted_;
  std::optional<XfsStatistics> xfs_before_, xfs_after_, xfs_counted_;
  RecordSource source_ = RecordSource::strace;
  std::string why_strace_;
  std::vector<std::string> notes_;
};

}  // namespace

Recording record(const RecordRequest& request, SignalWatch& signals) {
  return Recorder(request, signals).run();
}

}  // namespace fcsim::machine::record

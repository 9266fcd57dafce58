// Chrome's trace event format: "Trace Event Format", the document of the Catapult project.
#include <algorithm>
#include <map>
#include <utility>

#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/support/json.h"

namespace fcsim::report {
namespace {

constexpr std::int32_t kJournal = 4194305;  // pids go up to PID_MAX_LIMIT = 4 * 1024 * 1024
// Viewers take a tid for one thread, whatever its process.
enum Track : std::int32_t { kRunning = kJournal + 1, kCommitting, kFast };

using support::Json;

// The format counts in microseconds. A double is exact to the nanosecond for 100 days.
double trace_time(model::Time time) {
  return static_cast<double>(time) / 1000;
}

class Timeline {
 public:
  explicit Timeline(const questions::explain::Explanation& explanation)
      : explanation_(explanation) {}

  std::string write() {
    name_journal();
    sync_calls();
    transactions();
    fast_commits();
    area_fill();
    std::stable_sort(events_.begin(), events_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string_view> events;  // names have no time: they come first
    events.reserve(names_.size() + events_.size());
    events.insert(events.end(), names_.begin(), names_.end());
    for (const auto& [time, event] : events_) events.push_back(event);
    support::JsonLines lines;
    lines.member("displayTimeUnit", "ms");
    lines.lines("traceEvents", events);
    return std::move(lines).result();
  }

 private:
  // Nothing lies before the first line; what began before it is drawn from there.
  [[nodiscard]] model::Time at(model::Time time) const {
    return std::max<model::Time>(time - explanation_.begin, 0);
  }

  // What every event has; `ph` is its phase, the format's word for its kind.
  static Json event(const char* phase, std::int32_t pid, std::int32_t tid,
                    const std::string& name) {
    return {{"ph", phase},
            {"pid", pid},
            {"tid", tid},
            {"cat", pid == kJournal ? "journal" : "sync"},
            {"name", name}};
  }

  void slice(model::Time start, model::Time end, std::int32_t pid, std::int32_t tid,
             const std::string& name, Json arguments) {
    Json object = event("X", pid, tid, name);
    object["ts"] = trace_time(start);
    object["dur"] = trace_time(std::max<model::Time>(end - start, 0));
    object["args"] = std::move(arguments);
    events_.emplace_back(start, support::json_line(object));
  }

  void add_name(const char* what, std::int32_t pid, std::int32_t tid, const std::string& name) {
    Json object = event("M", pid, tid, what);
    object["args"]["name"] = name;
    names_.push_back(support::json_line(object));
  }
  void name_thread(std::int32_t pid, std::int32_t tid, const std::string& name) {
    add_name("thread_name", pid, tid, name);
  }
  void name_process(std::int32_t pid, const std::string& name) {
    add_name("process_name", pid, pid, name);
  }

  void name_journal() {
    name_process(kJournal, "journal");
    name_thread(kJournal, kRunning, "running transaction");
    name_thread(kJournal, kCommitting, "committing transaction");
    name_thread(kJournal, kFast, "fast commits");
  }

  void add_call(Json& arguments, const questions::explain::Call* call) const {
    arguments["line"] = call == nullptr ? "" : place(explanation_, *call);
    if (call != nullptr) arguments["path"] = path_of(explanation_, *call);
  }

  // Threads by the processes they belong to, with the names that their last sync call had.
  void sync_calls() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::string> threads;
    for (const std::uint32_t index : explanation_.traced.syncs()) {
      const questions::explain::Call& call = *explanation_.call(index);
      const std::string& path = path_of(explanation_, call);
      threads[{call.process, call.origin.pid}] = program_of(explanation_, call);
      Json arguments;
      add_call(arguments, &call);
      slice(at(call.start), at(call.end), call.process, call.origin.pid,
            name_of(explanation_, call) + (path.empty() ? "" : " " + path), std::move(arguments));
    }
    std::map<std::int32_t, std::string> processes;
    for (const auto& [thread, program] : threads) {
      const std::string name = program.empty() ? "pid" : program;
      name_thread(thread.first, thread.second, name);
      processes[thread.first] = name;
    }
    for (const auto& [process, name] : processes) name_process(process, name);
  }

  // Slices of one track must not overlap, but in reports of times cut to the first line and in
  // fast commits, which are told from when they were asked for, they may touch.
  void transactions() {
    model::Time running = 0;
    model::Time committing = 0;
    std::vector<const questions::explain::ExplainedCommit*> commits;
    for (const questions::explain::ExplainedCommit& commit : explanation_.commits)
      commits.push_back(&commit);
    std::stable_sort(commits.begin(), commits.end(), [](const auto* a, const auto* b) {
      return a->record.start < b->record.start;
    });
    for (const questions::explain::ExplainedCommit* commit : commits) {
      const model::FullCommitRecord& record = commit->record;
      const questions::explain::Call* const call = explanation_.call(commit->caused_by);
      const std::string cause(model::name(record.cause));
      running = std::max(running, at(record.opened));
      const std::string tid = std::to_string(record.tid);
      slice(running, at(record.start), kJournal, kRunning, "transaction " + tid,
            {{"fast commits", record.fast_commits}, {"handles", record.handles}});
      running = std::max(running, at(record.start));
      committing = std::max(committing, at(record.start));
      Json arguments = {{"cause", cause},
                        {"reason", explanation_.reason_of(record)},
                        {"blocks logged", record.blocks_logged}};
      add_call(arguments, call);
      slice(committing, at(record.end), kJournal, kCommitting, tid + " " + cause,
            std::move(arguments));
      committing = std::max(committing, at(record.end));
    }
  }

  void fast_commits() {
    model::Time before = 0;
    for (const questions::explain::ExplainedAttempt& attempt : explanation_.attempts) {
      const model::FastCommitRecord& record = attempt.record;
      if (record.outcome != model::Outcome::ok) continue;
      const model::Time start = std::max(before, at(record.start));
      Json arguments = {
          {"transaction", record.tid}, {"blocks", record.blocks}, {"ranges", record.ranges}};
      add_call(arguments, explanation_.call(attempt.asked_by));
      slice(start, at(record.end), kJournal, kFast, "fast commit", std::move(arguments));
      before = std::max(start, at(record.end));
    }
  }

  // Fast commits fill the area; a full commit empties it.
  void area_fill() {
    std::uint64_t blocks = 0;
    counter(0, blocks);
    for (const ExplainedEvent& event : events_in_order(explanation_)) {
      if (const auto* const commit =
              std::get_if<const questions::explain::ExplainedCommit*>(&event)) {
        if (blocks == 0) continue;
        blocks = 0;
        counter(at((*commit)->record.end), blocks);
      } else {
        const model::FastCommitRecord& record =
            std::get<const questions::explain::ExplainedAttempt*>(event)->record;
        if (record.outcome != model::Outcome::ok) continue;
        blocks += record.blocks;
        counter(at(record.end), blocks);
      }
    }
  }

  void counter(model::Time time, std::uint64_t blocks) {
    Json object = event("C", kJournal, kJournal, "fast-commit area");
    object["ts"] = trace_time(time);
    object["args"]["blocks"] = blocks;
    events_.emplace_back(time, support::json_line(object));
  }

  const questions::explain::Explanation& explanation_;
  std::vector<std::string> names_;
  std::vector<std::pair<model::Time, std::string>> events_;
};

}  // namespace

std::string explain_perfetto(const questions::explain::Explanation& explanation) {
  return Timeline(explanation).write();
}

}  // namespace fcsim::report

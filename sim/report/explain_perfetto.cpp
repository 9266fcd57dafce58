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

// Microseconds with three decimals, from nanoseconds.
std::string microseconds(model::Time time) {
  std::string fraction = std::to_string(time % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(time / 1000) + "." + fraction;
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
    std::string text = names_;
    for (const auto& [time, event] : events_) text += ",\n" + event;
    return "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + text + "\n]}\n";
  }

 private:
  // Nothing lies before the first line; what began before it is drawn from there.
  [[nodiscard]] model::Time at(model::Time time) const {
    return std::max<model::Time>(time - explanation_.begin, 0);
  }

  static std::string event(const std::string& phase, std::int32_t pid, std::int32_t tid,
                           const std::string& name, const std::string& rest) {
    return "{\"ph\": \"" + phase + "\", \"pid\": " + std::to_string(pid) +
           ", \"tid\": " + std::to_string(tid) + ", \"cat\": \"" +
           (pid == kJournal ? "journal" : "sync") + "\", \"name\": " + support::json_string(name) +
           rest + "}";
  }

  void add(model::Time time, const std::string& phase, std::int32_t pid, std::int32_t tid,
           const std::string& name, const std::string& rest) {
    events_.emplace_back(time,
                         event(phase, pid, tid, name, ", \"ts\": " + microseconds(time) + rest));
  }

  void slice(model::Time start, model::Time end, std::int32_t pid, std::int32_t tid,
             const std::string& name, const std::string& arguments) {
    add(start, "X", pid, tid, name,
        ", \"dur\": " + microseconds(std::max<model::Time>(end - start, 0)) + ", \"args\": {" +
            arguments + "}");
  }

  // Names have no time; they come first.
  void add_name(const std::string& what, std::int32_t pid, std::int32_t tid,
                const std::string& name) {
    names_ +=
        (names_.empty() ? "" : ",\n") +
        event("M", pid, tid, what, ", \"args\": {\"name\": " + support::json_string(name) + "}");
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

  [[nodiscard]] std::string call_arguments(const questions::explain::Call* call) const {
    if (call == nullptr) return "\"line\": \"\"";
    return "\"line\": " + support::json_string(place(explanation_, *call)) +
           ", \"path\": " + support::json_string(path_of(explanation_, *call));
  }

  // Threads by the processes they belong to, with the names that their last sync call had.
  void sync_calls() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::string> threads;
    for (const std::uint32_t index : explanation_.traced.syncs()) {
      const questions::explain::Call& call = *explanation_.call(index);
      const std::string& path = path_of(explanation_, call);
      threads[{call.process, call.origin.pid}] = program_of(explanation_, call);
      slice(at(call.start), at(call.end), call.process, call.origin.pid,
            name_of(explanation_, call) + (path.empty() ? "" : " " + path), call_arguments(&call));
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
            "\"fast commits\": " + std::to_string(record.fast_commits) +
                ", \"handles\": " + std::to_string(record.handles));
      running = std::max(running, at(record.start));
      committing = std::max(committing, at(record.start));
      slice(committing, at(record.end), kJournal, kCommitting, tid + " " + cause,
            "\"cause\": " + support::json_string(cause) +
                ", \"reason\": " + support::json_string(explanation_.reason_of(record)) +
                ", \"blocks logged\": " + std::to_string(record.blocks_logged) + ", " +
                call_arguments(call));
      committing = std::max(committing, at(record.end));
    }
  }

  void fast_commits() {
    model::Time before = 0;
    for (const questions::explain::ExplainedAttempt& attempt : explanation_.attempts) {
      const model::FastCommitRecord& record = attempt.record;
      if (record.outcome != model::Outcome::ok) continue;
      const model::Time start = std::max(before, at(record.start));
      slice(start, at(record.end), kJournal, kFast, "fast commit",
            "\"transaction\": " + std::to_string(record.tid) + ", \"blocks\": " +
                std::to_string(record.blocks) + ", \"ranges\": " + std::to_string(record.ranges) +
                ", " + call_arguments(explanation_.call(attempt.asked_by)));
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
    add(time, "C", kJournal, kJournal, "fast-commit area",
        ", \"args\": {\"blocks\": " + std::to_string(blocks) + "}");
  }

  const questions::explain::Explanation& explanation_;
  std::string names_;
  std::vector<std::pair<model::Time, std::string>> events_;
};

}  // namespace

std::string explain_perfetto(const questions::explain::Explanation& explanation) {
  return Timeline(explanation).write();
}

}  // namespace fcsim::report

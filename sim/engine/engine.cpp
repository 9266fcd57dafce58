#include "sim/engine/engine.h"

#include <cassert>
#include <utility>

#include "sim/engine/core.h"

namespace fcsim::engine {

using model::FileId;
using model::Operation;
using model::OperationKind;
using model::Tid;
using model::Time;

namespace {

// A bundle's manifest is taken by reading every directory shortly before the trace starts; those
// reads move directories' atimes, which opens the transaction that the trace continues. Where the
// bundle does not say when that was: the lead was 0.16 s in the median of 341 recordings.
constexpr Time kManifestLead = 160'000'000;
constexpr Time kLongestLead = Time{365} * 86400 * 1'000'000'000;

bool later(const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
}

}  // namespace

Engine::Engine(const model::Configuration& configuration, const model::InitialState& initial,
               EngineOptions options)
    : core_(std::make_unique<EngineCore>(configuration, initial, std::move(options),
                                         std::make_unique<OwnFileSystem>(configuration, initial))) {
}
Engine::~Engine() = default;
void Engine::replay(const Operation& operation) {
  core_->replay(operation);
}
Prediction Engine::finish(Time end) {
  return core_->finish(end);
}
Prediction Engine::read(Time at) {
  return core_->read(at);
}
void Engine::administer(OperationKind kind, Time at) {
  core_->administer(kind, at);
}
Prediction Engine::unmount(Time at) {
  return core_->unmount(at);
}
void Engine::mount(const model::FilesystemSettings& on_disk, const model::MountSettings& options) {
  core_->mount(on_disk, options);
}
void Engine::remount(const model::MountSettings& options) {
  core_->remount(options);
}

EngineCore::EngineCore(const model::Configuration& configuration,
                       const model::InitialState& initial, EngineOptions options,
                       std::unique_ptr<EngineFileSystem> file_system)
    : configuration_(configuration),
      options_(std::move(options)),
      fs_(std::move(file_system)),
      timing_(configuration_, options_.placement),
      listed_(initial.known && !initial.source.empty()) {
  for (const model::InitialFile& file : initial.files)
    if (file.type == model::FileType::directory) initial_directories_.push_back(file.file);
}

// ---- operations -----------------------------------------------------------------------------

Task& EngineCore::task_of(std::int32_t pid) {
  if (last_task_ == nullptr || last_pid_ != pid) {
    last_task_ = &tasks_[pid];
    last_pid_ = pid;
  }
  return *last_task_;
}

void EngineCore::replay(const Operation& operation) {
  if (!started_) before_first(operation.start);
  if (closed()) return replay_closed(operation);
  const Time effect = timing_.effect(operation);
  advance(effect);
  fs_->before_operation(effect);
  if (operation.kind == OperationKind::end_of_trace) return;
  ++result_.operations;
  Task& task = task_of(operation.pid);
  if (task.step != Task::Step::idle) {
    task.queued.push_back(operation);
    return;
  }
  now_ = std::max(now_, effect);
  dispatch(task, operation);
}

void EngineCore::before_first(Time start) {
  started_ = true;
  now_ = start - kManifestLead;
  if (const auto listed = options_.listed_at;
      listed && *listed <= start && start - *listed <= kLongestLead)
    now_ = *listed;
  if (!listed_) return;
  for (const FileId directory : initial_directories_) {
    const auto& moved = options_.listing_moved;
    if (moved && !std::binary_search(moved->begin(), moved->end(), directory)) {
      fs_->assume_read(directory, now_);
      continue;
    }
    Operation read;
    read.kind = OperationKind::read;
    read.file = directory;
    read.start = read.end = now_;
    fs_->apply(read, now_);
  }
  settle();
}

void EngineCore::dispatch(Task& task, const Operation& operation) {
  using enum OperationKind;
  task.operation = operation;
  task.asked = false;
  task.generation = fs_->fast_commit().generation();
  task.committed = fs_->journal().committed_tid();
  task.sync_passes = 0;
  task.journalled_pages = false;
  if (handles_stopped_for(operation)) {
    task.step = Task::Step::handle;
    waiting_.push_back(&task);
    return;
  }
  count_call(operation);
  switch (operation.kind) {
    case fsync:
      begin_sync(task, false, 0, std::uint64_t{model::ext4::ExtentTree::kMaxBlock} + 1);
      break;
    case fdatasync:
      begin_sync(task, true, 0, std::uint64_t{model::ext4::ExtentTree::kMaxBlock} + 1);
      break;
    case msync:
      begin_msync(task);
      break;
    case sync_file_range:
      begin_sync_file_range(task);
      break;
    case syncfs:
    case sync:
    case freeze:
    case remount:
    case unmount:
      begin_sync_all(task);
      break;
    case drop_caches:
      begin_reclaim(operation);
      break;
    default:
      fs_->apply(operation, now_);
      settle();
      if (const std::optional<Tid> tid = fs_->take_wait())
        wait_for(task, *tid);
      else if (operation.kind == write)
        begin_sync_write(task, operation);
      else if (operation.kind == fallocate)
        begin_sync_fallocate(task, operation);
      break;
  }
}

// Up to 6.15 no handle starts while a fast commit is written: whoever changes anything waits.
bool EngineCore::handles_stopped_for(const Operation& operation) const {
  using enum OperationKind;
  if (!fast_commit_end_ || !configuration_.kernel.fast_commit.handles_stopped_throughout)
    return false;
  switch (operation.kind) {
    case open:
    case release:
    case read:
    case lookup:
    case get_attributes:
    case follow_symlink:
    case map_shared:
    case unmap:
      return false;
    case fsync:
    case fdatasync:
      return fs_->has_pending(operation.file);
    default:
      return true;
  }
}

void EngineCore::run_queued(Task& task) {
  while (task.step == Task::Step::idle && !task.queued.empty()) {
    const Operation operation = task.queued.front();
    task.queued.pop_front();
    dispatch(task, operation);
  }
}

void EngineCore::wake(Task& task) {
  task.step = Task::Step::idle;
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &task), waiting_.end());
  if (closed() && task.order != 0)  // 0: an administrator's step, which no trace places
    end_call(task);
  else
    run_queued(task);
}

bool EngineCore::waiting(std::size_t count) const {
  return waiting_.size() == count &&
         std::all_of(waiting_.begin(), waiting_.end(),
                     [](const Task* task) { return task->queued.empty(); });
}

bool EngineCore::anything_left() const {
  return !waiting_.empty() || std::any_of(tasks_.begin(), tasks_.end(), [](const auto& task) {
    return !task.second.queued.empty();
  });
}

// ---- time -----------------------------------------------------------------------------------

bool EngineCore::journal_timer_due(Time& at) const {
  const model::jbd2::Transaction* running = fs_->journal().running();
  if (running == nullptr || running->requested || fs_->journal().is_pending()) return false;
  at = running->timer;
  return true;
}

std::optional<Time> EngineCore::next_event() const {
  std::optional<Time> next;
  const auto offer = [&](const std::optional<Time>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (!io_ends_.empty()) offer(io_ends_.front().time);
  offer(fast_commit_end_);
  offer(full_commit_end_);
  Time timer = 0;
  if (journal_timer_due(timer)) offer(timer);
  offer(flusher_);
  return next;
}

// Everything that happens by itself up to and including `until`, in order of time; ties end I/O
// first, then fast commits, full commits, the journal's timer and the flusher.
bool EngineCore::advance(Time until) {
  while (const std::optional<Time> next = next_event()) {
    if (*next > until) break;
    const bool io = !io_ends_.empty() && io_ends_.front().time == *next;
    if (io && !fs_->ready()) return false;
    now_ = std::max(now_, *next);
    Time timer = 0;
    if (io)
      end_io();
    else if (fast_commit_end_ == next)
      end_fast_commit();
    else if (full_commit_end_ == next)
      end_full_commit();
    else if (journal_timer_due(timer) && timer == *next)
      fire_journal_timer();
    else
      fire_flusher();
  }
  now_ = std::max(now_, until);
  return true;
}

void EngineCore::settle() {
  for (const model::FullCommitRecord& record : fs_->forced_commits()) {
    ++result_.causes[static_cast<std::size_t>(record.cause)];
    if (options_.keep_commits) result_.full_commits.push_back(record);
    if (known_committing_ == record.tid) full_commit_end_.reset();
  }
  fs_->forced_commits().clear();
  for (const FileId file : fs_->started_io()) schedule_io(file, now_ + timing_.unawaited_ns());
  fs_->started_io().clear();
  const model::jbd2::Transaction* committing = fs_->journal().committing();
  if (committing != nullptr && committing->tid != known_committing_) {
    known_committing_ = committing->tid;
    full_commit_end_ = commit_end(committing->tid);
  }
  if (!flusher_) arm_flusher();
}

// A full commit ends when the first of those who wait for it returned.
Time EngineCore::commit_end(Tid tid) const {
  Time end = 0;
  bool recorded = false;
  for (const Task* task : waiting_) {
    if (task->step != Task::Step::full_commit || task->tid != tid) continue;
    recorded = recorded || timing_.recorded(task->operation);
    if (task->operation.end > now_ && (end == 0 || task->operation.end < end))
      end = task->operation.end;
  }
  return wait_end(end, recorded, fs_->journal().committing()->blocks + 2U);
}

Time EngineCore::wait_end(Time recorded_end, bool recorded, std::uint64_t blocks) const {
  const Time end = timing_.commit_end(now_, recorded_end, blocks);
  return recorded && end > recorded_end && fs_->keeps_to_trace() ? now_ + 1 : end;
}

void EngineCore::schedule_io(FileId file, Time at) {
  io_ends_.push_back({at, sequence_++, file});
  std::push_heap(io_ends_.begin(), io_ends_.end(), later<IoEnd, IoEnd>);
}

void EngineCore::end_io() {
  std::pop_heap(io_ends_.begin(), io_ends_.end(), later<IoEnd, IoEnd>);
  const FileId file = io_ends_.back().file;
  io_ends_.pop_back();
  fs_->end_io(file, now_);
  settle();
  const std::vector<Task*> waiting = waiting_;
  for (Task* task : waiting) {
    const bool own = task->step == Task::Step::data && task->operation.file == file;
    const bool all = task->step == Task::Step::all_data && io_ends_.empty();
    if (own || all) after_data(*task);
  }
}

std::optional<Time> EngineCore::timed_commit() const {
  if (fast_committer_ == nullptr || !fast_committer_->at_once) return std::nullopt;
  return timing_.commit_time(fast_committer_->asked_at, fast_committer_->operation.end);
}

void EngineCore::end_fast_commit() {
  fs_->before_fast_commit_ends(now_);
  fast_commit_end_.reset();
  model::FastCommitRecord record = fs_->fast_commit().finish();
  Task* owner = std::exchange(fast_committer_, nullptr);
  record.end = now_;
  if (owner != nullptr) {
    record.start = owner->asked_at;
    if (owner->at_once)
      timing_.note_commit(timing_.commit_time(owner->asked_at, owner->operation.end));
    record.origin = origin_of(*owner);
  }
  if (options_.keep_commits) result_.fast_commits.push_back(record);
  fs_->journal().hold_commits(false);
  fs_->journal().begin_pending(now_);
  settle();
  if (owner != nullptr) wake(*owner);
  const std::vector<Task*> waiting = waiting_;
  for (Task* task : waiting) {
    if (task->step == Task::Step::fast_commit) {
      ask_fast_commit(*task);
    } else if (task->step == Task::Step::handle) {
      task->queued.push_front(closed() ? task->recorded : task->operation);
      task->under_way = false;  // it begins anew
      wake(*task);
    }
  }
}

void EngineCore::end_full_commit() {
  full_commit_end_.reset();
  const model::FullCommitRecord record = fs_->journal().finish_commit(now_);
  ++result_.causes[static_cast<std::size_t>(record.cause)];
  if (options_.keep_commits) result_.full_commits.push_back(record);
  if (buffers_dirty_since_ == 0) buffers_dirty_since_ = now_;
  settle();
  const std::vector<Task*> waiting = waiting_;
  for (Task* task : waiting) {
    if (task->step == Task::Step::fast_commit)
      ask_fast_commit(*task);
    else if (task->step == Task::Step::full_commit && task->tid <= record.tid)
      commit_everything(*task);
  }
}

void EngineCore::fire_journal_timer() {
  fs_->journal().fire_timer(now_);
  settle();
}

// ---- the flusher ----------------------------------------------------------------------------

// Wakes every dirty_writeback_centisecs while anything is dirty (fs/fs-writeback.c).
void EngineCore::arm_flusher() {
  if (!fs_->any_dirty() && buffers_dirty_since_ == 0) return;
  const std::int64_t interval =
      fs_->clock().jiffies_of_centisecs(configuration_.writeback.dirty_writeback_centisecs);
  if (interval == 0) return;
  const std::int64_t jiffy = fs_->clock().jiffies(now_);
  flusher_ = fs_->clock().time_of_jiffy(fs_->clock().wheel(jiffy, jiffy + interval));
}

void EngineCore::fire_flusher() {
  fs_->before_flusher(now_);
  flusher_.reset();
  const Time expire = configuration_.writeback.dirty_expire_centisecs * 10'000'000;
  for (const FileId file : fs_->dirty_files(now_ - expire)) {
    const model::Origin origin{0, 0, 0, OperationKind::none, file};
    if (fs_->start_writeback(file, 0, std::uint64_t{model::ext4::ExtentTree::kMaxBlock} + 1, now_,
                             origin))
      schedule_io(file, now_ + timing_.unawaited_ns());
    fs_->mark_clean(file);
  }
  if (buffers_dirty_since_ != 0 && buffers_dirty_since_ <= now_ - expire) buffers_dirty_since_ = 0;
  settle();
  if (!flusher_) arm_flusher();
}

// ---- the answer -----------------------------------------------------------------------------

Prediction EngineCore::finish(Time end) {
  if (started_) advance(settled_by(end));
  // The counters are read when the calls have returned, though a trace may not say when that was.
  while (!waiting_.empty()) {
    const std::optional<Time> event = next_event();
    if (!event || !advance(*event)) break;
  }
  fill_in(result_);
  return std::move(result_);
}

void EngineCore::fill_in(Prediction& p) {
  const model::fast_commit::FastCommitCounters& fc = fs_->fast_commit().counters();
  const model::jbd2::JournalTotals& totals = fs_->journal().totals();
  const model::Geometry& geometry = fs_->geometry();
  p.commits = fc.commits;
  p.ineligible = fc.ineligible;
  p.numblks = fc.numblks;
  p.skipped = fc.skipped;
  p.failed = fc.failed;
  const std::vector<std::string>& names = configuration_.kernel.ineligible.reasons;
  for (std::size_t i = 0; i < names.size() && i < model::fast_commit::kReasons; ++i)
    p.reasons.emplace_back(names[i], fc.reasons[i]);
  p.has_snapshot = configuration_.kernel.snapshot.enabled;
  p.snapshot.inodes = fc.snapshot.inodes;
  p.snapshot.ranges = fc.snapshot.ranges;
  p.snapshot.es_miss = fc.snapshot.not_cached;
  p.snapshot.es_delayed = fc.snapshot.delayed;
  p.snapshot.inodes_cap = fc.snapshot.inodes_cap;
  p.snapshot.ranges_cap = fc.snapshot.ranges_cap;
  p.tracker_memory = fc.memory;
  p.has_journal = geometry.has_journal;
  p.fast_commit_active = geometry.fast_commit_active;
  p.max_transaction_blocks = geometry.max_transaction_blocks;
  p.transactions = totals.transactions;
  p.requested = totals.requested;
  p.blocks = totals.blocks;
  p.blocks_logged = totals.blocks_logged;
  p.handles = totals.handles;
  if (const CommitTimes* times = timing_.used_commit_times())
    p.assumed.push_back("no [device] given: no fast commit is shorter than " +
                        std::to_string(times->shortest() / 1000) + " us, the first decile of " +
                        std::to_string(times->count()) + " that the trace timed");
  const model::ext4::ModelNotes& notes = fs_->notes();
  if (notes.mapped_stores_guessed != 0)
    p.unsupported["stores through shared mappings (all of a synced range taken as stored to)"] =
        notes.mapped_stores_guessed;
  if (notes.out_of_space != 0)
    p.unsupported["allocations beyond the free space"] = notes.out_of_space;
}

}  // namespace fcsim::engine

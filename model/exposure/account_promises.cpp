// The promises that do not hold, and the states that no program saw.
#include <algorithm>

#include "model/exposure/account.h"

namespace fcsim::model::exposure {
namespace {

constexpr std::size_t kFlushed = static_cast<std::size_t>(Kept::flushed);
// Calls that overlap by their recorded times may miss each other by this: strace sees a return 30
// to 100 us late or early.
constexpr Time kClockNs = 100'000;
// No call is compared with one that returned longer ago than this before it began.
constexpr Time kLongestCallNs = 2'000'000'000;

bool is_whole(OperationKind kind) {
  return kind == OperationKind::sync || kind == OperationKind::syncfs;
}

bool promises_durability(const Operation& op) {
  using enum OperationKind;
  if ((op.flags & operation_flag::failed) != 0) return false;
  return is_whole(op.kind) || op.kind == fsync || op.kind == fdatasync || op.kind == msync ||
         op.kind == write;
}

}  // namespace

// ---- broken promises ------------------------------------------------------------------------

void Account::on_sync_done(const Operation& op, Time now) {
  pass(now);
  flush();
  if (!options_.risks) return;
  const Serial serial = serial_of(op.file);
  if (serial != 0) changed_.insert(serial);
  if (rules_.sleeper_checks_inode && any_fast_commit_ && serial != 0) mend_sleeper(serial);
  settle(now);
  if (!promises_durability(op)) return;
  promise(op, now);
  note_possible(op);
}

// The call would have found its inode missing, and committed once more.
void Account::mend_sleeper(Serial serial) {
  const Live& live = live_.at(serial);
  if (live.untracked) return;
  image_.files[serial] = image_of(live);
  for (const NameChange& change : open_.names)
    if (change.file == serial && change.tracked) image_.names[change.name] = serial;
}

void Account::promise(const Operation& op, Time) {
  const bool whole = is_whole(op.kind);
  const auto look = [&](Serial serial, const Live& live) {
    BrokenPromise broken;
    broken.call = op;
    broken.file = serial;
    const Writer own = writer_of(op);
    for (const Write& write : live.at_risk[kFlushed])
      broken.writes += write.at <= op.start || write.bytes.writer == own ? 1 : 0;
    const bool named = std::any_of(names_.begin(), names_.end(),
                                   [&](const auto& name) { return name.second == serial; });
    broken.name_missing = named && !reachable(serial);
    if (broken.writes == 0 && !broken.name_missing) return;
    broken.breach = nothing_flushes_     ? Breach::no_barrier
                    : live.untracked     ? Breach::tracking_off
                    : live.born_nameless ? Breach::link_without_create
                                         : Breach::slept_through;
    broken_.push_back(broken);
  };
  if (whole) {
    for (const auto& [serial, live] : live_) look(serial, live);
  } else if (const auto live = live_.find(serial_of(op.file)); live != live_.end()) {
    look(live->first, live->second);
  }
}

// A full commit holds every change, a fast commit those of directories' attributes not.
void Account::directories_left_out(const FastCommitRecord& record) {
  if (rules_.directory_attributes_logged) return;
  for (const Serial serial : directories_changed_) {
    BrokenPromise broken;
    broken.call.line = record.origin.line;
    broken.call.source = record.origin.source;
    broken.call.pid = record.origin.pid;
    broken.call.kind = record.origin.kind;
    broken.call.file = record.origin.file;
    broken.call.start = record.start;
    broken.call.end = record.end;
    broken.file = serial;
    broken.breach = Breach::directory_attributes;
    broken_.push_back(broken);
  }
  directories_changed_.clear();
}

void Account::note_unlink(const Operation& op) {
  if (mount_.dirsync || mount_.sync || options_.commits_by_unlink == nullptr ||
      options_.commits_by_unlink->count(writer_of(op)) == 0)
    return;
  BrokenPromise broken;
  broken.call = op;
  broken.file = serial_of(op.file);
  broken.name = {serial_of(op.parent), op.name_hash};
  broken.name_missing = true;
  broken.breach = Breach::commit_by_unlink;
  broken_.push_back(broken);
}

// A promise is kept once nothing of what it was about is at risk any more.
void Account::settle_promises(Time now) {
  bool all = true;
  for (std::size_t i = first_unsettled_; i < broken_.size(); ++i) {
    BrokenPromise& broken = broken_[i];
    if (!broken.settled) {
      const auto live = live_.find(broken.file);
      const auto early = [&](const Write& write) { return write.at <= broken.call.end; };
      bool lost = false;
      if (broken.breach == Breach::commit_by_unlink) {
        const auto name = image_.names.find(broken.name);
        lost = nothing_flushes_ || (name != image_.names.end() && name->second == broken.file);
      } else if (live != live_.end() && broken.breach == Breach::directory_attributes) {
        const auto kept = image_.files.find(broken.file);
        lost = kept == image_.files.end() || kept->second->mode_from != live->second.mode_from;
      } else if (live != live_.end()) {
        const std::vector<Write>& writes = live->second.at_risk[kFlushed];
        lost = std::any_of(writes.begin(), writes.end(), early) ||
               (broken.name_missing && !reachable(broken.file));
      }
      if (!lost) {
        broken.settled = true;
        broken.kept_at = now;
      }
    }
    all &= broken.settled;
    if (all) first_unsettled_ = i + 1;
  }
}

std::vector<BrokenPromise> Account::broken() const {
  std::vector<BrokenPromise> broken;
  for (const BrokenPromise& one : broken_)  // kept before it returned
    if (one.kept_at == 0 || one.kept_at > one.call.end) broken.push_back(one);
  std::stable_sort(broken.begin(), broken.end(), [](const auto& a, const auto& b) {
    return a.call.end != b.call.end ? a.call.end < b.call.end : a.call.line < b.call.line;
  });
  return broken;
}

// ---- what threads decide --------------------------------------------------------------------

// Two calls of different processes that overlap: the one that returns last may have slept through
// the other's fast commit. And what changed while another process's fsync of a directory committed
// may have found tracking switched off.
void Account::note_possible(const Operation& op) {
  while (!recent_.empty() && recent_.front().call.end + kLongestCallNs < op.start)
    recent_.pop_front();
  RecentCall one{op, false, 0, 0};
  if (const Live* const live = live_of(op.file)) {
    one.directory = versions_->version_of(op.file).type == FileType::directory;
    one.changed_from = live->changed_from;
    one.changed_to = live->changed_to;
  }
  const auto slept = [&](const RecentCall& sleeper, const RecentCall& other) {
    return !sleeper.directory && !other.directory && !is_whole(sleeper.call.kind) &&
           sleeper.call.file != other.call.file && !rules_.sleeper_checks_inode &&
           sleeper.call.start < other.call.end && sleeper.call.end + kClockNs > other.call.end &&
           other.call.start < sleeper.call.end;
  };
  const auto untracked = [&](const RecentCall& call, const RecentCall& other) {
    return other.directory && !call.directory && !is_whole(call.call.kind) &&
           !rules_.ineligible_keeps_tracking && call.changed_to != 0 &&
           call.changed_from < other.call.end && other.call.start < call.changed_to + kClockNs;
  };
  const auto add = [&](const RecentCall& call, const RecentCall& other) {
    if (slept(call, other)) possible_.push_back({call.call, other.call, Breach::slept_through});
    if (untracked(call, other)) possible_.push_back({call.call, other.call, Breach::tracking_off});
  };
  if (any_fast_commit_)
    for (const RecentCall& other : recent_) {
      if (other.call.pid == op.pid) continue;
      add(one, other);
      add(other, one);
    }
  recent_.push_back(one);
}

// ---- half-states ----------------------------------------------------------------------------

std::size_t Account::begin_half(HalfKind kind, Writer call, Time now) {
  const auto k = static_cast<std::size_t>(kind);
  ++half_.seen[k];
  half_.at_once[k] = std::max(half_.at_once[k], ++half_now_[k]);
  if (half_.list.size() >= HalfStates::kListed) return kUnlisted;
  half_.list.push_back({kind, now, 0, call});
  return half_.list.size() - 1;
}

void Account::end_half(HalfKind kind, std::size_t index, Time now) {
  --half_now_[static_cast<std::size_t>(kind)];
  if (index != kUnlisted) half_.list[index].to = now;
}

void Account::settle_half(Live& live, Serial serial, Time now, bool appended) {
  const auto image = image_.files.find(serial);
  const bool there = image != image_.files.end() && image->second->version.links != 0;
  const std::int64_t size = there ? image->second->version.size : 0;
  const std::vector<Write>& writes = live.at_risk[kFlushed];
  const bool empty = there && size == 0 && !writes.empty();
  const auto set = [&](HalfKind kind, bool holds, Writer call) {
    const auto known = live.half.find(kind);
    if (holds && known == live.half.end()) live.half[kind] = begin_half(kind, call, now);
    if (!holds && known != live.half.end()) {
      end_half(kind, known->second, now);
      live.half.erase(known);
    }
  };
  set(HalfKind::empty, empty, empty ? writes.front().bytes.writer : kZeros);
  if (appended) return;
  const auto inside = std::find_if(writes.begin(), writes.end(), [&](const Write& write) {
    return write.bytes.offset < size && there &&
           image->second->version.type == FileType::regular;
  });
  const bool zeros = inside != writes.end() && [&] {
    const std::int64_t end = std::min(size, inside->bytes.offset + inside->bytes.length);
    for (const Piece& piece :
         content_of(image->second->version, Kept::flushed, inside->bytes.offset, end))
      if (piece.writer == kZeros) return true;
    return false;
  }();
  set(HalfKind::zeros, zeros, zeros ? inside->bytes.writer : kZeros);
}

void Account::settle_half(const Image::Name& name, NameAtRisk& risk, Time now) {
  const auto seen = names_.find(name);
  const auto kept = image_.names.find(name);
  std::optional<HalfKind> kind;
  if (kept != image_.names.end() && image_.files.count(kept->second) != 0) {
    if (seen == names_.end())
      kind = HalfKind::name_back;
    else if (seen->second != kept->second)
      kind = HalfKind::old_file;
  }
  if (risk.half && (!kind || risk.half->first != *kind)) {
    end_half(risk.half->first, risk.half->second, now);
    risk.half.reset();
  }
  if (kind && !risk.half) risk.half = {*kind, begin_half(*kind, risk.call, now)};
}

}  // namespace fcsim::model::exposure

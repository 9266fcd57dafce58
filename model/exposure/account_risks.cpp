// What a cut would lose at each moment, and the promises that do not hold.
#include <algorithm>

#include "model/exposure/account.h"

namespace fcsim::model::exposure {
namespace {

constexpr Kept kBoth[] = {Kept::flushed, Kept::completed};

std::size_t index(Kept kept) {
  return static_cast<std::size_t>(kept);
}

}  // namespace

void Account::add_risk(Live& live, const Piece& bytes, Time at) {
  for (const Kept kept : kBoth) {
    if (live.at_risk[index(kept)].empty()) ++files_at_risk_[index(kept)];
    live.at_risk[index(kept)].push_back({bytes, at});
    ages_[index(kept)].emplace(at, bytes.writer);
    bytes_at_risk_[index(kept)] += bytes.length;
  }
}

void Account::drop_risk(Live& live, Kept kept, const Write& write) {
  std::vector<Write>& writes = live.at_risk[index(kept)];
  const auto same = [&](const Write& other) {
    return other.at == write.at && other.bytes == write.bytes;
  };
  const auto found = std::find_if(writes.begin(), writes.end(), same);
  if (found == writes.end()) return;
  bytes_at_risk_[index(kept)] -= write.bytes.length;
  ages_[index(kept)].erase(ages_[index(kept)].find({write.at, write.bytes.writer}));
  writes.erase(found);
  if (writes.empty()) --files_at_risk_[index(kept)];
}

// Whether a cut leaves the file somewhere below the root.
bool Account::reachable(Serial serial) const {
  if (serial == 1) return true;
  const auto file = image_.files.find(serial);
  if (file == image_.files.end()) return false;
  return std::any_of(image_.names.begin(), image_.names.end(), [&](const auto& name) {
    return name.second == serial && (name.first.first == 1 || reachable(name.first.first));
  });
}

// Whether a cut leaves those bytes, as far as the file still has them.
bool Account::keeps(Serial serial, const Piece& bytes, const FileVersion& version,
                    Kept kept) const {
  const Content& cache = live_.at(serial).cache;
  std::int64_t needed = 0;
  std::int64_t found = 0;
  for (const Piece& piece : cache.between(bytes.offset, bytes.offset + bytes.length)) {
    if (piece.writer != bytes.writer) continue;
    needed += piece.length;
    // The runs are sorted by `logical` and do not overlap.
    auto next =
        std::partition_point(version.map.begin(), version.map.end(), [&](const MappedRun& run) {
          return static_cast<std::int64_t>(run.logical + run.length) * block_size_ <= piece.offset;
        });
    for (; next != version.map.end() &&
           static_cast<std::int64_t>(next->logical) * block_size_ < piece.offset + piece.length;
         ++next) {
      const MappedRun& run = *next;
      if (run.unwritten) continue;
      const std::int64_t begin =
          std::max(piece.offset, static_cast<std::int64_t>(run.logical) * block_size_);
      const std::int64_t end =
          std::min({piece.offset + piece.length, version.size,
                    static_cast<std::int64_t>(run.logical + run.length) * block_size_});
      for (std::int64_t at = begin; at < end;) {
        const std::int64_t block = at / block_size_;
        const Block* const content =
            device_.read(run.physical + static_cast<std::uint64_t>(block) - run.logical, kept);
        const std::int64_t stop = std::min(end, (block + 1) * block_size_);
        if (content != nullptr)
          for (const Piece& there : *content)
            if (there.writer == bytes.writer)
              found += std::max<std::int64_t>(
                  0, std::min(stop, block * block_size_ + there.offset + there.length) -
                         std::max(at, block * block_size_ + there.offset));
        at = stop;
      }
    }
  }
  return found == needed;
}

void Account::settle(Live& live, Serial serial, Kept kept) {
  std::vector<Write>& writes = live.at_risk[index(kept)];
  if (writes.empty() || (kept == Kept::flushed && nothing_flushes_)) return;
  const auto file = image_.files.find(serial);
  const bool there = file != image_.files.end() && reachable(serial);
  const FileVersion nothing;
  const FileVersion& version = there ? file->second->version : nothing;
  const auto stable = [&](const Write& write) {
    if (!keeps(serial, write.bytes, version, kept)) return false;
    bytes_at_risk_[index(kept)] -= write.bytes.length;
    ages_[index(kept)].erase(ages_[index(kept)].find({write.at, write.bytes.writer}));
    return true;
  };
  writes.erase(std::remove_if(writes.begin(), writes.end(), stable), writes.end());
  if (writes.empty()) --files_at_risk_[index(kept)];
}

void Account::settle_names() {
  for (auto name = names_at_risk_.begin(); name != names_at_risk_.end();) {
    const auto seen = names_.find(*name);
    const auto kept = image_.names.find(*name);
    const Serial now = seen == names_.end() ? 0 : seen->second;
    const Serial then = kept == image_.names.end() ? 0 : kept->second;
    name = now == then ? names_at_risk_.erase(name) : std::next(name);
  }
}

void Account::settle(Time now) {
  for (const Serial serial : changed_)
    if (const auto live = live_.find(serial); live != live_.end())
      for (const Kept kept : kBoth) settle(live->second, serial, kept);
  changed_.clear();
  settle_names();
  settle_promises(now);
  note(now);
}

void Account::note(Time now) {
  for (const Kept kept : kBoth) {
    AtRisk risk;
    risk.from = now;
    risk.writes = ages_[index(kept)].size();
    risk.bytes = bytes_at_risk_[index(kept)];
    risk.names = names_at_risk_.size();
    risk.files = files_at_risk_[index(kept)];
    if (!ages_[index(kept)].empty()) {
      risk.oldest = ages_[index(kept)].begin()->first;
      risk.oldest_writer = ages_[index(kept)].begin()->second;
    }
    std::vector<AtRisk>& risks = risks_[index(kept)];
    if (!risks.empty() && risks.back().from == now)
      risks.back() = risk;
    else
      risks.push_back(risk);
  }
}

// ---- promises -------------------------------------------------------------------------------

void Account::on_sync_done(const Operation& op, Time now) {
  pass(now);
  flush();
  if (!options_.risks) return;
  if (const Serial serial = serial_of(op.file); serial != 0) changed_.insert(serial);
  settle(now);
  using enum OperationKind;
  const bool whole = op.kind == sync || op.kind == syncfs;
  const bool promises =
      whole || op.kind == fsync || op.kind == fdatasync || op.kind == msync || op.kind == write;
  if (!promises || (op.flags & operation_flag::failed) != 0) return;
  for (const auto& [serial, live] : live_) {
    if (!whole && live.file != op.file) continue;
    BrokenPromise broken;
    broken.call = op;
    broken.file = serial;
    for (const Write& write : live.at_risk[index(Kept::flushed)])
      broken.writes += write.at <= op.start || write.bytes.writer == op.line ? 1 : 0;
    const bool named = std::any_of(names_.begin(), names_.end(),
                                   [&](const auto& name) { return name.second == serial; });
    broken.name_missing = named && !reachable(serial);
    if (broken.writes == 0 && !broken.name_missing) continue;
    broken.breach = nothing_flushes_     ? Breach::no_barrier
                    : live.born_nameless ? Breach::link_without_create
                                         : Breach::slept_through;
    broken_.push_back(broken);
  }
}

// A promise is kept once nothing of what it was about is at risk any more.
void Account::settle_promises(Time now) {
  bool all = true;
  for (std::size_t i = first_unsettled_; i < broken_.size(); ++i) {
    BrokenPromise& broken = broken_[i];
    if (broken.settled) {
      if (all) first_unsettled_ = i + 1;
      continue;
    }
    const auto live = live_.find(broken.file);
    const bool gone = live == live_.end();
    const bool lost =
        !gone && (std::any_of(live->second.at_risk[index(Kept::flushed)].begin(),
                              live->second.at_risk[index(Kept::flushed)].end(),
                              [&](const Write& write) { return write.at <= broken.call.end; }) ||
                  (broken.name_missing && !reachable(broken.file)));
    if (lost) {
      all = false;
      continue;
    }
    broken.settled = true;
    broken.kept_at = now;
  }
}

}  // namespace fcsim::model::exposure

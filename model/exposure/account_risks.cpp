// What a cut would lose at each moment.
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
    ages_at_risk_[index(kept)].emplace(at, bytes.writer);
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
  ages_at_risk_[index(kept)].erase(ages_at_risk_[index(kept)].find({write.at, write.bytes.writer}));
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
    ages_at_risk_[index(kept)].erase(ages_at_risk_[index(kept)].find({write.at, write.bytes.writer}));
    return true;
  };
  writes.erase(std::remove_if(writes.begin(), writes.end(), stable), writes.end());
  if (writes.empty()) --files_at_risk_[index(kept)];
}

void Account::settle_names(Time now) {
  for (auto name = names_at_risk_.begin(); name != names_at_risk_.end();) {
    settle_half(name->first, name->second, now);
    const auto seen = names_.find(name->first);
    const auto kept = image_.names.find(name->first);
    const Serial live = seen == names_.end() ? 0 : seen->second;
    const Serial then = kept == image_.names.end() ? 0 : kept->second;
    name = live == then ? names_at_risk_.erase(name) : std::next(name);
  }
}

void Account::settle(Time now) {
  for (const Serial serial : changed_)
    if (const auto live = live_.find(serial); live != live_.end()) {
      for (const Kept kept : kBoth) settle(live->second, serial, kept);
      settle_half(live->second, serial, now, false);
    }
  for (const Serial serial : appended_)
    if (const auto live = live_.find(serial); live != live_.end() && changed_.count(serial) == 0)
      settle_half(live->second, serial, now, true);
  changed_.clear();
  appended_.clear();
  settle_names(now);
  settle_promises(now);
  note(now);
}

void Account::close_ages(Time end) {
  if (ages_closed_) return;
  ages_closed_ = true;
  for (const Kept kept : kBoth) ages_[index(kept)] = age_accounts_[index(kept)].ages(end);
}

void Account::note(Time now) {
  if (ages_closed_) return;
  for (const Kept kept : kBoth) {
    AtRisk risk;
    risk.from = now;
    risk.writes = ages_at_risk_[index(kept)].size();
    risk.bytes = bytes_at_risk_[index(kept)];
    risk.names = names_at_risk_.size();
    risk.files = files_at_risk_[index(kept)];
    if (!ages_at_risk_[index(kept)].empty()) {
      risk.oldest = ages_at_risk_[index(kept)].begin()->first;
      risk.oldest_writer = ages_at_risk_[index(kept)].begin()->second;
    }
    age_accounts_[index(kept)].note(risk);
  }
}

std::set<Writer> Account::named_calls() const {
  std::set<Writer> calls;
  for (const Kept kept : kBoth) {
    calls.insert(age_accounts_[index(kept)].worst_writer());
    for (const auto& [at, writer] : ages_at_risk_[index(kept)]) calls.insert(writer);
  }
  for (const auto& [name, risk] : names_at_risk_) calls.insert(risk.call);
  for (const HalfState& half : half_.list) calls.insert(half.call);
  for (const BrokenPromise& broken : broken_) calls.insert(writer_of(broken.call));
  for (const PossibleBreach& possible : possible_) {
    calls.insert(writer_of(possible.call));
    calls.insert(writer_of(possible.other));
  }
  return calls;
}

}  // namespace fcsim::model::exposure

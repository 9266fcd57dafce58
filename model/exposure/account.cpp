#include "model/exposure/account.h"

#include <algorithm>
#include <iterator>

namespace fcsim::model::exposure {
namespace {

// When the last flush of a commit ended that a call waited for, from `begun` to its return. 3016
// recorded calls (block log, 6.18.44, strace's times): the last flush ends 8 % of the call's time
// before its return and the flush before that one 23 % (medians of calls below 0.6 ms); of the
// longer ones three quarters of the last flushes end in the last 65 to 100 us. syncfs writes the
// block device's own pages after the commit: 24 and 30 % (110 calls below 5 ms).
Time flush_end(Time begun, Time now, OperationKind call) {
  const Time length = now - begun;
  if (call == OperationKind::syncfs) return now - std::min<Time>(length / 4, 500'000);
  return now - std::min<Time>(length * 3 / 20, 65'000);
}

std::int64_t end_of(const Operation& operation) {
  return operation.offset + operation.length;
}

}  // namespace

Account::Account(const Configuration& configuration, const InitialState& initial,
                 AccountOptions options)
    : mount_(configuration.mount),
      rules_(configuration.kernel.durability),
      block_size_(configuration.filesystem.block_size),
      options_(std::move(options)),
      nothing_flushes_(!configuration.mount.barrier) {
  load(initial);
  image_before_ = image_;
  device_before_ = device_;
}

// ---- before the trace -----------------------------------------------------------------------

void Account::load(const InitialState& initial) {
  if (initial.files.empty()) {
    FileImage root;
    root.version.type = FileType::directory;
    root.version.links = 3;
    root.mode_before = 0755;
    const Serial serial = make_live(kRootDirectory);
    live_[serial].mode_before = root.mode_before;
    image_.files[serial] = std::make_shared<FileImage>(root);
    return;
  }
  for (const InitialFile& file : initial.files) {
    if (serial_of(file.file) == 0) {
      const Serial serial = make_live(file.file);
      Live& live = live_[serial];
      live.mode_before = file.mode;
      FileImage image;
      image.mode_before = file.mode;
      image.version = {file.type, file.links, file.size, {}};
      for (const InitialExtent& extent : file.extents) {
        image.version.map.push_back(
            {extent.logical, extent.physical, extent.length, extent.unwritten});
        if (extent.unwritten) continue;
        live.cache.write(extent.logical * block_size_, extent.length * block_size_, kBefore);
        for (std::uint32_t i = 0; i < extent.length; ++i)
          device_.write(extent.physical + i, {{0, block_size_, kBefore}});
      }
      live.cache.erase(file.size, std::numeric_limits<std::int64_t>::max());
      image_.files[serial] = std::make_shared<FileImage>(std::move(image));
    }
  }
  for (const InitialFile& file : initial.files) {
    if (file.parent == kNoFile) continue;
    const Image::Name name{serial_of(file.parent), file.name_hash};
    names_[name] = image_.names[name] = serial_of(file.file);
  }
  device_.flush();
}

Serial Account::make_live(FileId file) {
  if (serials_.size() <= file) serials_.resize(std::size_t{file} + 1, 0);
  serials_[file] = ++last_serial_;
  live_[last_serial_].file = file;
  return last_serial_;
}

Account::Live* Account::live_of(FileId file) {
  const Serial serial = serial_of(file);
  return serial == 0 ? nullptr : &live_.at(serial);
}

// ---- what programs do -----------------------------------------------------------------------

void Account::on_new_file(FileId file, const Operation& operation) {
  Live& live = live_.at(make_live(file));
  live.mode_from = writer_of(operation);
  live.born_nameless = operation.kind == OperationKind::tmpfile;
}

void Account::on_operation(const Operation& operation, Time now) {
  operation_ = &operation;
  const Serial serial = serial_of(operation.file);
  if (serial == 0) return;
  Live& live = live_.at(serial);
  switch (operation.kind) {
    case OperationKind::set_attributes:
      if (static_cast<AttributeChange>(operation.value) == AttributeChange::mode)
        live.mode_from = writer_of(operation);
      if (versions_->version_of(operation.file).type == FileType::directory)
        directories_changed_.insert(serial);
      break;
    case OperationKind::map_shared:
      live.mapped = true;
      break;
    case OperationKind::write:
    case OperationKind::truncate:
    case OperationKind::fallocate:
      change_content(live, serial, operation, now);
      break;
    default:
      break;
  }
}

void Account::change_content(Live& live, Serial serial, const Operation& op, Time now) {
  constexpr std::uint64_t punch = 0x02, collapse = 0x08, zero = 0x10, insert = 0x20;
  const auto block = [&](std::int64_t bytes) {
    return static_cast<std::uint64_t>(bytes / block_size_);
  };
  constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();
  // A page of which a part becomes zeros is dirty, and ordered before the commit.
  const auto dirty_edge = [&](std::int64_t at) {
    if (at % block_size_ == 0 ||
        live.cache.between(at - at % block_size_, at - at % block_size_ + block_size_).empty())
      return;
    live.dirty.insert(block(at), block(at) + 1);
    open_.ordered.push_back({serial, block(at), block(at) + 1});
  };
  live.changed_from = op.start;
  live.changed_to = std::max(op.end, now);
  if (op.kind == OperationKind::write) {
    if (op.length <= 0) return;
    const bool appends = op.offset >= live.risk_end;
    live.risk_end = std::max(live.risk_end, end_of(op));
    live.cache.write(op.offset, op.length, writer_of(op));
    live.dirty.insert(block(op.offset), block(end_of(op) - 1) + 1);
    if (mount_.data == DataMode::journal)
      open_.journalled.push_back({serial, block(op.offset), block(end_of(op) - 1) + 1});
    if (options_.risks)
      add_risk(live, {op.offset, op.length, writer_of(op)}, std::max(now, op.end));
    if (appends) {
      appended_.insert(serial);
      return;
    }
  } else if (op.kind == OperationKind::truncate) {
    dirty_edge(op.length);
    live.cache.erase(op.length, everything);
    live.dirty.erase(block(op.length + block_size_ - 1), kEndOfBlocks);
  } else if ((op.value & (collapse | insert)) != 0) {
    if ((op.value & collapse) != 0) {
      live.cache.erase(op.offset, end_of(op));
      live.cache.shift(end_of(op), -op.length);
    } else {
      live.cache.shift(op.offset, op.length);
    }
  } else if ((op.value & (punch | zero)) != 0) {
    dirty_edge(op.offset);
    dirty_edge(end_of(op));
    live.cache.erase(op.offset, end_of(op));
    live.dirty.erase(block(op.offset + block_size_ - 1), block(end_of(op)));
  }
  changed_.insert(serial);
}

void Account::on_operation_done(const Operation& op, Time now) {
  operation_ = nullptr;
  if (op.kind == OperationKind::appear && serial_of(op.file) == 0) {
    const Serial serial = make_live(op.file);
    Live& live = live_.at(serial);
    live.mode_before = 0644;
    live.cache.write(0, op.length, kBefore);
    const auto image = image_of(live);
    for (const MappedRun& run : image->version.map)
      for (std::uint64_t i = 0; i < run.length && !run.unwritten; ++i)
        device_.write(run.physical + i, {{0, block_size_, kBefore}});
    image_.files[serial] = image;
    if (op.parent != kNoFile) {
      const Image::Name name{serial_of(op.parent), op.name_hash};
      names_[name] = image_.names[name] = serial;
    }
  } else if (op.kind == OperationKind::evict) {
    const Serial serial = serial_of(op.file);
    if (serial == 0) return;
    serials_[op.file] = 0;
    for (const Kept kept : {Kept::flushed, Kept::completed})
      for (const Write& write :
           std::vector<Write>(live_.at(serial).at_risk[static_cast<std::size_t>(kept)]))
        drop_risk(live_.at(serial), kept, write);
    live_.erase(serial);
    open_.gone.insert(serial);
  } else if (op.kind == OperationKind::write && (op.flags & operation_flag::direct) != 0 &&
             mount_.data != DataMode::journal) {
    if (Live* const live = live_of(op.file)) {
      pass(now);
      for (BlockWrite& write :
           take_dirty(*live, static_cast<std::uint64_t>(op.offset / block_size_),
                      static_cast<std::uint64_t>((end_of(op) - 1) / block_size_) + 1))
        device_.write(write.physical, std::move(write.content));
      live->on_device = true;
      changed_.insert(serial_of(op.file));
    }
  }
  if (!options_.risks) return;
  if (op.kind == OperationKind::unlink) note_unlink(op);
  if (!changed_.empty() || !appended_.empty()) settle(now);
}

void Account::on_inode(FileId file) {
  const Serial serial = serial_of(file);
  if (serial == 0) return;
  open_.inodes.insert(serial);
  if (!versions_->tracks_changes()) live_.at(serial).untracked = true;
}

void Account::on_name(FileId directory, std::uint64_t name_hash, FileId file) {
  using enum OperationKind;
  const Image::Name name{serial_of(directory), name_hash};
  NameChange change{name, file == kNoFile ? 0 : serial_of(file), false,
                    versions_->tracks_changes()};
  const OperationKind kind = operation_ == nullptr ? none : operation_->kind;
  change.creates = kind == create || kind == mkdir || kind == mknod || kind == symlink ||
                   (kind == rename && operation_->file != file) ||
                   (kind == link && rules_.tmpfile_link_logs_inode);
  open_.names.push_back(change);
  if (change.file == 0)
    names_.erase(name);
  else
    names_[name] = change.file;
  if (!options_.risks) return;
  names_at_risk_[name].call = operation_ == nullptr ? kZeros : writer_of(*operation_);
  changed_.insert(change.file);
  if (const auto live = live_.find(change.file); live != live_.end() && operation_ != nullptr) {
    live->second.changed_from = operation_->start;
    live->second.changed_to = operation_->end;
  }
}

// ---- to the device --------------------------------------------------------------------------

void Account::on_ordered(FileId file, std::uint64_t first, std::uint64_t end) {
  if (const Serial serial = serial_of(file); serial != 0)
    open_.ordered.push_back({serial, first, end});
}

// The dirty pages of the blocks, as they are now.
std::vector<Account::BlockWrite> Account::take_dirty(Live& live, std::uint64_t first,
                                                     std::uint64_t end) {
  std::vector<BlockWrite> writes;
  if (live.dirty.empty()) return writes;
  const FileVersion version = versions_->version_of(live.file);
  std::vector<BlockRun> done;
  for (const MappedRun& run : version.map) {
    for (auto dirty = live.dirty.from(std::max(first, run.logical));
         dirty != live.dirty.runs().end() && dirty->first < std::min(end, run.logical + run.length);
         ++dirty) {
      const std::uint64_t begin = std::max({dirty->first, first, run.logical});
      const std::uint64_t stop = std::min({dirty->end, end, run.logical + run.length});
      for (std::uint64_t block = begin; block < stop; ++block) {
        const std::int64_t at = static_cast<std::int64_t>(block) * block_size_;
        Block content = live.cache.between(at, at + block_size_);
        for (Piece& piece : content) piece.offset -= at;
        writes.push_back({run.physical + (block - run.logical), std::move(content)});
      }
      if (begin < stop) done.push_back({begin, stop});
    }
  }
  for (const BlockRun& run : done) live.dirty.erase(run.first, run.end);
  return writes;
}

void Account::on_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                           bool in_flight) {
  Live* const live = live_of(file);
  if (live == nullptr || mount_.data == DataMode::journal) return;
  pass(now);
  std::vector<BlockWrite> writes = take_dirty(*live, first, end);
  if (writes.empty()) return;
  if (in_flight) {
    std::move(writes.begin(), writes.end(), std::back_inserter(live->in_flight));
    return;
  }
  for (BlockWrite& write : writes) device_.write(write.physical, std::move(write.content));
  live->on_device = true;
  changed_.insert(serial_of(file));
  if (options_.risks) settle(now);
}

void Account::on_io_end(FileId file, Time now) {
  Live* const live = live_of(file);
  if (live == nullptr || live->in_flight.empty()) return;
  pass(now);
  for (BlockWrite& write : live->in_flight) device_.write(write.physical, std::move(write.content));
  live->in_flight.clear();
  live->on_device = true;
  changed_.insert(serial_of(file));
  if (options_.risks) settle(now);
}

// Ordered pages are written; of the files in `only`, where it is given.
void Account::submit(const std::vector<Range>& ranges, const std::set<Serial>* only) {
  for (const Range& range : ranges) {
    if (only != nullptr && only->count(range.file) == 0) continue;
    const auto live = live_.find(range.file);
    if (live == live_.end()) continue;
    for (BlockWrite& write : take_dirty(live->second, range.first, range.end))
      device_.write(write.physical, std::move(write.content));
    live->second.on_device = true;
    changed_.insert(range.file);
  }
}

void Account::flush() {
  if (nothing_flushes_) return;
  device_.flush();
  for (auto& [serial, live] : live_) {
    if (!live.on_device) continue;
    live.on_device = false;
    changed_.insert(serial);
  }
}

// ---- transactions ---------------------------------------------------------------------------

std::shared_ptr<const FileImage> Account::image_of(const Live& live) const {
  FileImage image;
  image.version = versions_->version_of(live.file);
  image.mode_before = live.mode_before;
  image.mode_from = live.mode_from;
  return std::make_shared<FileImage>(std::move(image));
}

// The transaction holds what is there now.
void Account::on_closed() {
  if (versions_ == nullptr || versions_->closed_sequence() == 0)
    return;  // a fast commit ends first
  if (mount_.data == DataMode::ordered) submit(open_.ordered, nullptr);
  closed_ = std::move(open_);
  open_ = {};
  directories_changed_.clear();
  for (const Serial serial : closed_.inodes)
    if (const auto live = live_.find(serial); live != live_.end()) {
      closed_.versions.emplace_back(serial, image_of(live->second));
      live->second.untracked = false;
    }
  for (const Range& range : closed_.journalled)
    if (const auto live = live_.find(range.file); live != live_.end())
      for (BlockWrite& write : take_dirty(live->second, range.first, range.end))
        closed_.blocks.push_back(std::move(write));
}

void Account::on_commit(FullCommitRecord& record) {
  pass(record.origin.kind == OperationKind::none
           ? record.end
           : flush_end(record.start, record.end, record.origin.kind));
  for (BlockWrite& write : closed_.blocks) device_.write(write.physical, std::move(write.content));
  for (const Range& range : closed_.journalled) changed_.insert(range.file);
  for (NameChange& name : closed_.names) name.creates = true;  // its inode is in the transaction
  apply(closed_.versions, closed_.names);
  for (const Serial serial : closed_.gone) image_.files.erase(serial);
  flush();
  closed_ = {};
  if (!unmountable_.empty() && unmountable_.back().second == 0)
    unmountable_.back().second = record.end;
  if (options_.risks) settle(record.end);
}

// Names in their order. One of an inode that is not there yet is skipped, as the replay of a LINK
// record does (fs/ext4/fast_commit.c:ext4_fc_replay_link; run on 6.18.44).
void Account::apply(const Versions& versions, const std::vector<NameChange>& names) {
  std::map<Serial, const std::shared_ptr<const FileImage>*> given;
  for (const auto& [serial, image] : versions) given[serial] = &image;
  for (const NameChange& change : names) {
    changed_.insert(change.file);
    if (change.file == 0) {
      if (const auto old = image_.names.find(change.name); old != image_.names.end()) {
        changed_.insert(old->second);
        image_.names.erase(old);
      }
      continue;
    }
    if (change.creates && image_.files.count(change.file) == 0)
      if (const auto version = given.find(change.file); version != given.end())
        image_.files[change.file] = *version->second;
    if (image_.files.count(change.file) != 0) image_.names[change.name] = change.file;
  }
  for (const auto& [serial, image] : versions) {
    image_.files[serial] = image;
    changed_.insert(serial);
  }
}

void Account::on_fast_commit_begun(std::span<const FileId> inodes) {
  fast_versions_.clear();
  fast_names_.clear();
  for (std::size_t i = open_.names_logged; i < open_.names.size(); ++i)
    if (open_.names[i].tracked) fast_names_.push_back(open_.names[i]);
  any_fast_commit_ = true;
  open_.names_logged = open_.names.size();
  std::set<Serial> logged;
  for (const FileId file : inodes)
    if (const Serial serial = serial_of(file); serial != 0) logged.insert(serial);
  if (mount_.data == DataMode::ordered) submit(open_.ordered, &logged);
  if (rules_.directory_attributes_logged)
    logged.insert(directories_changed_.begin(), directories_changed_.end());
  fast_unlinked_ = false;
  for (const Serial serial : logged) {
    const auto live = live_.find(serial);
    if (live == live_.end()) continue;
    fast_versions_.emplace_back(serial, image_of(live->second));
    fast_unlinked_ |= fast_versions_.back().second->version.links == 0;
  }
  fast_unlinked_ &= !rules_.unlinked_inode_replays;
  // A directory has a CREAT record alone: the replay makes it with one link.
  for (const NameChange& change : fast_names_) {
    if (!change.creates || logged.count(change.file) != 0) continue;
    const auto live = live_.find(change.file);
    if (live == live_.end()) continue;
    FileImage image = *image_of(live->second);
    image.version.links = 1;
    fast_versions_.emplace_back(change.file, std::make_shared<FileImage>(std::move(image)));
  }
}

void Account::on_fast_commit_written(const FastCommitRecord& record) {
  const Time now = record.end;
  pass(flush_end(record.start, now, OperationKind::fsync));
  apply(fast_versions_, fast_names_);
  if (fast_unlinked_ && (unmountable_.empty() || unmountable_.back().second != 0))
    unmountable_.emplace_back(now, 0);
  flush();
  if (!options_.risks) return;
  directories_left_out(record);
  settle(now);
}

// ---- cuts -----------------------------------------------------------------------------------

void Account::pass(Time now) {
  while (next_cut_ < options_.cuts.size() && options_.cuts[next_cut_] < now) {
    for (const Kept kept : {Kept::flushed, Kept::completed})
      survivors_[static_cast<std::size_t>(kept)].push_back(survivors_now(kept));
    ++next_cut_;
  }
}

void Account::finish(Time end) {
  pass(std::numeric_limits<Time>::max());
  if (options_.risks) {
    settle(end);
    close_ages(end);
  }
}

Survivors Account::survivors_now(Kept kept) const {
  const bool lost = kept == Kept::flushed && nothing_flushes_;
  const Image& image = lost ? image_before_ : image_;
  Survivors out;
  const Serial root = 1;
  const auto found = image.files.find(root);
  if (found == image.files.end()) return out;
  out.push_back({{}, found->second, {}});
  std::vector<std::uint64_t> path;
  add_survivors(root, path, image, kept, out);
  return out;
}

void Account::add_survivors(Serial directory, std::vector<std::uint64_t>& path, const Image& image,
                            Kept kept, Survivors& out) const {
  for (auto name = image.names.lower_bound({directory, 0});
       name != image.names.end() && name->first.first == directory; ++name) {
    const auto file = image.files.find(name->second);
    if (file == image.files.end()) continue;
    path.push_back(name->first.second);
    Survivor survivor{path, file->second, {}};
    if (file->second->version.type == FileType::regular) {
      survivor.content =
          content_of(file->second->version, kept, 0, file->second->version.size);
      const auto live = live_.find(name->second);
      survivor.content_known = live == live_.end() || !live->second.mapped;
    }
    out.push_back(std::move(survivor));
    if (file->second->version.type == FileType::directory)
      add_survivors(name->second, path, image, kept, out);
    path.pop_back();
  }
}

std::vector<Piece> Account::content_of(const FileVersion& version, Kept kept, std::int64_t from,
                                       std::int64_t to) const {
  const Device& device = kept == Kept::flushed && nothing_flushes_ ? device_before_ : device_;
  std::vector<Piece> pieces;
  std::int64_t at = from;
  to = std::min(to, version.size);
  const auto zeros_up_to = [&](std::int64_t end) {
    if (end > at) append(pieces, {at, end - at, kZeros});
    at = std::max(at, end);
  };
  for (const MappedRun& run : version.map) {
    const auto first = static_cast<std::uint64_t>(from / block_size_);
    if (run.unwritten || run.logical + run.length <= first) continue;
    for (std::uint64_t i = first > run.logical ? first - run.logical : 0; i < run.length; ++i) {
      const std::int64_t begin = static_cast<std::int64_t>(run.logical + i) * block_size_;
      if (begin >= to) break;
      const Block* const block = device.read(run.physical + i, kept);
      if (block == nullptr) continue;
      for (const Piece& piece : *block) {
        const std::int64_t stop = std::min(to, begin + piece.offset + piece.length);
        if (begin + piece.offset >= stop || stop <= at) continue;
        zeros_up_to(begin + piece.offset);
        append(pieces, {at, stop - at, piece.writer});
        at = stop;
      }
    }
  }
  zeros_up_to(to);
  return pieces;
}

}  // namespace fcsim::model::exposure

// XFS above its log: what each operation does to inodes, blocks and transactions.
//
// apply() does an operation at a moment of virtual time. Calls that wait are cut into steps
// (sync_call.h). Every rule of a mechanism lives in the file of that name: times.cpp, names.cpp,
// data.cpp, writeback.cpp, truncation.cpp, preallocation.cpp, reflink.cpp, attributes.cpp,
// inactivation.cpp, inodes.cpp.
//
// Sources: fs/xfs of 6.12 and 6.18, the trace events of 6.18, and the recordings that the comments
// name.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/common/clock.h"
#include "model/common/operation.h"
#include "model/xfs/free_space.h"
#include "model/xfs/inode.h"
#include "model/xfs/inode_chunks.h"
#include "model/xfs/settings.h"
#include "model/xfs/shared_blocks.h"
#include "model/xfs_log/log.h"

namespace fcsim::model::xfs {

using xfs_log::Sequence;

// What the model had to leave out of an answer, counted.
struct Notes {
  std::uint64_t mapped_stores_guessed = 0;
  std::uint64_t out_of_space = 0;
};

class Xfs {
 public:
  Xfs(const Settings& settings, const InitialState& initial);
  Xfs(const Xfs&) = delete;
  Xfs& operator=(const Xfs&) = delete;

  // The trace begins at `start`.
  void begin(Time start);
  // An operation takes place at `now`. Of calls that wait only what comes before the waiting.
  void apply(const Operation& operation, Time now);
  // A synchronous transaction of the last apply() must be durable before its call returns.
  [[nodiscard]] std::optional<Sequence> take_wait();

  // ---- what happens by itself: the log worker, inactivation ----
  [[nodiscard]] std::optional<Time> next_event() const;
  void happen(Time now);

  // ---- steps of calls that wait ----
  // Starts writeback of the dirty blocks in [first, end). True when I/O was started or is in
  // flight: complete_io() must follow.
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin& origin);
  void complete_io(FileId file, Time now, const Origin& origin);
  [[nodiscard]] bool io_in_flight(FileId file) const {
    return known(file) && !inodes_[file]->in_flight.empty();
  }
  [[nodiscard]] std::uint64_t bytes_in_flight(FileId file) const;
  // A held access time (lazytime) becomes a transaction.
  void write_deferred_times(FileId file, Time now, const Origin& origin);
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin& origin);
  // What fsync or fdatasync of the file must force; 0: nothing.
  [[nodiscard]] Sequence sync_sequence(FileId file, bool datasync) const;
  // The file was synced.
  void synced(FileId file);
  // Files whose writeback was started by something that does not wait for it.
  [[nodiscard]] std::vector<FileId> take_started_io() { return std::move(started_io_); }

  // Files with dirty pages older than `before`, ascending by age, and with held times.
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) const;
  [[nodiscard]] std::vector<FileId> files_with_held_times() const;
  [[nodiscard]] bool any_dirty() const { return !dirty_.empty(); }

  [[nodiscard]] xfs_log::Log& log() { return log_; }
  [[nodiscard]] const xfs_log::Log& log() const { return log_; }
  [[nodiscard]] BlockDevice& device() { return device_; }
  [[nodiscard]] const BlockDeviceCounters& device_counters() const { return device_.counters(); }
  // The last write went to its place on a device that writes through: nothing is left to flush.
  [[nodiscard]] bool wrote_through() const { return wrote_through_; }
  [[nodiscard]] std::vector<FileId> unnamed_files() const;
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const Inode& inode(FileId file) const { return *inodes_[file]; }
  [[nodiscard]] bool known(FileId file) const {
    return file < inodes_.size() && inodes_[file] != nullptr;
  }
  [[nodiscard]] std::uint64_t update_time() const { return update_time_; }
  [[nodiscard]] const Notes& notes() const { return notes_; }
  [[nodiscard]] std::uint64_t block_of(std::int64_t bytes) const {
    return static_cast<std::uint64_t>(bytes) >> block_bits_;
  }
  [[nodiscard]] std::uint64_t blocks_for(std::int64_t bytes) const {
    return (static_cast<std::uint64_t>(bytes) + settings_.geometry.block_size - 1) >> block_bits_;
  }

 private:
  struct Call {
    const Operation& operation;
    Time now;
    Time stamp;  // when it looks at the clock
    Origin origin;
  };
  // What a directory operation's place is: who gives and who takes.
  enum class BufferKind : std::uint8_t {
    group_free,
    group_inodes,
    by_block,
    by_size,
    inode_tree,
    free_inode_tree,
    reverse_map,
    reference_counts,
    inode_cluster,
    directory_block,
    attribute_block,
    extent_tree,
    link_target,
    superblock
  };

  // One reservation and what is done under it (transaction.cpp).
  class Transaction {
   public:
    Transaction(Xfs& fs, Time now, const Origin& origin);
    void log(Inode& inode, std::uint32_t parts);
    // Pieces of 128 bytes of a metadata buffer.
    void log(BufferKind kind, std::uint64_t id, std::uint32_t pieces);
    void allocated(std::uint64_t block);  // blocks there were taken or given back
    void roll(unsigned times = 1);
    void commit(bool synchronous = false);
    void cancel();  // nothing was changed
    [[nodiscard]] bool dirty() const { return dirty_; }

   private:
    Xfs& fs_;
    Time now_;
    Origin origin_;
    bool dirty_ = false;
    bool open_ = true;
    bool map_pending_ = false;  // rmapbt: an update of the reverse map is still to come
  };
  friend class Transaction;

  struct Buffer {
    xfs_log::Item item;
    std::uint32_t pieces = 0;
  };

  // inodes.cpp
  void load_initial(const InitialState& initial);
  Inode& make_inode(FileId file, FileType type, FileId parent, Time now);
  bool place_inode(Inode& inode, FileId parent, Transaction& transaction);  // a new chunk?
  void appear_file(const Call& call);
  [[nodiscard]] std::uint32_t fork_room(const Inode& inode) const;
  [[nodiscard]] std::uint32_t attribute_bytes(const Inode& inode) const;
  [[nodiscard]] std::uint32_t item_bytes(const Inode& inode) const;
  bool settle_tree(Inode& inode);  // the data fork's extents went back into the inode
  void set_dirty(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end, Time now);
  void clean(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end);
  void hold_time(Inode& inode, FileId file);

  // times.cpp
  [[nodiscard]] Time coarse(Time now) const;
  [[nodiscard]] Time current_time(const Inode& inode, Time now) const;
  void set_ctime(Inode& inode, Time now);
  void change_times(Inode& inode, Time now);  // ctime and mtime, in somebody's transaction
  void update_write_times(Inode& inode, FileId file, Time now, const Origin& origin);
  void touch_atime(FileId file, Time now, const Origin& origin, bool noatime);

  // names.cpp
  void make_named(const Call& call);
  void make_tmpfile(const Call& call);
  void link(const Call& call);
  void unlink(const Call& call);
  void rename(const Call& call);
  void exchange(const Call& call);
  void add_entry(FileId directory, std::uint32_t name_length, Time now, Transaction& transaction);
  // Whether the directory gave its block back.
  bool remove_entry(FileId directory, std::uint32_t name_length, Time now,
                    Transaction& transaction);
  void log_directory(Inode& directory, FileId file, std::uint32_t name_length,
                     Transaction& transaction, bool whole = false);
  [[nodiscard]] bool waits_for_names() const { return wsync_ || settings_.mount.dirsync; }

  // data.cpp
  void release(const Call& call);
  void write(const Call& call);
  void write_buffered(Inode& inode, const Call& call);
  void write_direct(Inode& inode, const Call& call);
  void reserve_delayed(Inode& inode, std::uint64_t first, std::uint64_t end, std::int64_t offset,
                       std::int64_t count);
  [[nodiscard]] std::uint64_t preallocation(const Inode& inode, std::uint64_t first) const;
  bool zero(Inode& inode, FileId file, std::int64_t from, std::int64_t to, Time now);
  void write_back_now(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                      const Origin& origin);

  // writeback.cpp
  void allocate_delayed(Inode& inode, FileId file, std::uint64_t block, Time now,
                        const Origin& origin);
  Blocks find_blocks(const Inode& inode, const ExtentList& fork, std::uint64_t first,
                     std::uint64_t length);
  void convert(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end,
               std::int64_t new_size, Time now, const Origin& origin);
  void set_disk_size(Inode& inode, FileId file, std::int64_t size, Time now, const Origin& origin);

  // truncation.cpp
  void truncate(const Call& call);
  void set_size(FileId file, std::int64_t size, bool by_open, const Call& call);
  void truncate_blocks(Inode& inode, std::uint64_t from, Transaction& transaction);
  [[nodiscard]] bool can_free_beyond_end(const Inode& inode) const;
  void free_beyond_end(Inode& inode, FileId file, Time now, const Origin& origin);
  // Takes out up to two extents from the end of [first, end); whether blocks were given back.
  struct Unmapped {
    unsigned extents = 0;
    bool freed = false;
    bool last_owner = false;  // of blocks of a file that shares
    std::uint64_t end = 0;    // what is left is [first, end)
  };
  Unmapped unmap_some(Inode& inode, std::uint64_t first, std::uint64_t end);
  [[nodiscard]] unsigned rolls_of(const Inode& inode, const Unmapped& round) const;
  void give_back(const Inode& inode, const Extent& extent, Unmapped& round);

  // preallocation.cpp
  void fallocate(const Call& call);
  void allocate_range(Inode& inode, const Call& call, std::uint64_t first, std::uint64_t end);
  void free_range(Inode& inode, const Call& call, std::int64_t offset, std::int64_t length);
  void collapse(Inode& inode, const Call& call);
  void insert(Inode& inode, const Call& call);

  // reflink.cpp
  [[nodiscard]] bool clones(const Operation& op) const;
  void clone(const Call& call);
  void dedupe(const Call& call);
  void share_range(Inode& source, Inode& target, const Call& call);
  void unshare(Inode& inode, const Call& call);
  void reserve_copies(Inode& inode, std::uint64_t first, std::uint64_t end);
  [[nodiscard]] bool is_shared(const Extent& extent, std::uint64_t block, std::uint64_t& end) const;
  void allocate_copy(Inode& inode, FileId file, std::uint64_t block, Time now,
                     const Origin& origin);
  void end_copies(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end, Time now,
                  const Origin& origin);

  // attributes.cpp
  void set_attributes(const Call& call);
  void set_xattr(const Call& call);
  void remove_xattr(const Call& call);
  bool fits_inside(const Inode& inode, std::uint32_t attribute_bytes) const;

  // inactivation.cpp
  void evict(const Call& call);
  void inactivate(Time now);

  void force_now(Sequence sequence, Time now, const Origin& origin);
  static Origin kernel() { return {}; }

  Settings settings_;
  Clock clock_;
  std::uint32_t block_bits_;
  bool wsync_;
  BlockDevice device_;
  xfs_log::Log log_;
  FreeSpace free_;
  InodeChunks chunks_;
  SharedBlocks shared_;
  std::vector<std::unique_ptr<Inode>> inodes_;         // by FileId; the log's items are in them
  std::unordered_map<std::uint64_t, Buffer> buffers_;  // by kind and id; never walked
  bool knows_attributes_ = false;  // the superblock says that attributes are in use
  std::uint32_t directory_rotor_ = 0;
  Time multigrain_floor_ = 0;
  std::uint64_t update_time_ = 0;
  std::vector<FileId> started_io_;
  std::optional<Sequence> wait_;
  bool wrote_through_ = false;

  std::vector<std::unique_ptr<Inode>> to_inactivate_;  // without name and user
  std::optional<Time> inactivation_;                   // when the worker comes to them
  // Inodes that are no more, until the log has let go of their items.
  std::deque<std::pair<Sequence, std::unique_ptr<Inode>>> retired_;
  std::set<std::pair<Time, FileId>> dirty_;  // files with dirty pages, and since when
  std::set<FileId> held_;                    // files with times that no transaction took along
  Notes notes_;
};

}  // namespace fcsim::model::xfs

// ext4 above the journal: what each operation does to inodes, blocks, handles and the fast-commit
// log.
//
// The engine calls apply() for an operation at a moment of virtual time; calls that wait for I/O or
// commits (fsync and its kin) go through a SyncCall (sync_call.h). Every rule of a mechanism lives
// in the file of that name: names.cpp, data.cpp, truncation.cpp, preallocation.cpp, attributes.cpp,
// xattrs.cpp, writeback.cpp, special.cpp, inodes.cpp; what the engine asks in answers.cpp.
//
// Facts: fs/ext4 of 6.1, 6.12, 6.18, and the experiments named in the fact sheets.
#pragma once

#include <array>
#include <boost/container/stable_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/common/clock.h"
#include "model/common/configuration.h"
#include "model/common/geometry.h"
#include "model/ext4/allocation/inode_allocator.h"
#include "model/ext4/inode.h"
#include "model/fast_commit/fast_commit.h"
#include "model/file_system.h"
#include "model/journal.h"

namespace fcsim::model::ext4 {

// What the model had to leave out of an answer, counted.
struct ModelNotes {
  std::uint64_t mapped_stores_guessed =
      0;                           // msync of a writable mapping: all its pages taken dirty
  std::uint64_t out_of_space = 0;  // allocations that found no block
};

// Makes the journal under a file system: of its geometry, clock and configuration, which outlive
// it.
using JournalFactory = std::function<std::unique_ptr<Journal>(
    const Geometry& geometry, const Clock& clock, const Configuration& configuration)>;

// JBD2, or none where the features say so.
std::unique_ptr<Journal> make_journal(const Geometry& geometry, const Clock& clock,
                                      const Configuration& configuration);

class FileSystem final : public model::FileSystem,
                         public fast_commit::InodeSource,
                         private JournalObserver,
                         private FileVersions,
                         private LeafStore {
 public:
  FileSystem(const Configuration& configuration, const InitialState& initial,
             const JournalFactory& journal = make_journal);

  // ---- model::FileSystem ----
  [[nodiscard]] bool waits(const Operation& operation) const override;
  [[nodiscard]] std::unique_ptr<model::SyncCall> make_sync_call() override;
  void apply(const Operation& operation, Time now) override;
  [[nodiscard]] Sequence take_wait() override { return std::exchange(wait_, Sequence{0}); }
  [[nodiscard]] bool stopped(const Operation& operation) const override;
  void assume_read(FileId file, Time now) override;
  void end_io(FileId file, Time now) override;
  [[nodiscard]] bool any_dirty() const override { return dirty_count_ != 0; }
  [[nodiscard]] bool flusher_has_work() const override {
    return dirty_count_ != 0 || metadata_dirty_since_ != 0;
  }
  void write_back(Time now, Time before) override;
  [[nodiscard]] std::span<const LogWrite> log_writes() override;
  void end_log_write(std::uint64_t id, Time now) override;
  [[nodiscard]] Sequence durable() const override { return journal_->durable(); }
  [[nodiscard]] std::optional<Time> next_event() const override { return journal_->next_event(); }
  void happen(Time now) override { journal_->happen(now); }
  [[nodiscard]] bool commit_pending() const override { return journal_->commit_pending(); }
  void let_daemon_sleep(Time now, bool sleeps) override { journal_->let_daemon_sleep(now, sleeps); }
  void run_on(std::int16_t cpu) override { blocks_.run_on(cpu); }
  bool commit_rest(Time now) override;
  [[nodiscard]] std::vector<FileId> unnamed_files() const override;
  // Only features of `on_disk` may differ from before.
  void mount_again(const FilesystemSettings& on_disk, const MountSettings& mount) override;
  // Data mode and delayed allocation cannot change; fast commit does not.
  void remount(const MountSettings& mount) override;
  void read(Counters& counters) const override;
  void tell_unsupported(Unsupported& unsupported) const override;
  // Where only sizes of log and fast-commit area, the commit interval, and limits of ranges and
  // snapshots differ.
  [[nodiscard]] bool holds_for(const Configuration& setting, Time now,
                               Counters& counters) const override;
  void add_observer(JournalObserver& observer) override;
  void observe(FileSystemObserver& observer) override;

  // ---- steps of calls that wait, for SyncCall ----
  // Starts writeback of the dirty blocks in [first, end) of a file: allocates, in handles of its
  // own. True when I/O was started or is in flight: end_io() must follow.
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin& origin);
  // Tells the engine of it.
  void note_started_io(FileId file, AwaitedBy awaited) {
    started_io_.push_back({file, bytes_in_flight(file), awaited});
  }
  [[nodiscard]] bool io_in_flight(FileId file) const { return !inodes_[file].in_flight.empty(); }
  // Writes deferred times (lazytime) to the inode; fsync does so before it picks a tid.
  void write_deferred_times(FileId file, Time now, const Origin& origin);
  [[nodiscard]] Tid sync_tid(FileId file, bool datasync) const;
  // Calls that arrive at a shared writable mapping: its blocks in the range are dirty from now on.
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin& origin);
  // Files with dirty pages whose dirtying is older than `before`, ascending by age.
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) const;
  void mark_clean(FileId file);  // the inode was written
  void pages_written(FileId file) { inodes_[file].dirty_pages = false; }
  // An empty handle: opens a transaction if none runs.
  void touch_journal(Time now, const Origin& origin) {
    const Handle handle(*this, now, credits_.one_extent, origin);
  }
  // A regular file whose data goes through the journal while other files' does not (chattr +j).
  [[nodiscard]] bool file_journals_data(FileId file) const {
    return inodes_[file].regular() && unloggable(inodes_[file]);
  }
  [[nodiscard]] bool journals_data() const {
    return configuration_.mount.data == DataMode::journal;
  }
  void count_directory_fsync() { ++directory_fsyncs_; }
  // Whose the fast commit is that is being written, and when that call asked for it first.
  void set_fast_commit_writer(const Origin& origin, Time asked_at) {
    fast_commit_writer_ = origin;
    fast_commit_asked_at_ = asked_at;
  }
  // Observers hear of a call of ext4_fc_commit.
  void tell_fast_commit(const FastCommitRecord& record) {
    for (JournalObserver* observer : observers_) observer->on_fast_commit(record);
  }

  // The file system's observer hears that a fast commit was begun, that a waiting call is over.
  void tell_fast_commit_begun();
  void tell_sync_done(const Operation& operation, Time now) {
    if (changes_ != nullptr) changes_->on_sync_done(operation, now);
  }

  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] fast_commit::FastCommit& fast_commit() { return fast_commit_; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] const KernelRules& rules() const { return configuration_.kernel; }
  [[nodiscard]] const Inode& inode(FileId file) const { return inodes_[file]; }
  // Whose I/O under way began first and will convert blocks at its end; kNoFile: nobody's.
  [[nodiscard]] FileId oldest_in_flight() const {
    for (const FileId file : in_flight_files_)
      if (known(file) && io_in_flight(file)) return file;
    return kNoFile;
  }
  // The file is part of the fast commit that is being written.
  [[nodiscard]] bool committing(FileId file) const;
  [[nodiscard]] bool known(FileId file) const {
    return file < inodes_.size() && inodes_[file].exists;
  }
  // The number of the block that holds a byte of a file.
  [[nodiscard]] std::uint64_t block_of(std::int64_t bytes) const {
    return static_cast<std::uint64_t>(bytes) >> geometry_.block_bits;
  }
  // A remount by mount(2), as the call's flags say: whether it makes the mount read-only, which it
  // was not, and so syncs.
  bool remount_by_call(const Operation& operation);

  // InodeSource
  [[nodiscard]] fast_commit::TrackedInode& tracked(FileId file) override {
    return inodes_[file].tracked;
  }
  [[nodiscard]] std::uint32_t raw_inode_bytes(FileId file) const override;
  fast_commit::RangeWalk walk_ranges(FileId file, fast_commit::RangeRecords& records,
                                     std::size_t most) const override;

 private:
  [[nodiscard]] bool changes_committing_inode(const Operation& operation) const;
  [[nodiscard]] bool begins_handle(const Operation& operation) const;
  // The span of one handle: credits asked at construction, stopped at destruction.
  class Handle {
   public:
    Handle(FileSystem& fs, Time now, std::uint32_t credits, const Origin& origin)
        : fs_(fs), now_(now), origin_(origin) {
      fs_.journal_->begin(now, credits, origin);
    }
    ~Handle() { fs_.stop_handle(now_, origin_, synchronous_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    void synchronous(bool yes) { synchronous_ |= yes; }

   private:
    FileSystem& fs_;
    Time now_;
    Origin origin_;
    bool synchronous_ = false;
  };
  friend class Handle;

  void complete_io(FileId file, Time now);
  [[nodiscard]] std::uint64_t bytes_in_flight(FileId file) const;  // that become written at its end

  // What an operation needs wherever it goes.
  struct Call {
    const Operation& operation;
    Time now;
    Origin origin;
  };

  struct Credits {  // buffers a handle of each kind asks for, default revoke credits not included
    std::uint32_t data = 24;
    std::uint32_t inode = 2;
    std::uint32_t one_extent = 0;  // meta(1)
    std::uint32_t create = 0, tmpfile = 0, link = 0, unlink = 0, rename = 0;
    std::uint32_t xattr = 7, set_size = 3, conversion = 18;
  };

  // inodes.cpp
  void load_initial(const InitialState& initial);
  Inode& slot(FileId file);
  Inode& make_inode(FileId file, FileType type, std::uint32_t number, FileId parent, Time now);
  void bind_table(Inode& inode);
  void read_in(Inode& inode);  // a use of an inode that may have left memory
  void leave_memory(Inode& inode);
  void mark_inode_dirty(Inode& inode, FileId file, const Origin& origin);
  void vfs_mark_dirty(Inode& inode, FileId file, Time now, const Origin& origin);
  void set_dirty_state(Inode& inode, Time now);
  void update_tids(Inode& inode, bool datasync);
  [[nodiscard]] bool unloggable(const Inode& inode) const;
  void orphan_add(Inode& inode, FileId file, const Origin& origin);
  void orphan_remove(Inode& inode, FileId file, const Origin& origin);
  void evict_deleted(FileId file, const Call& call);
  void drop_caches(const Call& call);
  void flush_for_reclaim(const Call& call);
  void appear(const Call& call);
  void learn_size(Inode& inode, std::int64_t size);

  // times.cpp
  [[nodiscard]] Time stamp(const Inode& inode, Time now);
  [[nodiscard]] Time as_stored(Time time) const;
  void change_ctime(Inode& inode, Time now);
  bool update_write_times(Inode& inode, FileId file, Time now, const Origin& origin);
  void touch_atime(FileId file, Time now, const Origin& origin, bool noatime);

  // names.cpp
  void create(const Call& call);
  void make_directory(const Call& call);
  void make_tmpfile(const Call& call);
  void link(const Call& call);
  void unlink(const Call& call);
  void remove_directory(const Call& call);
  void rename(const Call& call);
  void exchange(const Call& call);
  void new_inode(FileId file, FileType type, FileId parent, std::uint64_t name_hash,
                 const Call& call, Handle& handle);
  // The entry stands for `file`.
  void add_entry(FileId directory, std::uint64_t name_hash, std::uint32_t name_length,
                 const Call& call, FileId file);
  void dirty_dotdot(Inode& directory, FileId file, const Call& call);
  void remove_entry(FileId directory, std::uint64_t name_hash, const Call& call);
  void inherit_acl(FileId file, const Inode& parent, const Call& call, Handle& handle);
  // IS_SYNC and IS_DIRSYNC (include/linux/fs.h)
  [[nodiscard]] bool is_synchronous(const Inode& inode) const {
    return configuration_.mount.sync || inode.sync_flag;
  }
  [[nodiscard]] bool is_dirsync(const Inode& inode) const {
    return is_synchronous(inode) || configuration_.mount.dirsync || inode.dirsync_flag;
  }

  // special.cpp
  void make_symlink(const Call& call);
  void make_node(const Call& call);

  // data.cpp
  void open(const Call& call);
  void release(const Call& call);
  void write(const Call& call);
  void write_delayed(Inode& inode, const Call& call);
  void write_allocating(Inode& inode, const Call& call);
  void write_direct(Inode& inode, const Call& call);
  bool write_inline(Inode& inode, const Call& call);
  void leave_inline(Inode& inode, FileId file, const Call& call);
  void strip_privileges(Inode& inode, const Call& call);
  [[nodiscard]] std::int64_t max_inline_bytes() const;

  // writeback.cpp
  void allocate_run(Inode& inode, FileId file, BlockRun run, bool unwritten, const Origin& origin);
  std::uint32_t allocate_piece(Inode& inode, FileId file, std::uint32_t logical,
                               std::uint32_t length, bool unwritten, bool merge, bool preallocate);
  void write_out_run(Inode& inode, FileId file, BlockRun run, Time now, const Origin& origin);
  void flush_asynchronously(FileId file, Time now, const Origin& origin);
  void note_allocation(Inode& inode, std::uint64_t physical, std::uint32_t length);
  void touch_indirect(Inode& inode, std::uint64_t first, std::uint64_t end);

  // no_space.cpp
  [[nodiscard]] std::int64_t claimable_blocks() const;
  bool retry_allocation(const Call& call, std::uint32_t& retries, std::uint32_t most);
  bool retry_allocation(const Call& call, std::uint32_t& retries);
  void commit_for_space(Time now, const Origin& origin);
  [[nodiscard]] std::int64_t blocks_there(const Inode& inode) const;
  void ensure_space(const Inode& inode, std::uint64_t blocks, Time now, const Origin& origin);
  std::uint32_t room_for(const Inode& inode, std::uint32_t length, bool call_fails);
  void fail_without_space(const Call& call);
  void fail_to_make(const Call& call);
  void fail_to_write(const Call& call);

  // truncation.cpp, preallocation.cpp
  void truncate(const Call& call);
  void truncate_blocks(Inode& inode, FileId file, const Call& call);
  void free_blocks(Inode& inode, std::uint64_t first, std::uint64_t end);
  void fallocate(const Call& call);
  void preallocate(Inode& inode, const Call& call, bool keep_size, bool convert_written);
  struct Preallocating {
    std::uint64_t end = 0;  // block
    bool normalize = false;
    bool convert_written = false;
    bool grows = false;
    bool fails = false;  // the call ended with ENOSPC
  };
  std::uint64_t preallocate_piece(Inode& inode, const Call& call, std::uint64_t block,
                                  const Preallocating& wanted);
  void punch(Inode& inode, const Call& call);
  void shift_range(Inode& inode, const Call& call, bool insert);

  // attributes.cpp, xattrs.cpp
  void set_attributes(const Call& call);
  void set_flags(const Call& call);
  void swap_boot(const Call& call);
  void move_extents(const Call& call);
  void move_page_again(const Call& call);
  void set_xattr(const Call& call);
  void remove_xattr(const Call& call);
  void fail_to_set_xattr(Inode& inode, const Call& call);
  void reserve_inode(Inode& inode, FileId file, const Origin& origin);
  bool store_xattr(Inode& inode, FileId file, const ExtendedAttribute& attribute, const Call& call,
                   Handle& handle);
  bool drop_xattr(Inode& inode, FileId file, std::uint64_t name_hash, const Call& call,
                  Handle& handle);
  void note_xattr_change(Inode& inode, FileId file, const Call& call, Handle& handle);
  void set_acl(Inode& inode, FileId file, const Call& call);
  [[nodiscard]] std::uint32_t in_inode_xattr_room(const Inode& inode) const;
  void update_xattr_block(Inode& inode);
  [[nodiscard]] std::shared_ptr<XattrBlock> find_xattr_block(std::uint64_t contents) const;
  void release_xattr_block(XattrBlock& block);

  // filesystem.cpp
  void stop_handle(Time now, const Origin& origin, bool synchronous);
  [[nodiscard]] std::uint32_t metadata_credits(std::uint32_t extents) const;
  void dirty_block(LogItem& block) { journal_->log(block); }
  void dirty_bitmap(std::uint32_t group);        // block bitmap and group descriptor
  void dirty_inode_bitmap(std::uint32_t group);  // inode bitmap and group descriptor
  void stamp_superblock(Time now, const Origin& origin);
  [[nodiscard]] std::uint64_t blocks_for(std::int64_t bytes) const {
    return (static_cast<std::uint64_t>(bytes) + geometry_.block_size - 1) >> geometry_.block_bits;
  }
  void cache_status(Inode& inode, std::uint64_t block);
  void free_at_commit(std::uint64_t physical, std::uint32_t length);
  void reclaim_freed();
  // JournalObserver
  void on_commit(FullCommitRecord& record) override {
    ++causes_[static_cast<std::size_t>(record.cause)];
  }

  // FileVersions
  [[nodiscard]] FileVersion version_of(FileId file) const override;
  [[nodiscard]] Sequence open_sequence() const override { return journal_->running(); }
  [[nodiscard]] Sequence closed_sequence() const override { return journal_->committing(); }
  void apply_kind(const Call& call);

  void await_reservation(Time now);
  // Commits what runs and goes on, as calls do that flush the journal on their way.
  void commit_on_the_way(Time now, const Origin& origin, Cause cause = Cause::administration);

  // LeafStore
  void dirty(LogItem& block) override { dirty_block(block); }
  std::uint64_t allocate_leaf(std::uint64_t near_physical) override;
  void free_leaf(LogItem& block, std::uint64_t physical) override;

  Configuration configuration_;
  Geometry geometry_;
  const Clock clock_;
  Credits credits_;
  std::unique_ptr<Journal> journal_;
  allocation::BlockAllocator blocks_;
  allocation::InodeAllocator inode_numbers_;
  boost::container::stable_vector<Inode> inodes_;  // by FileId; references survive new files
  fast_commit::FastCommit fast_commit_;

  LogItem superblock_;
  LogItem orphan_file_block_;
  std::vector<LogItem> block_bitmaps_, inode_bitmaps_, descriptors_;
  std::vector<std::vector<LogItem>> inode_tables_;  // by group, made at first use
  std::unordered_multimap<std::uint64_t, std::shared_ptr<XattrBlock>> xattr_blocks_;  // by contents
  std::vector<FileId> orphans_;                                                       // newest last
  bool superblock_stamped_ = false;
  Time multigrain_floor_ = 0;
  std::uint64_t next_unplaced_block_;  // physical blocks of files whose place is not known
  std::uint32_t dirty_count_ = 0;
  std::deque<FileId> in_flight_files_;  // oldest I/O first; a file stands once for each run
  Sequence wait_ = 0;                   // what a synchronous handle must wait for
  std::vector<JournalObserver*> observers_;
  FileSystemObserver* changes_ = nullptr;
  std::array<std::uint64_t, kCauses> causes_{};
  std::uint64_t directory_fsyncs_ = 0;
  bool read_only_ = false;         // a remount made the mount so
  Time metadata_dirty_since_ = 0;  // committed blocks that the flusher writes home; 0: none
  Origin fast_commit_writer_;
  Time fast_commit_asked_at_ = 0;
  boost::container::static_vector<LogWrite, 2> log_writes_;
  std::vector<Extent> freed_;
  struct DeferredFree {
    Tid tid = 0;
    std::uint64_t physical = 0;
    std::uint32_t length = 0;
  };
  std::deque<DeferredFree> deferred_frees_;  // ascending by tid
  ModelNotes notes_;
};

}  // namespace fcsim::model::ext4

// What a file system tells an observer of what is where: in memory, in a transaction, on
// the device. Nothing is told, and nothing costs, where there is no observer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/common/commit.h"
#include "model/common/operation.h"
#include "model/journal.h"

namespace fcsim::model {

// One run of a file's blocks on the device.
struct MappedRun {
  std::uint64_t logical = 0;   // block of the file
  std::uint64_t physical = 0;  // block of the device
  std::uint64_t length = 0;    // blocks
  bool unwritten = false;      // reads as zeros
};

// What the inode says, as a commit would write it.
struct FileVersion {
  FileType type = FileType::regular;
  std::uint32_t links = 0;
  std::int64_t size = 0;  // bytes; that of the disk (ext4: i_disksize)
  std::vector<MappedRun> map;
  std::uint64_t tree_blocks = 0;  // blocks of the map itself
};

// Asked by an observer.
class FileVersions {
 public:
  virtual ~FileVersions() = default;
  [[nodiscard]] virtual FileVersion version_of(FileId file) const = 0;
  // The sequence that changes join now, and the one that is being committed; 0: none.
  [[nodiscard]] virtual Sequence open_sequence() const = 0;
  [[nodiscard]] virtual Sequence closed_sequence() const = 0;
  // Whether a change now would be part of a fast commit.
  [[nodiscard]] virtual bool tracks_changes() const = 0;
};

// Calls come in the order of virtual time, within the handle that makes the change.
class FileSystemObserver : public JournalObserver {
 public:
  // Once, before anything else.
  virtual void on_attach(const FileVersions&) {}
  // An operation is about to take effect, or has.
  virtual void on_operation(const Operation&, Time) {}
  virtual void on_operation_done(const Operation&, Time) {}
  // The slot stands for a new file from now on.
  virtual void on_new_file(FileId, const Operation&) {}
  // The inode is part of the open sequence.
  virtual void on_inode(FileId) {}
  // The name in the directory stands for the file; kNoFile: the name is gone.
  virtual void on_name(FileId directory, std::uint64_t name_hash, FileId file) {
    (void)directory, (void)name_hash, (void)file;
  }
  // The blocks were mapped as written, and the open sequence's commit writes their pages first
  // (data=ordered).
  virtual void on_ordered(FileId file, std::uint64_t first, std::uint64_t end) {
    (void)file, (void)first, (void)end;
  }
  // The dirty pages of the blocks go to the device. `in_flight`: they are there at on_io_end().
  virtual void on_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                            bool in_flight) {
    (void)file, (void)first, (void)end, (void)now, (void)in_flight;
  }
  virtual void on_io_end(FileId, Time) {}
  // A fast commit of these inodes, and of all names so far, is being written.
  virtual void on_fast_commit_begun(std::span<const FileId> inodes) { (void)inodes; }
  // Its log is on the device.
  virtual void on_fast_commit_written(const FastCommitRecord&) {}
  // A call that waits for durability is over, and has flushed the device.
  virtual void on_sync_done(const Operation&, Time) {}
};

}  // namespace fcsim::model

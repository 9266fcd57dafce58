// The file system as an engine sees it: whole calls and steps of calls.
//
// An engine of its own has the model behind it (OwnFileSystem). Engines that share one file system
// have something else (replay/lanes/): what their calls do to files was done once for all of them,
// and only journal and fast-commit log are their own.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/common/operation.h"
#include "model/ext4/filesystem.h"

namespace fcsim::engine {

class EngineFileSystem {
 public:
  using FileId = model::FileId;
  using Origin = model::Origin;
  using Tid = model::Tid;
  using Time = model::Time;

  EngineFileSystem() = default;
  EngineFileSystem(const EngineFileSystem&) = delete;
  EngineFileSystem& operator=(const EngineFileSystem&) = delete;
  virtual ~EngineFileSystem() = default;

  // ---- calls and steps (model/filesystem.h says what they do) ----
  virtual void apply(const model::Operation& operation, Time now) = 0;
  virtual void assume_read(FileId file, Time now) = 0;
  virtual bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                               const Origin& origin) = 0;
  virtual void complete_io(FileId file, Time now) = 0;
  // complete_io() if any I/O of the file is in flight.
  virtual void end_io(FileId file, Time now) = 0;
  virtual void write_deferred_times(FileId file, Time now, const Origin& origin) = 0;
  virtual void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length,
                                     Time now, const Origin& origin) = 0;
  [[nodiscard]] virtual std::vector<FileId> dirty_files(Time before) = 0;
  virtual void mark_clean(FileId file) = 0;
  virtual void pages_written(FileId file) = 0;
  virtual void touch_journal(Time now, const Origin& origin) = 0;
  [[nodiscard]] virtual std::optional<Tid> take_wait() = 0;

  // ---- questions ----
  [[nodiscard]] virtual Tid sync_tid(FileId file, bool datasync) = 0;
  [[nodiscard]] virtual bool known(FileId file) const = 0;
  // Of a file that is known.
  [[nodiscard]] virtual const model::ext4::Inode& inode(FileId file) const = 0;
  // Whether the file has blocks that writeback would write.
  [[nodiscard]] virtual bool has_pending(FileId file) const = 0;
  [[nodiscard]] virtual bool io_in_flight(FileId file) const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_in_flight(FileId file) const = 0;
  [[nodiscard]] virtual bool any_dirty() const = 0;
  // False of a file that is not known, too.
  [[nodiscard]] virtual bool file_journals_data(FileId file) const = 0;
  [[nodiscard]] virtual bool journals_data() const = 0;
  [[nodiscard]] virtual bool writes_synchronously(FileId file) const = 0;
  [[nodiscard]] virtual const model::ext4::ModelNotes& notes() const = 0;

  // ---- parts ----
  [[nodiscard]] model::jbd2::Journal& journal() { return *parts_.journal; }
  [[nodiscard]] const model::jbd2::Journal& journal() const { return *parts_.journal; }
  [[nodiscard]] model::fast_commit::FastCommit& fast_commit() { return *parts_.fast_commit; }
  [[nodiscard]] const model::Geometry& geometry() const { return *parts_.geometry; }
  [[nodiscard]] const model::Clock& clock() const { return *parts_.clock; }
  [[nodiscard]] std::vector<FileId>& started_io() { return *parts_.started_io; }
  [[nodiscard]] std::vector<model::FullCommitRecord>& forced_commits() {
    return *parts_.forced_commits;
  }
  // What mounts are made of; nullptr where a file system cannot be mounted again.
  [[nodiscard]] virtual model::ext4::FileSystem* whole() { return nullptr; }

  // ---- for file systems that are shared ----
  // Whether the next end of I/O can take place now.
  [[nodiscard]] virtual bool ready() const { return true; }
  // Whether no call waits longer for a commit than the trace shows.
  [[nodiscard]] virtual bool keeps_to_trace() const { return false; }
  // Called before an operation begins at `now`, before a fast commit ends, before the flusher runs.
  virtual void before_operation(Time) {}
  virtual void before_fast_commit_ends(Time) {}
  virtual void before_flusher(Time) {}

 protected:
  struct Parts {
    model::jbd2::Journal* journal = nullptr;
    model::fast_commit::FastCommit* fast_commit = nullptr;
    const model::Geometry* geometry = nullptr;
    const model::Clock* clock = nullptr;
    std::vector<FileId>* started_io = nullptr;
    std::vector<model::FullCommitRecord>* forced_commits = nullptr;
  };
  // Once, by the constructor of what is derived from this.
  void set_parts(const Parts& parts) {
    assert(parts_.journal == nullptr && parts.journal != nullptr);
    parts_ = parts;
  }

 private:
  Parts parts_;
};

// The model as it is, for one engine.
class OwnFileSystem : public EngineFileSystem {
 public:
  OwnFileSystem(const model::Configuration& configuration, const model::InitialState& initial)
      : fs_(configuration, initial) {
    set_parts({&fs_.journal(), &fs_.fast_commit(), &fs_.geometry(), &fs_.clock(), &fs_.started_io(),
               &fs_.forced_commits});
  }

  void apply(const model::Operation& operation, Time now) override { fs_.apply(operation, now); }
  void assume_read(FileId file, Time now) override { fs_.assume_read(file, now); }
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin& origin) override {
    return fs_.start_writeback(file, first, end, now, origin);
  }
  void complete_io(FileId file, Time now) override { fs_.complete_io(file, now); }
  void end_io(FileId file, Time now) override {
    if (fs_.known(file) && fs_.io_in_flight(file)) fs_.complete_io(file, now);
  }
  void write_deferred_times(FileId file, Time now, const Origin& origin) override {
    fs_.write_deferred_times(file, now, origin);
  }
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin& origin) override {
    fs_.store_through_mapping(file, offset, length, now, origin);
  }
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) override {
    return fs_.dirty_files(before);
  }
  void mark_clean(FileId file) override { fs_.mark_clean(file); }
  void pages_written(FileId file) override { fs_.pages_written(file); }
  void touch_journal(Time now, const Origin& origin) override { fs_.touch_journal(now, origin); }
  [[nodiscard]] std::optional<Tid> take_wait() override { return fs_.take_wait(); }

  [[nodiscard]] Tid sync_tid(FileId file, bool datasync) override {
    return fs_.sync_tid(file, datasync);
  }
  [[nodiscard]] bool known(FileId file) const override { return fs_.known(file); }
  [[nodiscard]] const model::ext4::Inode& inode(FileId file) const override {
    return fs_.inode(file);
  }
  [[nodiscard]] bool has_pending(FileId file) const override {
    return fs_.known(file) && !fs_.inode(file).pending.empty();
  }
  [[nodiscard]] bool io_in_flight(FileId file) const override { return fs_.io_in_flight(file); }
  [[nodiscard]] std::uint64_t bytes_in_flight(FileId file) const override {
    return fs_.bytes_in_flight(file);
  }
  [[nodiscard]] bool any_dirty() const override { return fs_.any_dirty(); }
  [[nodiscard]] bool file_journals_data(FileId file) const override {
    return fs_.known(file) && fs_.file_journals_data(file);
  }
  [[nodiscard]] bool journals_data() const override { return fs_.journals_data(); }
  [[nodiscard]] bool writes_synchronously(FileId file) const override {
    return fs_.writes_synchronously(file);
  }
  [[nodiscard]] const model::ext4::ModelNotes& notes() const override { return fs_.notes(); }
  [[nodiscard]] model::ext4::FileSystem* whole() override { return &fs_; }

 protected:
  model::ext4::FileSystem fs_;
};

}  // namespace fcsim::engine

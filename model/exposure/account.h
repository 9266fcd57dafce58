// The account of what is where: the page cache, the transactions, the device. It answers what is
// there after a power cut and the replay of the log.
//
// A file system tells it everything (model/file_system_observer.h). The image is what the replay
// makes: the inodes and names of every commit that is durable, fast or full. A block that the
// image maps as written holds what the device holds; all else reads as zeros.
//
// Facts: the four gates of a write (page written, blocks and size journalled, commit complete,
// cache flushed), and what the replay of a fast commit does: experiments on 6.18.44 (block log of
// the device, replay of each state).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/common/block_set.h"
#include "model/common/configuration.h"
#include "model/exposure/ages.h"
#include "model/exposure/content.h"
#include "model/exposure/device.h"
#include "model/file_system_observer.h"

namespace fcsim::model::exposure {

// A file, told from all others that had its slot. 0: none.
using Serial = std::uint64_t;
inline constexpr std::uint64_t kEndOfBlocks = std::uint64_t{1} << 40U;

struct FileImage {
  FileVersion version;
  std::uint32_t mode_before = 0;  // permission bits, where `mode_from` is kBefore
  Writer mode_from = kBefore;     // the call that set the mode
};

struct Image {
  using Name = std::pair<Serial, std::uint64_t>;  // directory, hash
  std::map<Serial, std::shared_ptr<const FileImage>> files;
  std::map<Name, Serial> names;
};

// One path that is there after the replay.
struct Survivor {
  std::vector<std::uint64_t> path;  // hashes of its names from the root; empty: the root
  std::shared_ptr<const FileImage> file;
  std::vector<Piece> content;  // of a regular file, from 0 to its size, zeros included
  bool content_known = true;   // false: stores through a mapping are not in a trace
};
using Survivors = std::vector<Survivor>;

inline Writer writer_of(const Operation& operation) {
  return operation.line | (std::uint64_t{operation.source} << 48U);
}

// What broke a promise.
enum class Breach : std::uint8_t {
  no_barrier,           // barrier=0: nothing flushes the device
  link_without_create,  // O_TMPFILE and linkat: the log holds no CREAT record, replay skips the
                        // LINK
  slept_through,        // the call slept through another's fast commit, which lacks its inode
  unlinked_inode,       // the log holds an inode without links: the kernel refuses the mount
  tracking_off,         // an older mark had switched tracking off: the log lacks the file
  directory_attributes,  // a changed mode or time of a directory is not in the fast commit
  commit_by_unlink,      // SQLite, journal_mode=DELETE: the unlink ends the transaction, and no
                         // call syncs it
};

// A call that promised durability and, when it returned, had not kept it.
struct BrokenPromise {
  Operation call;
  Serial file = 0;
  Time kept_at = 0;  // 0: not until the end
  std::uint64_t writes = 0;
  bool name_missing = false;
  Breach breach = Breach::slept_through;
  bool settled = false;
  std::pair<Serial, std::uint64_t> name;  // commit_by_unlink: the one that is removed
};

// A call that keeps its promise in this replay, and need not in another: threads decide.
struct PossibleBreach {
  Operation call;
  Operation other;  // whose commit it would have slept through, or whose commit is going on
  Breach breach = Breach::slept_through;
};

enum class HalfKind : std::uint8_t {
  empty,      // the file is there and has no bytes, although calls wrote some
  zeros,      // zeros where a call wrote
  old_file,   // the name stands for what a rename or a new file had replaced
  name_back,  // the name was removed and comes back
};
inline constexpr std::size_t kHalfKinds = 4;

// A state of a file that no program saw, and that a cut would leave.
struct HalfState {
  HalfKind kind = HalfKind::empty;
  Time from = 0, to = 0;  // 0: until the end
  Writer call = kZeros;   // the write or the change of the name that a cut would tear
};
struct HalfStates {
  std::uint64_t seen[kHalfKinds] = {0, 0, 0, 0};     // all
  std::uint64_t at_once[kHalfKinds] = {0, 0, 0, 0};  // the most that one cut would leave
  std::vector<HalfState> list;                       // the first kListed, by `from`
  static constexpr std::size_t kListed = 1000;
};

struct AccountOptions {
  std::vector<Time> cuts;  // ascending
  bool risks = false;      // keep the account of what is at risk
  // The unlinks that a program takes for the end of a transaction; filled before they are replayed.
  const std::set<Writer>* commits_by_unlink = nullptr;
};

class Account final : public FileSystemObserver {
 public:
  Account(const Configuration& configuration, const InitialState& initial, AccountOptions options);

  // The ages are those up to `end`, whatever comes later.
  void close_ages(Time end);

  // ---- answers, after finish() ----
  // Nothing happens any more; cuts up to here are answered.
  void finish(Time end);
  // One for each cut, in their order.
  [[nodiscard]] const std::vector<Survivors>& survivors(Kept kept) const {
    return survivors_[static_cast<std::size_t>(kept)];
  }
  [[nodiscard]] const Ages& ages(Kept kept) const { return ages_[static_cast<std::size_t>(kept)]; }
  // The calls that an answer may still name.
  [[nodiscard]] std::set<Writer> named_calls() const;

  // By the time of the call's return.
  [[nodiscard]] std::vector<BrokenPromise> broken() const;
  [[nodiscard]] const std::vector<PossibleBreach>& possible() const { return possible_; }
  [[nodiscard]] const HalfStates& half_states() const { return half_; }
  // When the log held an inode without links, from .. to: the kernel refuses to mount.
  [[nodiscard]] const std::vector<std::pair<Time, Time>>& unmountable() const {
    return unmountable_;
  }

  // ---- FileSystemObserver ----
  void on_attach(const FileVersions& versions) override { versions_ = &versions; }
  void on_operation(const Operation& operation, Time now) override;
  void on_operation_done(const Operation& operation, Time now) override;
  void on_new_file(FileId file, const Operation& operation) override;
  void on_inode(FileId file) override;
  void on_name(FileId directory, std::uint64_t name_hash, FileId file) override;
  void on_ordered(FileId file, std::uint64_t first, std::uint64_t end) override;
  void on_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                    bool in_flight) override;
  void on_io_end(FileId file, Time now) override;
  void on_closed() override;
  void on_commit(FullCommitRecord& record) override;
  void on_fast_commit_begun(std::span<const FileId> inodes) override;
  void on_fast_commit_written(const FastCommitRecord& record) override;
  void on_sync_done(const Operation& operation, Time now) override;

 private:
  struct BlockWrite {
    std::uint64_t physical = 0;
    Block content;
  };
  struct Write {  // an acknowledged one
    Piece bytes;
    Time at = 0;
  };
  struct Live {
    FileId file = kNoFile;
    Content cache;
    BlockSet dirty;  // blocks whose page is newer than the device
    std::vector<BlockWrite> in_flight;
    std::uint32_t mode_before = 0;
    Writer mode_from = kBefore;
    std::vector<Write> at_risk[2];  // by Kept, oldest first
    bool born_nameless = false;     // O_TMPFILE
    bool mapped = false;            // stores through a mapping, which no trace shows, are possible
    bool untracked = false;         // a change of it is missing from the fast-commit queues
    Time changed_from = 0, changed_to = 0;  // the last call that changed it or its name
    std::int64_t risk_end = 0;  // where the bytes at risk end
    std::map<HalfKind, std::size_t> half;   // its half-states that last; kUnlisted: not listed
    bool on_device = false;         // blocks of it are in the device's cache
  };
  struct NameChange {
    Image::Name name;
    Serial file = 0;
    bool creates = false;
    bool tracked = true;  // part of the next fast commit
  };
  struct RecentCall {
    Operation call;
    bool directory = false;
    Time changed_from = 0, changed_to = 0;
  };
  struct NameAtRisk {
    Writer call = kZeros;
    std::optional<std::pair<HalfKind, std::size_t>> half;
  };
  struct Range {
    Serial file = 0;
    std::uint64_t first = 0, end = 0;
  };
  using Versions = std::vector<std::pair<Serial, std::shared_ptr<const FileImage>>>;
  // A transaction, open or being committed, as far as it is not in the image.
  struct Changes {
    std::set<Serial> inodes;
    std::vector<NameChange> names;
    std::size_t names_logged = 0;  // in fast commits that were begun
    std::vector<Range> ordered, journalled;
    Versions versions;               // once closed
    std::vector<BlockWrite> blocks;  // data=journal, once closed
    std::set<Serial> gone;
  };

  void load(const InitialState& initial);
  void change_content(Live& live, Serial serial, const Operation& operation, Time now);
  [[nodiscard]] Serial serial_of(FileId file) const {
    return file < serials_.size() ? serials_[file] : 0;
  }
  Live* live_of(FileId file);
  Serial make_live(FileId file);
  [[nodiscard]] std::shared_ptr<const FileImage> image_of(const Live& live) const;
  std::vector<BlockWrite> take_dirty(Live& live, std::uint64_t first, std::uint64_t end);
  void submit(const std::vector<Range>& ranges, const std::set<Serial>* only);
  void apply(const Versions& versions, const std::vector<NameChange>& names);
  void pass(Time now);  // cuts before `now` are answered
  void flush();
  [[nodiscard]] Survivors survivors_now(Kept kept) const;
  void add_survivors(Serial directory, std::vector<std::uint64_t>& path, const Image& image,
                     Kept kept, Survivors& out) const;
  // The bytes from `from` to `to`, as far as the file goes, zeros included.
  [[nodiscard]] std::vector<Piece> content_of(const FileVersion& version, Kept kept,
                                              std::int64_t from, std::int64_t to) const;
  // account_promises.cpp
  void promise(const Operation& operation, Time now);
  void note_unlink(const Operation& operation);
  void note_possible(const Operation& operation);
  void mend_sleeper(Serial serial);
  void settle_promises(Time now);
  void settle_half(Live& live, Serial serial, Time now, bool appended);
  void settle_half(const Image::Name& name, NameAtRisk& risk, Time now);
  std::size_t begin_half(HalfKind kind, Writer call, Time now);
  void end_half(HalfKind kind, std::size_t index, Time now);
  void directories_left_out(const FastCommitRecord& record);
  // account_risks.cpp
  void add_risk(Live& live, const Piece& bytes, Time at);
  void drop_risk(Live& live, Kept kept, const Write& write);
  void settle(Time now);  // what changed is looked at again
  void settle(Live& live, Serial serial, Kept kept);
  void settle_names(Time now);
  void note(Time now);
  [[nodiscard]] bool keeps(Serial serial, const Piece& bytes, const FileVersion& version,
                           Kept kept) const;
  [[nodiscard]] bool reachable(Serial serial) const;

  static constexpr std::size_t kUnlisted = ~std::size_t{0};

  MountSettings mount_;
  DurabilityRules rules_;
  std::int64_t block_size_;
  AccountOptions options_;
  const FileVersions* versions_ = nullptr;

  std::vector<Serial> serials_;  // by FileId
  Serial last_serial_ = 0;
  std::map<Serial, Live> live_;
  std::map<Image::Name, Serial> names_;  // as programs see them
  const Operation* operation_ = nullptr;
  Changes open_, closed_;
  Versions fast_versions_;
  std::vector<NameChange> fast_names_;
  std::set<Serial> fast_created_;
  Image image_, image_before_;
  Device device_, device_before_;
  bool nothing_flushes_;  // barrier=0

  std::set<Serial> changed_;             // since settle()
  std::set<Serial> appended_;            // nothing but bytes after all others
  std::map<Image::Name, NameAtRisk> names_at_risk_;  // changed and not in the image
  std::multiset<std::pair<Time, Writer>> ages_at_risk_[2];
  std::uint64_t files_at_risk_[2] = {0, 0};
  std::int64_t bytes_at_risk_[2] = {0, 0};
  std::vector<BrokenPromise> broken_;
  std::size_t first_unsettled_ = 0;
  bool fast_unlinked_ = false;
  bool any_fast_commit_ = false;
  std::set<Serial> directories_changed_;  // in their attributes, by the open transaction
  std::deque<RecentCall> recent_;         // synchronous calls, by their return
  std::vector<PossibleBreach> possible_;
  HalfStates half_;
  std::uint64_t half_now_[kHalfKinds] = {0, 0, 0, 0};
  std::vector<std::pair<Time, Time>> unmountable_;

  std::size_t next_cut_ = 0;
  std::vector<Survivors> survivors_[2];
  AgeAccount age_accounts_[2];
  Ages ages_[2];
  bool ages_closed_ = false;
};

}  // namespace fcsim::model::exposure

// The resolver's inner part: one handler for each group of system calls, over the name space, the
// processes and their descriptors. See traces/resolver.h for what it promises.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/common/operation.h"
#include "traces/event.h"
#include "traces/resolve/descriptors.h"
#include "traces/resolve/name_space.h"
#include "traces/resolve/path_walk.h"
#include "traces/resolve/processes.h"
#include "traces/resolve/resolver.h"

namespace fcsim::traces::resolve {

// The fixed sentences of what a trace could not show.
namespace unseen {
inline constexpr const char* io_uring = "io_uring calls";
inline constexpr const char* opaque_calls =
    "calls that strace did not know (syscall_0x...), which may change a file: use a newer strace";
inline constexpr const char* hidden_submissions =
    "io_submit calls whose requests strace cut (-s 0)";
inline constexpr const char* hidden_names = "extended attributes whose names strace cut (-s)";
inline constexpr const char* io_submit = "io_submit calls, taken as done in full";
inline constexpr const char* shared_stores = "stores through shared mappings";
inline constexpr const char* early_descriptors = "descriptors opened before the trace";
inline constexpr const char* unexplained_descriptors = "descriptors of unknown origin";
inline constexpr const char* unknown_syncs =
    "sync calls on descriptors of unknown origin (record with -y, or name them with --fd N=PATH)";
inline constexpr const char* unknown_directory = "relative paths without a known working directory";
inline constexpr const char* blind_links = "symbolic links whose target the trace does not show";
inline constexpr const char* endless_links = "paths through more than 40 symbolic links";
inline constexpr const char* unreturned = "calls that did not return";
inline constexpr const char* outside_changes = "names changed by someone outside the trace";
inline constexpr const char* unexplained_names =
    "names that neither the manifest nor the trace explains";
inline constexpr const char* read_beyond = "files taken as new that held data";
inline constexpr const char* unfollowed_children = "child processes that were not traced";
inline constexpr const char* unknown_positions = "writes at an unknown file position";
inline constexpr const char* lost_events = "events that the recorder lost";
inline constexpr const char* stores_to_removed = "stores through mappings of files without a name";
}  // namespace unseen

// The type that the S_IFMT bits of a mode stand for; regular where there are none.
model::FileType file_type(std::uint64_t mode);

// Events without a pid after which a child that has shown none is taken as not traced.
inline constexpr std::uint32_t kEventsUntilChildShows = 256;

class Engine final : private WalkListener {
 public:
  Engine(ResolverOptions options, const model::InitialState& initial);

  void resolve(const Event& event, std::vector<model::Operation>& out);
  void finish(std::vector<model::Operation>& out);

  [[nodiscard]] bool idle() const { return processes_.size() == 0; }
  void end_processes(std::vector<model::Operation>& out);
  void set_mount_point(const std::string& mount_point);

  [[nodiscard]] const std::string& mount_point() const { return walk_.mount_point(); }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& unsupported() const { return unseen_; }
  [[nodiscard]] const Sightings& sightings() const { return sightings_; }
  [[nodiscard]] std::vector<std::string> assumed() const;
  [[nodiscard]] std::string path_of(model::FileId file) const;
  // Absolute path behind a descriptor of a process as the tables have it; "" where not known.
  [[nodiscard]] std::string path_of_descriptor(std::int32_t pid, std::int32_t fd);
  // The file at an absolute path, kNoFile where none is known there.
  [[nodiscard]] model::FileId file_at(std::string_view absolute_path);
  [[nodiscard]] model::FileId file_of_descriptor(std::int32_t pid, std::int32_t fd);

 private:
  using OperationKind = model::OperationKind;
  using FileId = model::FileId;

  // ---- emission (engine.cpp) ----
  model::Operation& emit(OperationKind kind, FileId file);
  model::Operation& emit_named(OperationKind kind, FileId file, FileId parent,
                               std::string_view name, std::uint64_t hash);
  void count(const char* what) { ++unseen_[what]; }
  void count_unexplained(FileId parent, std::uint64_t name_hash);
  void explain_as_foreign(const Walked& walked, std::string_view path, std::string_view shown);
  void dispatch(const Event& event);
  void note_observed(std::size_t first);  // of the operations that this call became
  void count_unreturned(const Event& event);

  // ---- lives of files (files.cpp) ----
  void declare(const model::InitialState& initial);
  void followed(FileId link) override;
  FileId discovered(FileId parent, std::string_view name, std::uint64_t hash) override;
  FileId appear(const Walked& walked, model::FileType type);
  FileId appear_without_name(model::FileType type);
  // The file that a successful call found at `walked`; it appears where it was not known. kNoFile
  // if it cannot be there: all names of its directory are known, so the path led elsewhere.
  FileId existing(Walked& walked, model::FileType guess);
  void learn_size(FileId file, std::int64_t size, bool exact);
  void learn_type(FileId file, model::FileType type);
  void learn_stat(FileId file, std::uint64_t mode, std::int64_t size);
  void hold(FileId file) { ++names_.file(file).references; }
  void let_go(FileId file);
  void evict_if_gone(FileId file);
  // The name exists although a call just made it anew: someone else removed it.
  void drop_stale(Walked& walked);
  FileId make(OperationKind kind, Walked& walked, model::FileType type);
  void fail_to_make(OperationKind kind, const Walked& walked, model::FileType type);

  // ---- places and paths (places.cpp) ----
  Place start_place(std::int32_t fd, std::string_view fd_path);
  const Place& working_place();
  void correct_working_place(std::string_view shown);
  Place place_of_text(std::string_view absolute_path);
  void set_place(Place& place, const Place& to);
  // Walks the first or second path of the event under way. An empty path is the descriptor itself.
  void walk_path(std::int32_t fd, std::string_view fd_path, std::string_view path, bool follow_last,
                 Walked& walked);
  Walked& walk_first(const Event& event, bool follow_last);
  bool names_file(const Walked& walked);
  bool walk_shown(std::string_view absolute_path, bool follow_last, bool certain, Walked& walked);
  void learn_alias(std::string ours, std::string shown);
  void learn_places();
  FileId cover(FileId parent, std::string_view name, std::uint64_t hash);
  void settle_by_shown_path(std::string_view shown, Walked& walked);

  // ---- descriptors (descriptors.cpp) ----
  // The description behind a descriptor of the task under way; one that no call explains is made
  // up from its -y path.
  DescriptionId description_of(std::int32_t fd, std::string_view fd_path) {
    const DescriptionId id = process_->table->find(fd);
    return id != kNoDescription ? id : repair_descriptor(fd, fd_path);
  }
  FileId file_of(std::int32_t fd, std::string_view fd_path) {
    const DescriptionId id = description_of(fd, fd_path);
    return id == kNoDescription ? model::kNoFile : descriptions_.at(id).file;
  }
  DescriptionId repair_descriptor(std::int32_t fd, std::string_view fd_path);
  DescriptionId make_description(FileId file, std::uint64_t open_flags, std::string_view outside);
  void set_status_flags(OpenDescription& description, std::uint64_t open_flags);
  void install(std::int64_t fd, DescriptionId description, bool close_on_exec);
  void put(DescriptorTable& table, std::int32_t fd, Descriptor descriptor);
  void install_pending(const Event& event);
  void install_pending_of(std::int32_t pid);
  void close_descriptor(DescriptorTable& table, std::int32_t fd);
  void drop_description(DescriptionId id);
  void open_call(const Event& event);
  void walk_to_nothing(const Event& event, bool follow_last);
  void fail_to_open(const Event& event, std::uint64_t flags);
  void open_outside(const Event& event, std::uint64_t flags, std::string_view path);
  void open_temporary(const Event& event, std::uint64_t flags);
  void close_range_call(const Event& event);
  void duplicate(const Event& event, std::int64_t to, bool close_on_exec);
  void fcntl_call(const Event& event);
  void new_outside_descriptors(const Event& event);

  // ---- data (data.cpp) ----
  void read_call(const Event& event, bool at_position);
  void fail_to_write(const Event& event);
  void write_call(const Event& event, bool at_position);
  void write_to(DescriptionId id, std::int64_t offset, std::int64_t length, std::uint64_t rwf,
                const Event& event);
  void write_shown(const Event& event);
  void read_from(DescriptionId id, std::int64_t offset, std::int64_t length);
  void outside_write(const OpenDescription& description, const Event& event);
  void lseek_call(const Event& event);
  void transfer_call(const Event& event);
  void share_call(const Event& event);
  static std::int64_t number_in(std::string_view text, std::string_view key);
  void truncate_call(const Event& event);
  void fallocate_call(const Event& event);
  void sync_call(const Event& event);
  void getdents_call(const Event& event);

  // ---- mappings (memory.cpp) ----
  void mmap_call(const Event& event);
  void munmap_call(std::int64_t address, std::int64_t length);
  void mremap_call(const Event& event);
  void msync_call(const Event& event);
  void drop_mappings(Mappings& mappings);

  // ---- what the kernel told (facts.cpp) ----
  void fact(const Event& event);
  void dirtied(const Event& event);
  FileId file_shown(std::string_view fd_path);

  // ---- names (names.cpp) ----
  void make_call(const Event& event, OperationKind kind, model::FileType type);
  void symlink_call(const Event& event);
  void mknod_call(const Event& event);
  void bind_call(const Event& event);
  void connect_call(const Event& event);
  void remove_call(const Event& event, bool directory);
  void link_call(const Event& event);
  void rename_call(const Event& event);
  void exchange();
  void readlink_call(const Event& event);
  void failed_name_call(const Event& event);
  void access_call(const Event& event, bool follow);
  void mount_call(const Event& event);
  bool learn_bind_mount(const Event& event);
  void umount_call(const Event& event);

  // ---- attributes (attributes.cpp) ----
  FileId attribute_target(const Event& event, bool follow);
  void attribute_call(const Event& event, model::AttributeChange change, bool follow);
  void times_call(const Event& event);
  void stat_call(const Event& event, bool follow);
  void xattr_call(const Event& event, bool set, bool follow);
  void file_setattr_call(const Event& event);
  void ioctl_call(const Event& event);

  // ---- processes (tasks.cpp) ----
  Process& task_of(std::int32_t pid);
  Process& new_task(std::int32_t pid);
  void fork_call(const Event& event);
  std::shared_ptr<DescriptorTable> copy_of(DescriptorTable& table);
  std::shared_ptr<Directories> copy_of(const Directories& directories);
  std::shared_ptr<Mappings> copy_of(const Mappings& mappings);
  void copy_table(Process& process);
  void close_table(DescriptorTable& table);
  void watch_for_children(const Event& event);
  void unshare_call(const Event& event);
  void exec_call(const Event& event);
  void become_single(Process& process);
  void replaced(const Event& event);
  void exit_group_call();
  void end_task(std::int32_t pid);
  void rename_task(std::int32_t from, std::int32_t to);
  void change_directory(const Event& event, bool root);
  void getcwd_call(const Event& event);

  struct Pending {
    model::Time when = 0;
    std::int32_t pid = 0;
    DescriptorTable* table = nullptr;
    std::int32_t fd = 0;
    Descriptor descriptor;
  };

  ResolverOptions options_;
  Sightings sightings_;
  NameSpace names_;
  Descriptions descriptions_;
  Processes processes_;
  PathWalk walk_;
  bool mount_point_guessed_ = false;
  bool manifest_known_ = false;
  bool paths_certain_ = false;  // the path under way was shown by -y: it exists
  bool looking_ = false;        // walk without effects
  bool assumed_directory_ = false;
  bool assumed_new_files_ = false;
  bool assumed_old_files_ = false;
  bool assumed_positions_ = false;
  bool assumed_descriptors_ = false;
  std::vector<std::string> inferred_mounts_;  // directories that the manifest leaves out
  std::map<std::string, FileId> covered_;     // mount points below ours, by absolute path
  std::vector<Pending> pending_;
  std::vector<std::int32_t> unconfirmed_children_;
  std::uint32_t events_since_fork_ = 0;
  bool pids_shown_ = false;         // some event had a pid
  bool children_untraced_ = false;  // none had, long after a fork
  std::map<std::string, std::uint64_t> unseen_;
  // Names that cannot be there, by directory and hash: how often each was counted.
  struct Unexplained {
    std::uint64_t times = 0;
    bool foreign = false;  // a recorder's shortened path to another file system
  };
  using NameKey = std::pair<FileId, std::uint64_t>;
  std::map<NameKey, Unexplained> unexplained_;
  NameKey last_unexplained_{model::kNoFile, 0};  // of the call under way

  // The call under way.
  struct Origin {
    std::int32_t pid = 0;
    std::int16_t cpu = -1;
    std::uint16_t source = 0;
    std::uint64_t line = 0;
    model::Time start = 0;
    model::Time end = 0;
    std::uint32_t transaction = 0;
  };
  Origin origin_;
  Process* process_ = nullptr;
  std::vector<model::Operation>* out_ = nullptr;
  model::Time last_time_ = 0;
  Walked first_;
  Walked second_;
  Walked shown_;
  std::string scratch_;
};

}  // namespace fcsim::traces::resolve

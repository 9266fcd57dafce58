// From system calls to file-system operations: descriptors, processes, working directories and
// paths are followed, so that what remains names files alone.
//
// Rules where a trace leaves something open:
// - Descriptor effects (open, dup, ...) of one thread become visible to the threads that share its
//   table when the call returns, and to itself at once; close frees the number at entry.
// - With a manifest, names that it does not list do not exist: O_CREAT of one is a creation.
//   Without one, O_CREAT of a name never seen before is taken as a creation too; if such a file
//   then yields more data than was written to it, that is counted. Names that other calls show to
//   exist `appear`, once, before their first use.
// - The size of a file that appeared is what stat or lseek(SEEK_END) shows, else the end of the
//   largest read; a better value known later is told by a second `appear` with flag `again`.
// - A descriptor that no call explains is made known by its -y path: open for reading and writing,
//   the first write without an offset at the end of the file, the first read at its start. Its
//   `open` is told at its first use.
// - fork copies mappings, but only the mapping of the process that made it is told by map_shared
//   and unmap; copies keep the file alive.
// - O_PATH descriptors have neither `open` nor `release`.
// - Without a mount point all is one file system mounted on "/", but /proc, /sys, /dev and /run.
//   Bind mounts cannot be seen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/common/operation.h"
#include "traces/event.h"

namespace fcsim::traces::resolve {

class Engine;

struct ResolverOptions {
  std::string mount_point = {};  // absolute; "" = not known
  // Absolute paths below the mount point at which other file systems are mounted.
  std::vector<std::string> other_mounts = {};
  // Other absolute paths of directories of the file system, relative to its root ("." = the root):
  // bind mounts, and the mount point by another name.
  std::vector<std::pair<std::string, std::string>> also_at = {};
  // Absolute paths of descriptors that no call explains, in whatever process.
  std::map<std::int32_t, std::string> descriptors = {};
  // Descriptors above 2 that nothing explains are files of the file system.
  bool unknown_are_files = false;
};

// What of a trace concerned the file system, and what might have.
struct Sightings {
  bool touched = false;               // some call named or used a file of it
  std::uint64_t changes_of_data = 0;  // writes, truncations, fallocate, mappings for writing
  std::uint64_t opened_for_writing = 0;
  std::uint64_t syncs = 0;            // of its files, and of everything
  std::uint64_t syncs_unknown = 0;    // succeeded on descriptors that nothing explains
  std::uint64_t syncs_elsewhere = 0;  // of other file systems
};

class Resolver {
 public:
  // The files of `initial` are taken as declared, under the numbers they have there.
  Resolver(ResolverOptions options, const model::InitialState& initial);
  ~Resolver();
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Appends the operations of one event, none or several. Events come in order of start_ns.
  void resolve(const Event& event, std::vector<model::Operation>& out);
  // Appends `end_of_trace` at the last time seen. What processes still alive hold stays held.
  void finish(std::vector<model::Operation>& out);

  // ---- several runs, one after the other ----
  // No process of those seen lives: the run of a command is over.
  [[nodiscard]] bool idle() const;
  // Ends every process at the last time seen; files and names stay.
  void end_processes(std::vector<model::Operation>& out);
  // From now on the file system is mounted there; no process may live.
  void set_mount_point(const std::string& mount_point);

  [[nodiscard]] const std::string& mount_point() const;
  [[nodiscard]] const Sightings& sightings() const;
  // What the trace could not show: a fixed sentence and how often.
  [[nodiscard]] std::map<std::string, std::uint64_t> unsupported() const;
  [[nodiscard]] std::vector<std::string> assumed() const;
  // Path of a file relative to the mount point ("." for its root), "" for one without a name.
  [[nodiscard]] std::string path_of(model::FileId file) const;
  // Absolute path of a descriptor as the tables have it now, "" where not known.
  [[nodiscard]] std::string path_of_descriptor(std::int32_t pid, std::int32_t fd) const;
  // The file of a descriptor, and the file at an absolute path; kNoFile where none is known.
  [[nodiscard]] model::FileId file_of_descriptor(std::int32_t pid, std::int32_t fd) const;
  [[nodiscard]] model::FileId file_at(std::string_view absolute_path) const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace fcsim::traces::resolve

// Resolution of paths, component by component, as the kernel does it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/resolve/name_space.h"
#include "traces/resolve/processes.h"

namespace fcsim::traces::resolve {

// What a path led to.
struct Walked {
  enum class Kind : std::uint8_t {
    unknown,  // the trace does not show enough (working directory, target of a symbolic link)
    outside,  // not on the traced file system
    present,  // `file`
    absent,   // nothing known at parent/name
  };
  Kind kind = Kind::unknown;
  model::FileId file = model::kNoFile;
  model::FileId parent = model::kNoFile;       // kNoFile: reached by ".", "..", "/" or a descriptor
  std::string name;                            // last component, where parent is known
  std::uint64_t hash = 0;                      // of `name`
  std::string outside;                         // absolute path, where kind is outside
  bool endless = false;                        // kind unknown: more than 40 symbolic links
  DescriptionId description = kNoDescription;  // reached through /proc/self/fd/N
  model::FileId blind_link = model::kNoFile;   // kind unknown: the link whose target is missing
  std::string after_link;                      // ... and what of the path stood after it
};

// What a walk needs from its surroundings.
class WalkListener {
 public:
  virtual ~WalkListener() = default;
  // The walk passed through this symbolic link.
  virtual void followed(model::FileId link) = 0;
  // `name` in `parent` must be a directory that the trace had not shown. Returns its slot, or
  // kNoFile where that cannot be.
  virtual model::FileId discovered(model::FileId parent, std::string_view name,
                                   std::uint64_t hash) = 0;
};

class PathWalk {
 public:
  PathWalk(NameSpace& names, Processes& processes, const Descriptions& descriptions,
           WalkListener& listener)
      : names_(names), processes_(processes), descriptions_(descriptions), listener_(listener) {}

  // `mount_point`: absolute, no trailing slash (but "/"). Of a root file system /proc, /sys, /dev
  // and /run are others.
  void set_mount_point(std::string mount_point);
  // Another file system is mounted at this absolute path.
  void learn_other_mount(const std::string& path);
  [[nodiscard]] const std::string& mount_point() const noexcept { return mount_point_; }

  // Walks `path` for `process` from `start` (from its root where the path is absolute). `walked`
  // is overwritten. `path` and `start` must not lie in `walked`.
  void walk(const Process& process, const Place& start, std::string_view path, bool follow_last,
            Walked& walked);

  // Whether an absolute path lies at or below the mount point, as far as its text tells.
  [[nodiscard]] bool is_inside(std::string_view path) const noexcept;
  // Appends the absolute path of a file; false where it has no name.
  bool append_absolute(model::FileId file, std::string& path) const;

  // A directory goes by another absolute path as well: a bind mount, or a trace whose paths were
  // rewritten to hide something.
  void learn_alias(std::string path, model::FileId directory);
  // A file has gone: it is not an alias's any more.
  void forget_alias(model::FileId directory);

  // A symbolic link outside the traced file system.
  void learn_outside_link(const std::string& path, std::string_view target);

 private:
  enum class Step : std::uint8_t { on, done };

  void enter(const Place& place);
  void enter_alias(std::string_view path);
  void settle();
  void step_up(const Place& root);
  [[nodiscard]] bool is_other_mount(std::string_view path) const noexcept;
  bool leave_at_other_mount(std::string_view component);
  bool pass_through(model::FileId id);
  Step step_inside(std::string_view component, bool last, bool follow, Walked& walked);
  Step step_outside(const Process& process, std::string_view component, bool last, bool follow,
                    Walked& walked);
  bool jump(const Process& process, bool last, Walked& walked);
  Step follow(const std::string& target, const Place& root, Walked& walked);
  void splice(std::string_view target);
  void arrive(Walked& walked) const;

  NameSpace& names_;
  Processes& processes_;
  const Descriptions& descriptions_;
  WalkListener& listener_;
  std::string mount_point_ = "/";
  std::vector<std::string> other_mounts_;  // below the mount point, absolute
  std::unordered_map<std::string, std::string> outside_links_;
  std::vector<std::pair<std::string, model::FileId>> aliases_;

  // State of the walk under way.
  model::FileId at_ = model::kNoFile;
  std::string outside_;
  std::string_view rest_;
  std::string buffer_;
  std::string other_buffer_;
  int links_followed_ = 0;
  const Place* root_ = nullptr;
};

}  // namespace fcsim::traces::resolve

// Places and paths: where a relative path starts, and what -y's texts correct.
#include <algorithm>

#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"
#include "traces/resolve/text.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;

// The place that an absolute path from the trace means; not known if the path leads through names
// that cannot be there.
Place Engine::place_of_text(std::string_view path) {
  if (!path.starts_with('/')) return {};
  if (!walk_.is_inside(path)) return Place{kNoFile, std::string(path)};
  Walked walked;
  walk_shown(path, true, false, walked);
  if (walked.kind == Walked::Kind::outside) return Place{kNoFile, walked.outside};
  if (walked.kind == Walked::Kind::unknown) return {};
  return Place{existing(walked, FileType::directory), {}};
}

// Walks a path that -y printed; it starts at the root of strace itself. `certain`: the path is
// believed even where it leads through names that cannot be there. False if it was not believed.
bool Engine::walk_shown(std::string_view path, bool follow_last, bool certain, Walked& walked) {
  Process observer;
  observer.directories = std::make_shared<Directories>();
  paths_certain_ = certain;
  walk_.walk(observer, observer.directories->root, path, follow_last, walked);
  paths_certain_ = false;
  if (walked.kind == Walked::Kind::absent && !certain) {
    return !names_.file(walked.parent).all_names_known;
  }
  return walked.kind != Walked::Kind::unknown;
}

void Engine::set_place(Place& place, const Place& to) {
  if (place == to) return;
  if (to.file != kNoFile) hold(to.file);
  const FileId old = place.file;
  place = to;
  if (old != kNoFile) let_go(old);
}

// -y shows the working directory with each AT_FDCWD: it corrects ours where that went wrong.
void Engine::correct_working_place(std::string_view text) {
  Directories& directories = *process_->directories;
  if (text == directories.working_text) return;
  directories.working_text.assign(text);
  const ShownPath shown = split_deleted(text);
  if (shown.deleted) return;
  scratch_.clear();
  if (directories.working.file != kNoFile) {
    walk_.append_absolute(directories.working.file, scratch_);
  } else {
    scratch_ = directories.working.outside;
  }
  if (scratch_ == shown.path) return;
  const Place place = place_of_text(shown.path);
  if (place.known()) set_place(directories.working, place);
}

const Place& Engine::working_place() {
  Directories& directories = *process_->directories;
  if (!directories.working.known()) {
    assumed_directory_ = true;
    count(unseen::unknown_directory);
    set_place(directories.working, Place{model::kRootDirectory, {}});
  }
  return directories.working;
}

Place Engine::start_place(std::int32_t fd, std::string_view fd_path) {
  if (fd < 0) return working_place();
  const DescriptionId id = description_of(fd, fd_path);
  if (id == kNoDescription) return {};
  const OpenDescription& description = descriptions_.at(id);
  return Place{description.file, description.outside};
}

void Engine::walk_path(std::int32_t fd, std::string_view fd_path, std::string_view path,
                       bool follow_last, Walked& walked) {
  if (path.starts_with('/')) {
    walk_.walk(*process_, process_->directories->root, path, follow_last, walked);
  } else if (fd < 0) {
    walk_.walk(*process_, working_place(), path, follow_last, walked);
  } else {
    walk_.walk(*process_, start_place(fd, fd_path), path, follow_last, walked);
    if (path.empty()) walked.description = process_->table->find(fd);
  }
}

Walked& Engine::walk_first(const Event& event, bool follow_last) {
  walk_path(event.fd, event.fd_path, event.path, follow_last, first_);
  return first_;
}

// A path that leads to nothing may have led through symbolic links, whose access times it moved.
void Engine::walk_to_nothing(const Event& event, bool follow_last) {
  if (event.error == kEnoent && !event.path.empty()) walk_first(event, follow_last);
}

// Whether a walk reached the traced file system; counts what kept it from telling.
bool Engine::names_file(const Walked& walked) {
  if (walked.kind == Walked::Kind::unknown) {
    if (walked.blind_link != kNoFile) count(unseen::blind_links);
    if (walked.endless) count(unseen::endless_links);
  }
  return walked.kind == Walked::Kind::present || walked.kind == Walked::Kind::absent;
}

// What the options tell of the tree of mounts.
void Engine::learn_places() {
  for (const std::string& path : options_.other_mounts) walk_.learn_other_mount(path);
  looking_ = true;
  for (const auto& [path, directory] : options_.also_at) {
    if (directory == ".") {
      walk_.learn_alias(path, model::kRootDirectory);
      continue;
    }
    std::string inside = walk_.mount_point() == "/" ? "" : walk_.mount_point();
    inside += '/';
    inside += directory;
    walk_shown(inside, false, false, shown_);
    if (shown_.kind == Walked::Kind::present) walk_.learn_alias(path, shown_.file);
  }
  looking_ = false;
}

// Our path and the shown one are of the same object, and the shown one cannot be as the names are:
// what differs in front of their common end is a second path of one directory.
void Engine::learn_alias(std::string ours, std::string shown) {
  while (!ours.empty() && !shown.empty()) {
    const std::size_t our_slash = ours.rfind('/');
    const std::size_t shown_slash = shown.rfind('/');
    if (our_slash == std::string::npos || shown_slash == std::string::npos) return;
    if (ours.substr(our_slash) != shown.substr(shown_slash)) break;
    ours.resize(our_slash);
    shown.resize(shown_slash);
  }
  if (shown.empty() || !walk_.is_inside(ours) || shown == walk_.mount_point()) return;
  walk_shown(ours, false, false, shown_);
  if (shown_.kind != Walked::Kind::present) return;
  if (names_.file(shown_.file).type == FileType::directory) {
    walk_.learn_alias(std::move(shown), shown_.file);
  }
}

// -y shows files by absolute paths. One that it shows by the very path that was opened, and that is
// not absolute, was shortened by the trace's keeper, and lies on another file system than
// ours, whose paths are whole. Its name in our working directory is no mystery then, nor was it in
// the calls before.
void Engine::explain_as_foreign(const Walked& walked, std::string_view path,
                                std::string_view shown) {
  if (shown.starts_with('/') || shown != path) return;
  NameKey key = last_unexplained_;
  if (walked.kind == Walked::Kind::absent) key = {walked.parent, walked.hash};
  if (key.first == kNoFile || !names_.file(key.first).all_names_known) return;
  Unexplained& name = unexplained_[key];
  const auto counted = unseen_.find(unseen::unexplained_names);
  if (counted != unseen_.end()) {
    counted->second -= std::min(counted->second, name.times);
    if (counted->second == 0) unseen_.erase(counted);
  }
  name = {0, true};
}

// open(2) with -y shows where it really ended. The text decides where it differs from the walk
// (links that the trace never showed, bind mounts, other mounts), unless it leads through names
// that cannot be there.
void Engine::settle_by_shown_path(std::string_view shown_text, Walked& walked) {
  const ShownPath shown = split_deleted(shown_text);
  if (shown.path.empty()) return;
  scratch_.clear();
  const bool by_name = walked.parent != kNoFile;
  if (walked.kind == Walked::Kind::outside) {
    scratch_ = walked.outside;
  } else if (walked.kind != Walked::Kind::unknown) {
    const FileId anchor = by_name ? walked.parent : walked.file;
    if (!walk_.append_absolute(anchor, scratch_)) return;
    if (by_name && scratch_.back() != '/') scratch_ += '/';
    if (by_name) scratch_ += walked.name;
  }
  if (scratch_ == shown.path || shown.deleted) return;
  if (!walk_.is_inside(shown.path)) {
    walked.kind = Walked::Kind::outside;
    walked.outside.assign(shown.path);
    return;
  }
  const FileId link = walked.blind_link;
  const std::string after = walked.after_link;
  const std::string path(shown.path);
  const bool certain = walked.kind == Walked::Kind::unknown;
  if (!walk_shown(path, false, certain, shown_)) return learn_alias(scratch_, path);
  walked = shown_;
  if (link == kNoFile || !path.ends_with(after)) return;
  std::string_view target = path;
  target.remove_suffix(after.size());
  while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
  if (after.find("..") == std::string::npos) names_.set_target(link, target);
}

}  // namespace fcsim::traces::resolve

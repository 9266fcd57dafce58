// Places and paths: where a relative path starts, and what -y's texts correct.
#include "traces/resolver/engine.h"
#include "traces/resolver/linux_values.h"
#include "traces/resolver/text.h"

namespace fcsim::traces {

using model::FileId;
using model::FileType;
using model::kNoFile;

Place Engine::place_of_text(std::string_view path) {
  if (!path.starts_with('/')) return {};
  if (!walk_.is_inside(path)) return Place{kNoFile, std::string(path)};
  Walked walked;
  Process observer;  // strace prints paths from its own root
  observer.directories = std::make_shared<Directories>();
  walk_.walk(observer, observer.directories->root, path, true, walked);
  const FileId file = existing(walked, FileType::directory);
  if (file != kNoFile) return Place{file, {}};
  return Place{kNoFile, std::string(path)};
}

void Engine::set_place(Place& place, const Place& to) {
  if (place == to) return;
  if (to.file != kNoFile) hold(to.file);
  const FileId old = place.file;
  place = to;
  if (old != kNoFile) let_go(old);
}

// -y shows the working directory with each AT_FDCWD: it corrects ours where that went wrong.
const Place& Engine::working_place(std::string_view fd_path) {
  Directories& directories = *process_->directories;
  if (!fd_path.empty() && fd_path != directories.working_text) {
    directories.working_text.assign(fd_path);
    const ShownPath shown = split_deleted(fd_path);
    scratch_.clear();
    if (directories.working.file != kNoFile) {
      walk_.append_absolute(directories.working.file, scratch_);
    } else {
      scratch_ = directories.working.outside;
    }
    if (!shown.deleted && scratch_ != shown.path) {
      set_place(directories.working, place_of_text(shown.path));
    }
  }
  if (!directories.working.known()) {
    assumed_directory_ = true;
    count(unseen::unknown_directory);
    set_place(directories.working, Place{model::kRootDirectory, {}});
  }
  return directories.working;
}

Place Engine::start_place(std::int32_t fd, std::string_view fd_path) {
  if (fd < 0) return working_place(fd_path);
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
    walk_.walk(*process_, working_place(fd_path), path, follow_last, walked);
  } else {
    walk_.walk(*process_, start_place(fd, fd_path), path, follow_last, walked);
    if (path.empty()) walked.description = process_->table->find(fd);
  }
  if (walked.kind == Walked::Kind::unknown && walked.blind_link == kNoFile) {
    if (path.starts_with('/') || fd < 0) count(unseen::endless_links);
  }
}

Walked& Engine::walk_first(const Event& event, bool follow_last) {
  walk_path(event.fd, event.fd_path, event.path, follow_last, first_);
  return first_;
}

// Whether a walk reached the traced file system; counts what kept it from telling.
bool Engine::names_file(const Walked& walked) {
  if (walked.kind == Walked::Kind::unknown && walked.blind_link != kNoFile) {
    count(unseen::blind_links);
  }
  return walked.kind == Walked::Kind::present || walked.kind == Walked::Kind::absent;
}

// open(2) with -y shows where it really ended. The text decides wherever it differs from the walk:
// links that the trace never showed, bind mounts, other mounts.
void Engine::settle_by_shown_path(std::string_view shown_text, Walked& walked) {
  const ShownPath shown = split_deleted(shown_text);
  if (!shown.path.starts_with('/')) return;
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
  const std::string behind = walked.behind_link;
  Process observer;
  observer.directories = std::make_shared<Directories>();
  const std::string path(shown.path);
  walk_.walk(observer, observer.directories->root, path, false, walked);
  if (link == kNoFile || !path.ends_with(behind)) return;
  std::string_view target = path;
  target.remove_suffix(behind.size());
  while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
  if (behind.find("..") == std::string::npos) names_.set_target(link, target);
}

}  // namespace fcsim::traces

#include "traces/resolve/path_walk.h"

#include <charconv>

#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::kNoFile;

namespace {

// Links outside are learned to find ways into the file system; more than this is not such a use.
constexpr std::size_t kMaximumOutsideLinks = 65536;

void remove_last_component(std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    path.clear();  // a pipe or the like: nothing is known above it
  } else {
    path.erase(slash == 0 ? 1 : slash);
  }
}

void skip_slashes(std::string_view& path) {
  const std::size_t at = path.find_first_not_of('/');
  path.remove_prefix(at == std::string_view::npos ? path.size() : at);
}

// Directories that are file systems of their own on every Linux machine.
bool is_pseudo(std::string_view name) {
  return name == "proc" || name == "sys" || name == "dev" || name == "run";
}

bool read_number(std::string_view text, std::int32_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() && number >= 0;
}

// Takes the component in front of `path`, with the slash after it.
std::string_view take_component(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view component = path.substr(0, slash);
  path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  return component;
}

}  // namespace

void PathWalk::set_mount_point(std::string mount_point) {
  while (mount_point.size() > 1 && mount_point.back() == '/') mount_point.pop_back();
  mount_point_ = std::move(mount_point);
}

void PathWalk::learn_other_mount(const std::string& path) {
  if (path != mount_point_ && is_inside(path)) other_mounts_.push_back(path);
}

// At one, or below it.
bool PathWalk::is_other_mount(std::string_view path) const noexcept {
  for (const std::string& mount : other_mounts_)
    if (path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/'))
      return true;
  return false;
}

// Whether the component of the directory under way is another file system's root: then the walk
// goes on there.
bool PathWalk::leave_at_other_mount(std::string_view component) {
  std::string path;
  if (!append_absolute(at_, path)) return false;
  if (path.back() != '/') path += '/';
  path += component;
  if (!is_other_mount(path)) return false;
  outside_ = std::move(path);
  at_ = kNoFile;
  return true;
}

bool PathWalk::is_inside(std::string_view path) const noexcept {
  if (mount_point_ == "/") {
    if (!path.starts_with('/')) return false;
    if (!other_mounts_.empty() && is_other_mount(path)) return false;
    path.remove_prefix(1);
    return !is_pseudo(path.substr(0, path.find('/')));
  }
  for (const auto& [prefix, directory] : aliases_)
    if (path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/'))
      return true;
  if (!path.starts_with(mount_point_)) return false;
  if (path.size() == mount_point_.size()) return true;
  return path[mount_point_.size()] == '/' && (other_mounts_.empty() || !is_other_mount(path));
}

bool PathWalk::append_absolute(FileId file, std::string& path) const {
  path += mount_point_;
  if (file == model::kRootDirectory) return true;
  if (mount_point_ != "/") path += '/';
  return names_.append_path(file, path);
}

void PathWalk::learn_outside_link(const std::string& path, std::string_view target) {
  if (outside_links_.size() >= kMaximumOutsideLinks || target.empty()) return;
  outside_links_.insert_or_assign(path, std::string(target));
}

void PathWalk::enter(const Place& place) {
  at_ = place.file;
  if (at_ == kNoFile) {
    outside_ = place.outside;
    settle();
  }
}

void PathWalk::learn_alias(std::string path, FileId directory) {
  constexpr std::size_t kMaximumAliases = 64;
  if (aliases_.size() < kMaximumAliases) aliases_.emplace_back(std::move(path), directory);
}

void PathWalk::forget_alias(FileId directory) {
  std::erase_if(aliases_, [&](const auto& alias) { return alias.second == directory; });
}

void PathWalk::enter_alias(std::string_view path) {
  for (const auto& [prefix, directory] : aliases_) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view rest = path.substr(prefix.size());
    if (!rest.empty() && rest.front() != '/') continue;
    at_ = directory;
    rest_ = rest;
    return;
  }
}

// Outside paths are kept as text; the text of the mount point is the way in.
void PathWalk::settle() {
  if (outside_ == mount_point_) at_ = model::kRootDirectory;
  for (const auto& [path, directory] : aliases_)
    if (at_ == kNoFile && outside_ == path) at_ = directory;
}

void PathWalk::step_up(const Place& root) {
  if (at_ == kNoFile ? root.file == kNoFile && outside_ == root.outside : at_ == root.file) return;
  if (at_ == model::kRootDirectory) {
    if (mount_point_ == "/") return;
    outside_ = mount_point_;
    remove_last_component(outside_);
    at_ = kNoFile;
    return;
  }
  if (at_ != kNoFile) {
    const NameId name = names_.file(at_).first_name;
    if (name != kNoName) at_ = names_.name(name).parent;
    return;
  }
  remove_last_component(outside_);
  settle();
  // Up from a file system that is mounted below the traced one: walk down to it again.
  if (at_ == kNoFile && is_inside(outside_)) {
    const std::string path = outside_;
    splice(path);
    outside_ = "/";
    settle();
  }
}

// The rest of the walk is `target`, then what was left.
void PathWalk::splice(std::string_view target) {
  other_buffer_.assign(target);
  if (!rest_.empty()) {
    other_buffer_ += '/';
    other_buffer_ += rest_;
  }
  buffer_.swap(other_buffer_);
  rest_ = buffer_;
  skip_slashes(rest_);
}

PathWalk::Step PathWalk::follow(const std::string& target, const Place& root, Walked& walked) {
  if (++links_followed_ > kMaximumSymlinks) {
    walked.endless = true;
    return Step::done;
  }
  const bool absolute = target.starts_with('/');
  splice(target);
  if (absolute) enter(root);
  return Step::on;
}

// Whether the file is a directory, which a guess of its type may have missed. One with several
// names is none: that keeps the tree free of cycles.
bool PathWalk::pass_through(FileId id) {
  File& file = names_.file(id);
  if (file.type == model::FileType::directory) return true;
  if (file.type_exact || file.links > 1) return false;
  file.type = model::FileType::directory;
  file.type_exact = true;
  return true;
}

PathWalk::Step PathWalk::step_inside(std::string_view component, bool last, bool follow_it,
                                     Walked& walked) {
  if (at_ == model::kRootDirectory && mount_point_ == "/" && is_pseudo(component)) {
    outside_ = "/";
    outside_ += component;
    at_ = kNoFile;
    return Step::on;
  }
  if (!pass_through(at_)) return Step::done;
  if (!other_mounts_.empty() && leave_at_other_mount(component)) return Step::on;
  const std::uint64_t hash = model::hash_bytes(component);
  const NameId id = names_.find(at_, component, hash);
  FileId child = id == kNoName ? kNoFile : names_.name(id).file;
  if (child == kNoFile && !last) {
    child = listener_.discovered(at_, component, hash);
    if (child == kNoFile) {
      at_ = kNoFile;
      return Step::done;
    }
  }
  if (child != kNoFile && names_.file(child).type == model::FileType::symlink && follow_it) {
    listener_.followed(child);
    if (const std::string* target = names_.target(child)) return follow(*target, *root_, walked);
    walked.blind_link = child;
    walked.after_link.assign(rest_);
    return Step::done;
  }
  if (child != kNoFile && names_.file(child).covered) {
    outside_.clear();
    append_absolute(child, outside_);
    at_ = kNoFile;
    return Step::on;
  }
  if (last) {
    walked.kind = child == kNoFile ? Walked::Kind::absent : Walked::Kind::present;
    walked.file = child;
    walked.parent = at_;
    walked.name.assign(component);
    walked.hash = hash;
    return Step::done;
  }
  at_ = child;
  return Step::on;
}

PathWalk::Step PathWalk::step_outside(const Process& process, std::string_view component, bool last,
                                      bool follow_it, Walked& walked) {
  if (outside_.empty()) return Step::done;  // a place that the trace never named
  if (outside_.back() != '/') outside_ += '/';
  outside_ += component;
  settle();
  if (at_ != kNoFile || !follow_it) return Step::on;
  if (jump(process, last, walked)) return last ? Step::done : Step::on;
  if (outside_links_.empty()) return Step::on;
  const auto link = outside_links_.find(outside_);
  if (link == outside_links_.end()) return Step::on;
  if (!link->second.starts_with('/')) remove_last_component(outside_);
  return follow(link->second, *root_, walked);
}

// The links of /proc that lead to an object, not to a path.
bool PathWalk::jump(const Process& process, bool last, Walked& walked) {
  std::string_view path = outside_;
  std::int32_t number = 0;
  const Process* owner = &process;
  const bool in_proc = path.starts_with("/proc/");
  if (in_proc) {
    path.remove_prefix(6);
    const std::string_view who = take_component(path);
    if (who != "self" && who != "thread-self") {
      if (!read_number(who, number)) return false;
      owner = processes_.find(number);
    }
    if (path.starts_with("task/")) {
      path.remove_prefix(5);
      take_component(path);
    }
  } else if (path.starts_with("/dev/")) {
    path.remove_prefix(5);
    if (path == "stdin") path = "fd/0";
    if (path == "stdout") path = "fd/1";
    if (path == "stderr") path = "fd/2";
  } else {
    return false;
  }
  if (owner == nullptr || !owner->table) return false;
  Place place;
  if (in_proc && (path == "cwd" || path == "root")) {
    place = path == "cwd" ? owner->directories->working : owner->directories->root;
  } else if (path.starts_with("fd/") && read_number(path.substr(3), number)) {
    const DescriptionId id = owner->table->find(number);
    if (id == kNoDescription) return false;
    place = Place{descriptions_.at(id).file, descriptions_.at(id).outside};
    if (last) walked.description = id;
  } else {
    return false;
  }
  at_ = place.file;
  outside_ = place.outside;
  if (last) arrive(walked);
  return true;
}

void PathWalk::arrive(Walked& walked) const {
  walked.file = at_;
  walked.kind = at_ == kNoFile ? Walked::Kind::outside : Walked::Kind::present;
  if (at_ == kNoFile) walked.outside = outside_;
}

void PathWalk::walk(const Process& process, const Place& start, std::string_view path,
                    bool follow_last, Walked& walked) {
  walked.kind = Walked::Kind::unknown;
  walked.file = walked.parent = walked.blind_link = kNoFile;
  walked.description = kNoDescription;
  walked.endless = false;
  walked.name.clear();
  walked.outside.clear();
  links_followed_ = 0;
  root_ = &process.directories->root;
  const Place& first = path.starts_with('/') ? *root_ : start;
  if (!first.known()) return;
  enter(first);
  rest_ = path;
  if (!aliases_.empty()) enter_alias(path);
  skip_slashes(rest_);
  while (!rest_.empty()) {
    const std::size_t slash = rest_.find('/');
    const std::string_view component = rest_.substr(0, slash);
    rest_.remove_prefix(component.size());
    skip_slashes(rest_);
    if (component == ".") continue;
    if (component == "..") {
      step_up(*root_);
      continue;
    }
    const bool last = rest_.empty();
    const bool follow_it = !last || follow_last || slash != std::string_view::npos;
    const Step step = at_ != kNoFile ? step_inside(component, last, follow_it, walked)
                                     : step_outside(process, component, last, follow_it, walked);
    if (step == Step::done) return;
  }
  arrive(walked);
}

}  // namespace fcsim::traces::resolve

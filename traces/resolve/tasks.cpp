// Processes and threads: how they begin, what they share, how they end.
#include <algorithm>

#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;

Process& Engine::task_of(std::int32_t pid) {
  Process* known = processes_.find(pid);
  return known != nullptr ? *known : new_task(pid);
}

Process& Engine::new_task(std::int32_t pid) {
  Process& process = processes_.add(pid);
  process.table = std::make_shared<DescriptorTable>();
  process.directories = std::make_shared<Directories>();
  process.mappings = std::make_shared<Mappings>();
  process.group = std::make_shared<ThreadGroup>();
  process.group->leader = pid;
  process.group->members.push_back(pid);
  return process;
}

void Engine::rename_task(std::int32_t from, std::int32_t to) {
  Process* process = processes_.find(from);
  if (process == nullptr || from == to) return;
  ThreadGroup& group = *process->group;
  std::replace(group.members.begin(), group.members.end(), from, to);
  if (group.leader == from) group.leader = to;
  for (Pending& install : pending_) {
    if (install.pid == from) install.pid = to;
  }
  processes_.rename(from, to);
}

std::shared_ptr<DescriptorTable> Engine::copy_of(DescriptorTable& table) {
  for (const Descriptor& entry : table.entries()) {
    if (entry.description != kNoDescription) ++descriptions_.at(entry.description).references;
  }
  return std::make_shared<DescriptorTable>(table);
}

std::shared_ptr<Directories> Engine::copy_of(const Directories& directories) {
  if (directories.root.file != kNoFile) hold(directories.root.file);
  if (directories.working.file != kNoFile) hold(directories.working.file);
  return std::make_shared<Directories>(directories);
}

std::shared_ptr<Mappings> Engine::copy_of(const Mappings& mappings) {
  auto copy = std::make_shared<Mappings>(mappings);
  for (auto& entry : copy->all()) {
    hold(entry.second.file);
    entry.second.inherited = true;
  }
  return copy;
}

void Engine::copy_table(Process& process) {
  if (process.table.use_count() > 1) process.table = copy_of(*process.table);
}

void Engine::fork_call(const Event& event) {
  if (event.result <= 0 || event.result > 0x7fffffff) return;
  if (children_untraced_) return count(unseen::unfollowed_children);
  const auto pid = static_cast<std::int32_t>(event.result);
  if (pid == process_->pid) return;
  end_task(pid);  // an earlier bearer of the number, whose end the trace does not show
  Process& parent = *process_;
  Process& child = processes_.add(pid);
  const bool thread = (event.flags & kCloneThread) != 0;
  const auto shares = [&](std::uint64_t bit) { return thread || (event.flags & bit) != 0; };
  child.table = shares(kCloneFiles) ? parent.table : copy_of(*parent.table);
  child.directories = shares(kCloneFs) ? parent.directories : copy_of(*parent.directories);
  child.mappings = shares(kCloneMemory) ? parent.mappings : copy_of(*parent.mappings);
  if (thread) {
    child.group = parent.group;
  } else {
    child.group = std::make_shared<ThreadGroup>();
    child.group->leader = pid;
  }
  child.group->members.push_back(pid);
  if (event.pid == 0 && !pids_shown_) unconfirmed_children_.push_back(pid);
}

// Without -f strace prints no pids and no children: what those inherited must not be held for ever.
void Engine::watch_for_children(const Event& event) {
  if (event.pid != 0) {
    pids_shown_ = true;
    unconfirmed_children_.clear();
    return;
  }
  if (++events_since_fork_ < kEventsUntilChildShows) return;
  children_untraced_ = true;
  for (const std::int32_t pid : unconfirmed_children_) {
    count(unseen::unfollowed_children);
    end_task(pid);
  }
  unconfirmed_children_.clear();
}

void Engine::unshare_call(const Event& event) {
  if (event.result != 0) return;
  if ((event.flags & kCloneFiles) != 0) copy_table(*process_);
  if ((event.flags & kCloneFs) != 0 && process_->directories.use_count() > 1) {
    process_->directories = copy_of(*process_->directories);
  }
}

void Engine::exec_call(const Event& event) {
  if (event.result != 0 || !event.has_result) return;
  if (!event.path.empty() || has_flag(event, kAtEmptyPath)) {
    Walked& walked = walk_first(event, !has_flag(event, kAtNoFollow));
    const FileId binary = names_file(walked) ? existing(walked, FileType::regular) : kNoFile;
    if (binary != kNoFile) emit(OperationKind::read, binary);
  }
  become_single(*process_);
  if (process_->mappings.use_count() == 1) drop_mappings(*process_->mappings);
  process_->mappings = std::make_shared<Mappings>();
  copy_table(*process_);
  DescriptorTable& table = *process_->table;
  for (std::size_t fd = 0; fd < table.entries().size(); ++fd) {
    const Descriptor entry = table.entries()[fd];
    if (entry.description != kNoDescription && entry.close_on_exec) {
      close_descriptor(table, static_cast<std::int32_t>(fd));
    }
  }
}

// exec ends all other threads; the one that is left takes the leader's number.
void Engine::become_single(Process& process) {
  const auto group = process.group;
  const std::int32_t survivor = process.pid;
  const std::vector<std::int32_t> members = group->members;
  for (const std::int32_t pid : members) {
    if (pid != survivor) end_task(pid);
  }
  if (survivor != group->leader) {
    end_task(group->leader);
    rename_task(survivor, group->leader);
  }
  group->leader = processes_.find(group->leader) != nullptr ? group->leader : survivor;
  group->exiting = false;
  process_ = processes_.find(group->leader);
}

// "superseded by execve in pid N": where the exec itself was not shown.
void Engine::replaced(const Event& event) {
  Process* survivor = processes_.find(static_cast<std::int32_t>(event.result));
  Process* leader = processes_.find(event.pid);
  if (survivor == nullptr || leader == nullptr || survivor->group != leader->group) return;
  process_ = survivor;
  become_single(*survivor);
}

void Engine::exit_group_call() {
  const auto group = process_->group;
  if (group->members.size() == 1) return end_task(process_->pid);
  // The threads end one by one, as the trace tells: calls under way are finished first.
  group->exiting = true;
}

void Engine::close_table(DescriptorTable& table) {
  for (std::size_t fd = 0; fd < table.entries().size(); ++fd) {
    close_descriptor(table, static_cast<std::int32_t>(fd));
  }
}

void Engine::end_task(std::int32_t pid) {
  Process* process = processes_.find(pid);
  if (process == nullptr) return;
  install_pending_of(pid);
  if (process->mappings.use_count() == 1) drop_mappings(*process->mappings);
  if (process->table.use_count() == 1) close_table(*process->table);
  if (process->directories.use_count() == 1) {
    set_place(process->directories->working, Place{});
    set_place(process->directories->root, Place{});
  }
  std::erase(process->group->members, pid);
  processes_.remove(pid);
}

void Engine::change_directory(const Event& event, bool root) {
  if (event.result != 0) return;
  Place place;
  if (event.call == Call::fchdir) {
    const DescriptionId id = description_of(event.fd, event.fd_path);
    if (id == kNoDescription) return;
    place = Place{descriptions_.at(id).file, descriptions_.at(id).outside};
  } else {
    Walked& walked = walk_first(event, true);
    if (names_file(walked)) {
      place.file = existing(walked, FileType::directory);
      if (place.file != kNoFile) learn_type(place.file, FileType::directory);
    } else {
      place.outside = walked.outside;
    }
  }
  Directories& directories = *process_->directories;
  if (root) {
    if (place.known()) set_place(directories.root, place);
    return;
  }
  set_place(directories.working, place);
  directories.working_text.clear();
}

// Tells the working directory where nothing else did. Paths within a chroot say nothing.
void Engine::getcwd_call(const Event& event) {
  Directories& directories = *process_->directories;
  if (event.result < 0 || directories.working.known() || event.truncated_text) return;
  if (directories.root.outside != "/" || !event.text.starts_with('/')) return;
  set_place(directories.working, place_of_text(event.text));
}

}  // namespace fcsim::traces::resolve

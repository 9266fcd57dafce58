// Lives of files: how they turn up, what is learned about them, when they are gone.
#include <cassert>

#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;

FileType file_type(std::uint64_t mode) {
  switch (mode & kTypeMask) {
    case kTypeDirectory:
      return FileType::directory;
    case kTypeSymlink:
      return FileType::symlink;
    case kTypeFifo:
      return FileType::fifo;
    case kTypeSocket:
      return FileType::socket;
    case kTypeCharacter:
    case kTypeBlock:
      return FileType::device;
    default:
      return FileType::regular;
  }
}

void Engine::declare(const model::InitialState& initial) {
  manifest_known_ = initial.known;
  if (!initial.known) return;
  for (const model::InitialFile& entry : initial.files) {
    if (!names_.exists(entry.file)) names_.declare_file(entry.file, entry.type);
    File& file = names_.file(entry.file);
    file.type = entry.type;
    file.type_exact = true;
    file.size = entry.size;
    file.size_exact = true;
    file.all_names_known = true;
    file.listed = true;
  }
  for (const model::InitialFile& entry : initial.files) {
    if (entry.parent == kNoFile) continue;
    if (names_.find(entry.parent, entry.name, entry.name_hash) != kNoName) continue;
    names_.add_name(entry.parent, entry.name, entry.name_hash, entry.file);
  }
}

void Engine::followed(FileId link) {
  if (!looking_) emit(OperationKind::follow_symlink, link);
}

void Engine::count_unexplained(FileId parent, std::uint64_t name_hash) {
  constexpr std::size_t kMaximumNames = 4096;
  last_unexplained_ = {parent, name_hash};
  const auto known = unexplained_.find(last_unexplained_);
  if (known != unexplained_.end() && known->second.foreign) return;
  if (known != unexplained_.end())
    ++known->second.times;
  else if (unexplained_.size() < kMaximumNames)
    unexplained_[last_unexplained_].times = 1;
  count(unseen::unexplained_names);
}

FileId Engine::discovered(FileId parent, std::string_view name, std::uint64_t hash) {
  if (looking_) return kNoFile;
  if (names_.file(parent).all_names_known && !paths_certain_) {
    count_unexplained(parent, hash);
    return kNoFile;
  }
  if (names_.file(parent).listed) return cover(parent, name, hash);
  Walked walked;
  walked.parent = parent;
  walked.name.assign(name);
  walked.hash = hash;
  return appear(walked, FileType::directory);
}

// A manifest leaves out what lies on other file systems: a directory that was there, and that it
// does not have, is a mount point.
FileId Engine::cover(FileId parent, std::string_view name, std::uint64_t hash) {
  const FileId id = names_.new_file(FileType::directory);
  names_.add_name(parent, name, hash, id);
  names_.file(id).type_exact = true;
  names_.file(id).covered = true;
  std::string path;
  if (walk_.append_absolute(id, path)) inferred_mounts_.push_back(path);
  return id;
}

FileId Engine::appear(const Walked& walked, FileType type) {
  if (names_.file(walked.parent).all_names_known) count_unexplained(walked.parent, walked.hash);
  assumed_old_files_ = true;
  const FileId id = names_.new_file(type);
  names_.add_name(walked.parent, walked.name, walked.hash, id);
  names_.file(id).type_exact = type == FileType::directory;
  emit_named(OperationKind::appear, id, walked.parent, walked.name, walked.hash).type = type;
  return id;
}

FileId Engine::appear_without_name(FileType type) {
  assumed_old_files_ = true;
  const FileId id = names_.new_file(type);
  emit(OperationKind::appear, id).type = type;
  return id;
}

FileId Engine::existing(Walked& walked, FileType guess) {
  if (walked.kind == Walked::Kind::absent) {
    if (names_.file(walked.parent).all_names_known && !paths_certain_) {
      count_unexplained(walked.parent, walked.hash);
      return kNoFile;
    }
    walked.file = appear(walked, guess);
    walked.kind = Walked::Kind::present;
  }
  return walked.kind == Walked::Kind::present ? walked.file : kNoFile;
}

// A second `appear` of the same file says that its size or type is known better now.
void Engine::learn_size(FileId id, std::int64_t size, bool exact) {
  File& file = names_.file(id);
  if (file.size_exact) return;
  file.size_exact = exact;
  if (file.size == size || (!exact && file.size > size)) return;
  file.size = size;
  Operation& operation = emit(OperationKind::appear, id);
  operation.type = file.type;
  operation.length = size;
  operation.flags = model::operation_flag::again;
}

void Engine::learn_type(FileId id, FileType type) {
  File& file = names_.file(id);
  if (file.type_exact || (type == FileType::directory && file.links > 1)) return;
  file.type_exact = true;
  if (file.type == type) return;
  file.type = type;
  Operation& operation = emit(OperationKind::appear, id);
  operation.type = type;
  operation.length = file.size;
  operation.flags = model::operation_flag::again;
}

void Engine::learn_stat(FileId id, std::uint64_t mode, std::int64_t size) {
  const File& file = names_.file(id);
  if (file.size_exact && file.type_exact) return;
  if (mode != 0) learn_type(id, file_type(mode));
  if (size >= 0) learn_size(id, size, true);
}

void Engine::let_go(FileId id) {
  File& file = names_.file(id);
  assert(file.references > 0);
  --file.references;
  if (file.references == 0 && file.links == 0) evict_if_gone(id);
}

void Engine::evict_if_gone(FileId id) {
  const File& file = names_.file(id);
  if (id == model::kRootDirectory || file.links != 0 || file.references != 0) return;
  // Names that the trace never showed leaving go with their directory.
  while (names_.file(id).first_child != kNoName) {
    const NameId name = names_.file(id).first_child;
    const FileId child = names_.name(name).file;
    names_.remove_name(name);
    evict_if_gone(child);
  }
  if (names_.file(id).type == FileType::directory) walk_.forget_alias(id);
  emit(OperationKind::evict, id).type = names_.file(id).type;
  names_.free_file(id);
}

void Engine::drop_stale(Walked& walked) {
  if (walked.kind != Walked::Kind::present || walked.parent == kNoFile) return;
  count(unseen::outside_changes);
  const FileId old = walked.file;
  const bool directory = names_.file(old).type == FileType::directory;
  emit_named(directory ? OperationKind::rmdir : OperationKind::unlink, old, walked.parent,
             walked.name, walked.hash)
      .type = names_.file(old).type;
  names_.remove_name(names_.find(walked.parent, walked.name, walked.hash));
  evict_if_gone(old);
  walked.kind = Walked::Kind::absent;
  walked.file = kNoFile;
}

// A call found no space for a new file: the model needs a slot for what it tries to make.
void Engine::fail_to_make(OperationKind kind, const Walked& walked, FileType type) {
  if (walked.kind != Walked::Kind::absent || walked.parent == kNoFile) return;
  const FileId id = names_.new_file(type);
  Operation& operation = emit_named(kind, id, walked.parent, walked.name, walked.hash);
  operation.type = type;
  operation.flags = model::operation_flag::failed_no_space;
  names_.free_file(id);
}

FileId Engine::make(OperationKind kind, Walked& walked, FileType type) {
  drop_stale(walked);
  assert(walked.kind == Walked::Kind::absent);
  const FileId id = names_.new_file(type);
  names_.add_name(walked.parent, walked.name, walked.hash, id);
  File& file = names_.file(id);
  file.type_exact = file.size_exact = file.all_names_known = true;
  emit_named(kind, id, walked.parent, walked.name, walked.hash).type = type;
  walked.kind = Walked::Kind::present;
  walked.file = id;
  return id;
}

}  // namespace fcsim::traces::resolve

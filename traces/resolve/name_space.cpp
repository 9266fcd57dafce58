#include "traces/resolve/name_space.h"

#include <boost/container/small_vector.hpp>
#include <cassert>

namespace fcsim::traces::resolve {

using model::FileId;

NameSpace::NameSpace() {
  declare_file(model::kRootDirectory, model::FileType::directory);
  files_[model::kRootDirectory].type_exact = true;
}

FileId NameSpace::new_file(model::FileType type) {
  FileId id = 0;
  if (free_files_.empty()) {
    id = static_cast<FileId>(files_.size());
    files_.emplace_back();
  } else {
    id = free_files_.back();
    free_files_.pop_back();
  }
  files_[id] = File{};
  files_[id].type = type;
  files_[id].in_use = true;
  ++live_files_;
  return id;
}

void NameSpace::declare_file(FileId id, model::FileType type) {
  while (files_.size() <= id) {
    files_.emplace_back();
    if (files_.size() <= id) free_files_.push_back(static_cast<FileId>(files_.size() - 1));
  }
  assert(!files_[id].in_use);
  std::erase(free_files_, id);
  files_[id] = File{};
  files_[id].type = type;
  files_[id].in_use = true;
  ++live_files_;
}

void NameSpace::free_file(FileId id) {
  assert(id != model::kRootDirectory && files_[id].in_use);
  assert(files_[id].links == 0 && files_[id].references == 0);
  while (files_[id].first_child != kNoName) remove_name(files_[id].first_child);
  if (files_[id].type == model::FileType::symlink) targets_.erase(id);
  files_[id] = File{};
  free_files_.push_back(id);
  --live_files_;
}

NameId NameSpace::find(FileId parent, std::string_view text, std::uint64_t hash) const noexcept {
  const auto entry = entries_.find(Key{parent, hash});
  if (entry == entries_.end()) return kNoName;
  const Name& name = names_[entry->second];
  // A declared name may be known by its hash only.
  return name.text.empty() || name.text == text ? entry->second : kNoName;
}

NameId NameSpace::add_name(FileId parent, std::string_view text, std::uint64_t hash, FileId file) {
  NameId id = 0;
  if (free_names_.empty()) {
    id = static_cast<NameId>(names_.size());
    names_.emplace_back();
  } else {
    id = free_names_.back();
    free_names_.pop_back();
  }
  Name& name = names_[id];
  name.parent = parent;
  name.file = file;
  name.hash = hash;
  name.text.assign(text);
  name.previous_child = kNoName;
  name.next_child = files_[parent].first_child;
  if (name.next_child != kNoName) names_[name.next_child].previous_child = id;
  files_[parent].first_child = id;
  link_to_file(id);
  entries_.insert_or_assign(Key{parent, hash}, id);
  return id;
}

void NameSpace::remove_name(NameId id) {
  Name& name = names_[id];
  unlink_from_file(id);
  if (name.previous_child != kNoName) {
    names_[name.previous_child].next_child = name.next_child;
  } else {
    files_[name.parent].first_child = name.next_child;
  }
  if (name.next_child != kNoName) names_[name.next_child].previous_child = name.previous_child;
  entries_.erase(Key{name.parent, name.hash});
  name = Name{};
  free_names_.push_back(id);
}

void NameSpace::set_file_of_name(NameId id, FileId file) {
  unlink_from_file(id);
  names_[id].file = file;
  link_to_file(id);
}

void NameSpace::link_to_file(NameId id) {
  File& file = files_[names_[id].file];
  ++file.links;
  if (file.first_name == kNoName) {
    names_[id].next_of_file = kNoName;
    file.first_name = id;
    return;
  }
  // The oldest name stays first: it is the one that paths are told by.
  names_[id].next_of_file = names_[file.first_name].next_of_file;
  names_[file.first_name].next_of_file = id;
}

void NameSpace::unlink_from_file(NameId id) {
  File& file = files_[names_[id].file];
  assert(file.links > 0);
  NameId* link = &file.first_name;
  while (*link != id) link = &names_[*link].next_of_file;
  *link = names_[id].next_of_file;
  --file.links;
}

bool NameSpace::is_within(FileId directory, FileId ancestor) const noexcept {
  while (true) {
    if (directory == ancestor) return true;
    const NameId id = files_[directory].first_name;
    if (id == kNoName) return false;
    directory = names_[id].parent;
  }
}

bool NameSpace::append_path(FileId id, std::string& path) const {
  boost::container::small_vector<NameId, 16> chain;
  while (id != model::kRootDirectory) {
    const NameId name = files_[id].first_name;
    if (name == kNoName) return false;
    chain.push_back(name);
    id = names_[name].parent;
  }
  for (std::size_t i = chain.size(); i-- > 0;) {
    path += names_[chain[i]].text;
    if (i != 0) path += '/';
  }
  return true;
}

const std::string* NameSpace::target(FileId id) const {
  const auto found = targets_.find(id);
  return found == targets_.end() ? nullptr : &found->second;
}

void NameSpace::set_target(FileId id, std::string_view target) {
  targets_.insert_or_assign(id, std::string(target));
}

}  // namespace fcsim::traces::resolve

// The names and files of the traced file system as the trace shows them so far.
//
// A file is a slot (model::FileId, dense from 0, root = 0). A name is an entry of a directory. A
// file may have several names (hard links) or none (O_TMPFILE, unlinked but open). Nothing here
// emits operations: the caller does, and frees a slot when the file's last use is gone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/common/name_hash.h"
#include "model/common/operation.h"

namespace fcsim::traces::resolve {

using NameId = std::uint32_t;
inline constexpr NameId kNoName = 0xffffffffU;

struct File {
  model::FileType type = model::FileType::regular;
  bool in_use = false;
  bool size_exact = false;       // false: `size` is a guess (the file existed before the trace)
  bool type_exact = false;       // false: the type is a guess
  bool all_names_known = false;  // directory: a name not in it does not exist
  bool listed = false;           // directory: the manifest has all names that it held
  bool covered = false;          // directory: another file system is mounted on it
  bool taken_as_new = false;     // O_CREAT of an unknown name: may have existed after all
  std::uint32_t references = 0;  // open file descriptions, mappings, working and root directories
  std::uint32_t links = 0;       // names
  NameId first_name = kNoName;   // list of this file's names
  NameId first_child = kNoName;  // list of the names in this directory
  std::int64_t size = 0;         // bytes; not kept for directories
};

struct Name {
  model::FileId parent = model::kNoFile;
  model::FileId file = model::kNoFile;
  NameId next_of_file = kNoName;
  NameId next_child = kNoName;
  NameId previous_child = kNoName;
  std::uint64_t hash = 0;
  std::string text;
};

class NameSpace {
 public:
  NameSpace();  // holds the root directory

  [[nodiscard]] File& file(model::FileId id) noexcept { return files_[id]; }
  [[nodiscard]] const File& file(model::FileId id) const noexcept { return files_[id]; }
  [[nodiscard]] const Name& name(NameId id) const noexcept { return names_[id]; }
  [[nodiscard]] bool exists(model::FileId id) const noexcept {
    return id < files_.size() && files_[id].in_use;
  }
  [[nodiscard]] std::size_t live_files() const noexcept { return live_files_; }

  // Takes the lowest-cost free slot: the one freed last, else a new one.
  model::FileId new_file(model::FileType type);
  // Takes a given slot, for files declared beforehand. Precondition: not in use.
  void declare_file(model::FileId id, model::FileType type);
  // Frees the slot. Precondition: no names and no references. Names still inside a directory
  // (files the trace never showed leaving) are dropped with it.
  void free_file(model::FileId id);

  // The entry `text` of directory `parent`, or kNoName.
  [[nodiscard]] NameId find(model::FileId parent, std::string_view text,
                            std::uint64_t hash) const noexcept;
  NameId add_name(model::FileId parent, std::string_view text, std::uint64_t hash,
                  model::FileId file);
  void remove_name(NameId id);
  // Makes the entry stand for another file (rename over it, exchange).
  void set_file_of_name(NameId id, model::FileId file);

  // Whether `directory` is `ancestor` or lies below it.
  [[nodiscard]] bool is_within(model::FileId directory, model::FileId ancestor) const noexcept;
  // "a/b/c" relative to the root, "" for the root itself. A file without a name: the empty string
  // too, and false.
  bool append_path(model::FileId id, std::string& path) const;

  // Target of a symbolic link, or null where the trace has not shown it.
  [[nodiscard]] const std::string* target(model::FileId id) const;
  void set_target(model::FileId id, std::string_view target);

 private:
  struct Key {
    model::FileId parent;
    std::uint64_t hash;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return static_cast<std::size_t>(key.hash ^ (key.parent * 0x9e3779b97f4a7c15ULL));
    }
  };

  void link_to_file(NameId id);
  void unlink_from_file(NameId id);

  std::vector<File> files_;
  std::vector<model::FileId> free_files_;
  std::vector<Name> names_;
  std::vector<NameId> free_names_;
  std::unordered_map<Key, NameId, KeyHash> entries_;
  std::unordered_map<model::FileId, std::string> targets_;
  std::size_t live_files_ = 0;
};

}  // namespace fcsim::traces::resolve

// Open file descriptions and the tables of descriptors that refer to them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/common/operation.h"

namespace fcsim::traces::resolve {

using DescriptionId = std::uint32_t;
inline constexpr DescriptionId kNoDescription = 0xffffffffU;

// What writing to a file outside the traced file system does to the machine.
enum class OutsideEffect : std::uint8_t { none, drop_caches, reclaim };

// What open(2) makes; dup and fork share it.
struct OpenDescription {
  model::FileId file = model::kNoFile;  // kNoFile: not on the traced file system
  std::uint32_t references = 0;         // descriptors in all tables
  std::uint32_t write_flags = 0;        // operation_flag direct, sync, dsync, append
  std::uint32_t read_flags = 0;         // operation_flag direct, noatime
  std::int64_t position = 0;            // bytes; -1: not known
  bool for_write = false;
  bool path_only = false;  // O_PATH: never opened, so never released
  bool repaired = false;   // opened before the trace: flags are a guess
  bool unknown = false;    // ... and nothing tells what it is
  OutsideEffect effect = OutsideEffect::none;
  std::string outside;  // absolute path where it is known and file is kNoFile
};

class Descriptions {
 public:
  [[nodiscard]] OpenDescription& at(DescriptionId id) noexcept { return pool_[id]; }
  [[nodiscard]] const OpenDescription& at(DescriptionId id) const noexcept { return pool_[id]; }

  DescriptionId make() {
    if (free_.empty()) {
      pool_.emplace_back();
      return static_cast<DescriptionId>(pool_.size() - 1);
    }
    const DescriptionId id = free_.back();
    free_.pop_back();
    return id;
  }
  void free(DescriptionId id) {
    pool_[id] = OpenDescription{};
    free_.push_back(id);
  }

 private:
  std::vector<OpenDescription> pool_;
  std::vector<DescriptionId> free_;
};

struct Descriptor {
  DescriptionId description = kNoDescription;
  bool close_on_exec = false;
};

// A files_struct: descriptor number -> description. Counting references is the caller's job. Copies
// share their entries until one changes: most children that a program with a thousand descriptors
// forks change none.
class DescriptorTable {
 public:
  [[nodiscard]] DescriptionId find(std::int32_t fd) const noexcept {
    const auto index = static_cast<std::uint32_t>(fd);  // negative numbers become too large
    const std::vector<Descriptor>& all = *entries_;
    return index < all.size() ? all[index].description : kNoDescription;
  }
  // Precondition: 0 <= fd < linux_values::kDescriptorLimit, the entry is empty.
  void set(std::int32_t fd, Descriptor descriptor) {
    const auto index = static_cast<std::size_t>(fd);
    std::vector<Descriptor>& own = to_change();
    if (own.size() <= index) own.resize(index + 1);
    own[index] = descriptor;
  }
  // Preconditions: the entry is there.
  void clear(std::int32_t fd) { to_change()[static_cast<std::size_t>(fd)] = Descriptor{}; }
  void set_close_on_exec(std::int32_t fd, bool close_on_exec) {
    to_change()[static_cast<std::size_t>(fd)].close_on_exec = close_on_exec;
  }

  [[nodiscard]] const std::vector<Descriptor>& entries() const noexcept { return *entries_; }

 private:
  std::vector<Descriptor>& to_change() {
    if (entries_.use_count() > 1) entries_ = std::make_shared<std::vector<Descriptor>>(*entries_);
    return *entries_;
  }

  std::shared_ptr<std::vector<Descriptor>> entries_ = std::make_shared<std::vector<Descriptor>>();
};

}  // namespace fcsim::traces::resolve

// The file mappings of one address space, as far as they map files of the traced file system.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <vector>

#include "model/common/operation.h"

namespace fcsim::traces::resolve {

struct Mapping {
  std::int64_t length = 0;  // bytes
  std::int64_t offset = 0;  // in the file, bytes
  model::FileId file = model::kNoFile;
  bool shared_for_write = false;
  bool inherited = false;  // copied by fork: its owner, not the copy, tells of its end
};

// A part of a mapping. `rests` is how many parts of that mapping remain when it is cut out.
struct Piece {
  std::int64_t address = 0;
  Mapping mapping;
  std::uint32_t rests = 0;
};

class Mappings {
 public:
  // Precondition: the range is free (cut() was called).
  void add(std::int64_t address, const Mapping& mapping) { by_address_[address] = mapping; }
  // Takes everything out of [address, address + length), in order of address. Each entry here
  // stands for one reference to its file: where a piece leaves 0 rests one reference is gone, where
  // it leaves 2 one is new.
  std::vector<Piece> cut(std::int64_t address, std::int64_t length);
  // The pieces of [address, address + length) without taking them out.
  [[nodiscard]] std::vector<Piece> overlap(std::int64_t address, std::int64_t length) const;
  [[nodiscard]] bool empty() const noexcept { return by_address_.empty(); }
  [[nodiscard]] boost::container::flat_map<std::int64_t, Mapping>& all() noexcept {
    return by_address_;
  }
  [[nodiscard]] const boost::container::flat_map<std::int64_t, Mapping>& all() const noexcept {
    return by_address_;
  }

 private:
  boost::container::flat_map<std::int64_t, Mapping> by_address_;
};

}  // namespace fcsim::traces::resolve

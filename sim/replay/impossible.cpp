#include "sim/replay/impossible.h"

namespace fcsim::replay {

bool is_impossible(const model::Operation& operation, std::int64_t largest) {
  constexpr std::int64_t kLargestXattr = 65536;
  using enum model::OperationKind;
  switch (operation.kind) {
    case appear:
    case truncate:
      return operation.length < 0 || operation.length > largest;
    case read:
    case write:
    case fallocate:
    case map_shared:
    case unmap:
    case msync:
    case sync_file_range:
    case move_extents:
      return operation.offset < 0 || operation.length < 0 || operation.offset > largest ||
             operation.length > largest - operation.offset;
    case set_xattr:
      return operation.length > kLargestXattr;
    default:
      return false;
  }
}

}  // namespace fcsim::replay

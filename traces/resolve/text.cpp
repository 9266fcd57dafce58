#include "traces/resolve/text.h"

namespace fcsim::traces::resolve {
namespace {

unsigned byte_at(std::string_view value, std::size_t at) {
  return static_cast<unsigned char>(value[at]);
}

}  // namespace

bool acl_is_mode_only(std::string_view value, std::int64_t length) {
  constexpr std::int64_t kHeader = 4;
  constexpr std::int64_t kEntry = 8;
  if (length != kHeader + 3 * kEntry) return false;
  constexpr unsigned kTags[3] = {0x01, 0x04, 0x20};  // owner, owning group, others
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t at = static_cast<std::size_t>(kHeader) + i * static_cast<std::size_t>(kEntry);
    if (at + 1 >= value.size()) return true;  // hidden: with 3 entries nothing else is valid
    if (byte_at(value, at) + 256 * byte_at(value, at + 1) != kTags[i]) return false;
  }
  return true;
}

ShownPath split_deleted(std::string_view shown) {
  constexpr std::string_view kMark = "(deleted)";
  if (!shown.ends_with(kMark)) return {shown, false};
  shown.remove_suffix(kMark.size());
  if (shown.ends_with(' ')) shown.remove_suffix(1);
  return {shown, true};
}

}  // namespace fcsim::traces::resolve

// Attributes: chmod, chown, times, extended attributes, ioctls, stat.
#include <algorithm>
#include <limits>

#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"
#include "traces/resolve/text.h"

namespace fcsim::traces::resolve {

using model::AttributeChange;
using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;
namespace flag = model::operation_flag;

namespace {

constexpr std::uint64_t kValueHidden = std::numeric_limits<std::uint64_t>::max();

bool by_descriptor(Call call) {
  switch (call) {
    case Call::fstat:
    case Call::fchmod:
    case Call::fchown:
    case Call::fsetxattr:
    case Call::fremovexattr:
      return true;
    default:
      return false;
  }
}

std::uint32_t failure_flag(const Event& event) {
  switch (event.error) {
    case kEexist:
      return flag::failed_exists;
    case kEnodata:
      return flag::failed_missing;
    case kEnospc:
      return flag::failed_no_space;
    default:
      return 0;
  }
}

}  // namespace

// The file whose attributes a successful call reads or changes.
FileId Engine::attribute_target(const Event& event, bool follow) {
  if (by_descriptor(event.call) || (event.path.empty() && event.fd >= 0)) {
    return file_of(event.fd, event.fd_path);
  }
  Walked& walked = walk_first(event, follow);
  return names_file(walked) ? existing(walked, FileType::regular) : kNoFile;
}

void Engine::attribute_call(const Event& event, AttributeChange change, bool follow) {
  if (event.result != 0) return;
  const FileId file = attribute_target(event, follow);
  if (file == kNoFile) return;
  Operation& operation = emit(OperationKind::set_attributes, file);
  operation.type = names_.file(file).type;
  operation.value = static_cast<std::uint64_t>(change);
  if (change == AttributeChange::owner) {  // -1 leaves one as it is
    operation.offset = static_cast<std::int32_t>(event.argument);
    operation.length = static_cast<std::int32_t>(event.length);
  }
}

// The reader says whether the times were given (0), the current one (1) or none (2).
void Engine::times_call(const Event& event) {
  if (event.argument > 1) return;
  const AttributeChange change =
      event.argument == 1 ? AttributeChange::times_now : AttributeChange::times;
  attribute_call(event, change, !has_flag(event, kAtNoFollow));
}

void Engine::stat_call(const Event& event, bool follow) {
  if (event.result != 0) return walk_to_nothing(event, follow);
  const FileId file = attribute_target(event, follow);
  if (file == kNoFile) return;
  learn_stat(file, event.argument, event.length);
  emit(OperationKind::get_attributes, file).type = names_.file(file).type;
}

void Engine::xattr_call(const Event& event, bool set, bool follow) {
  std::uint32_t flags = 0;
  if (event.result != 0) {
    flags = failure_flag(event);
    if (flags == 0) return;
  }
  const FileId file = attribute_target(event, follow);
  if (file == kNoFile) return;
  const std::string_view name = event.path2;
  if (name.empty()) count(unseen::hidden_names);
  if (name == "security.capability") flags |= flag::capability;
  if (name == "system.posix_acl_access") flags |= flag::acl;
  if (name == "system.posix_acl_default") flags |= flag::acl | flag::default_acl;
  Operation& operation = emit(set ? OperationKind::set_xattr : OperationKind::remove_xattr, file);
  operation.type = names_.file(file).type;
  operation.name_length = static_cast<std::uint16_t>(std::min<std::size_t>(name.size(), 0xffff));
  operation.name_hash = model::hash_bytes(name);
  if (set) {
    operation.length = std::max<std::int64_t>(event.length, 0);
    operation.value = model::hash_bytes(event.text);
    const bool hidden = event.truncated_text || (event.text.empty() && operation.length > 0);
    if (hidden) flags |= flag::value_unknown;
    if ((flags & flag::acl) != 0 && acl_is_mode_only(event.text, operation.length))
      flags |= flag::acl_is_mode;
  }
  operation.flags = flags;
}

// FS_XFLAG_* are other bits than those of FS_IOC_SETFLAGS.
void Engine::file_setattr_call(const Event& event) {
  if (event.result != 0) return;
  const FileId file = attribute_target(event, !has_flag(event, kAtNoFollow));
  if (file == kNoFile) return;
  Operation& operation = emit(OperationKind::set_flags, file);
  operation.type = names_.file(file).type;
  operation.value = kValueHidden;
}

void Engine::ioctl_call(const Event& event) {
  if (event.result < 0) return;
  if (event.flags == kCloneFile || event.flags == kCloneRange || event.flags == kDedupeRange)
    return share_call(event);
  OperationKind kind = OperationKind::none;
  std::uint64_t value = 0;
  switch (event.flags) {
    case kSetFlags:
    case kSetFlags32:
      kind = OperationKind::set_flags;
      value = event.argument;
      break;
    case kSetExtendedFlags:
      kind = OperationKind::set_flags;
      value = kValueHidden;
      break;
    case kSwapBoot:
      kind = OperationKind::swap_boot;
      break;
    case kMoveExtents:
      kind = OperationKind::move_extents;
      break;
    case kMigrate:
      kind = OperationKind::migrate;
      break;
    case kResize:
    case kGroupAdd:
    case kGroupExtend:
      kind = OperationKind::resize;
      break;
    case kEnableVerity:
      kind = OperationKind::enable_verity;
      break;
    case kSetEncryptionPolicy:
      kind = OperationKind::set_encryption;
      break;
    case kFreeze:
      kind = OperationKind::freeze;
      break;
    default:
      return;
  }
  const FileId file = file_of(event.fd, event.fd_path);
  if (file == kNoFile) return;
  Operation& operation = emit(kind, file);
  operation.type = names_.file(file).type;
  operation.value = value;
  if (kind != OperationKind::move_extents) return;
  operation.file2 = event.fd2 < 0 ? kNoFile : file_of(event.fd2, event.fd2_path);
  operation.offset = std::max<std::int64_t>(event.offset, 0);
  operation.length = std::max<std::int64_t>(event.length, 0);
}

}  // namespace fcsim::traces::resolve

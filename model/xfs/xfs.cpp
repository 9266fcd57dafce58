#include "model/xfs/xfs.h"

#include <algorithm>

namespace fcsim::model::xfs {

namespace {

// When a call looks at the clock: soon where it waits for its data or its log write afterwards,
// else near its end.
Time stamp_moment(const XfsRules& rules, const Operation& op, Time now, bool synchronous) {
  constexpr std::uint32_t waits =
      operation_flag::direct | operation_flag::sync | operation_flag::dsync;
  if (now < op.start || now > op.end) return now;
  if (synchronous || (op.flags & waits) != 0)
    return std::min(op.end, op.start + rules.clock_read_after_us * 1000);
  return op.start + (op.end - op.start) / 100 * rules.clock_read_at_percent;
}

}  // namespace

void Xfs::apply(const Operation& op, Time now) {
  const Call call{op,
                  now,
                  stamp_moment(settings_.rules, op, now, waits_for_names()),
                  {op.line, op.source, op.pid, op.kind, op.file}};
  if ((op.flags & operation_flag::observed) != 0 && known(op.file))
    inodes_[op.file]->ctime_queried = true;
  switch (op.kind) {
    case OperationKind::appear:
      appear_file(call);
      break;
    case OperationKind::create:
    case OperationKind::mkdir:
    case OperationKind::symlink:
    case OperationKind::mknod:
      make_named(call);
      break;
    case OperationKind::tmpfile:
      make_tmpfile(call);
      break;
    case OperationKind::link:
      link(call);
      break;
    case OperationKind::unlink:
    case OperationKind::rmdir:
      unlink(call);
      break;
    case OperationKind::rename:
      rename(call);
      break;
    case OperationKind::exchange:
      exchange(call);
      break;
    case OperationKind::evict:
      evict(call);
      break;
    case OperationKind::release:
      release(call);
      break;
    case OperationKind::read:
    case OperationKind::follow_symlink:
      if (known(op.file))
        touch_atime(op.file, call.stamp, call.origin, (op.flags & operation_flag::noatime) != 0);
      break;
    case OperationKind::write:
      if (clones(op))
        clone(call);
      else
        write(call);
      break;
    case OperationKind::clone:
      clone(call);
      break;
    case OperationKind::dedupe:
      dedupe(call);
      break;
    case OperationKind::refused: {
      Transaction transaction(*this, now, call.origin);
      transaction.cancel();
      break;
    }
    case OperationKind::truncate:
      truncate(call);
      break;
    case OperationKind::fallocate:
      fallocate(call);
      break;
    case OperationKind::set_attributes:
      set_attributes(call);
      break;
    case OperationKind::set_xattr:
      set_xattr(call);
      break;
    case OperationKind::remove_xattr:
      remove_xattr(call);
      break;
    case OperationKind::get_attributes:
      if (known(op.file)) inodes_[op.file]->ctime_queried = true;
      break;
    default:
      break;
  }
}

}  // namespace fcsim::model::xfs

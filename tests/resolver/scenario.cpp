#include "tests/resolver/scenario.h"

#include "traces/bundle/manifest.h"

namespace fcsim::test {
namespace {

using model::Operation;
using model::OperationKind;

model::InitialState state_of(const char* manifest) {
  if (manifest == nullptr) return {};
  return traces::bundle::parse_manifest(std::string("d\t755\t2\t3\t4096\t8\t.\n") + manifest,
                                        "manifest");
}

const char* name_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::appear:
      return "appear";
    case OperationKind::create:
      return "create";
    case OperationKind::mkdir:
      return "mkdir";
    case OperationKind::symlink:
      return "symlink";
    case OperationKind::mknod:
      return "mknod";
    case OperationKind::tmpfile:
      return "tmpfile";
    case OperationKind::link:
      return "link";
    case OperationKind::unlink:
      return "unlink";
    case OperationKind::rmdir:
      return "rmdir";
    case OperationKind::rename:
      return "rename";
    case OperationKind::exchange:
      return "exchange";
    case OperationKind::evict:
      return "evict";
    case OperationKind::open:
      return "open";
    case OperationKind::release:
      return "release";
    case OperationKind::read:
      return "read";
    case OperationKind::write:
      return "write";
    case OperationKind::truncate:
      return "truncate";
    case OperationKind::fallocate:
      return "fallocate";
    case OperationKind::map_shared:
      return "map";
    case OperationKind::unmap:
      return "unmap";
    case OperationKind::fsync:
      return "fsync";
    case OperationKind::fdatasync:
      return "fdatasync";
    case OperationKind::msync:
      return "msync";
    case OperationKind::sync_file_range:
      return "sync_range";
    case OperationKind::syncfs:
      return "syncfs";
    case OperationKind::sync:
      return "sync";
    case OperationKind::set_attributes:
      return "set";
    case OperationKind::set_xattr:
      return "setxattr";
    case OperationKind::remove_xattr:
      return "removexattr";
    case OperationKind::get_attributes:
      return "stat";
    case OperationKind::follow_symlink:
      return "follow";
    case OperationKind::lookup:
      return "lookup";
    case OperationKind::set_flags:
      return "setflags";
    case OperationKind::swap_boot:
      return "swap_boot";
    case OperationKind::move_extents:
      return "move_extents";
    case OperationKind::resize:
      return "resize";
    case OperationKind::freeze:
      return "freeze";
    case OperationKind::drop_caches:
      return "drop_caches";
    case OperationKind::remount:
      return "remount";
    case OperationKind::unmount:
      return "unmount";
    case OperationKind::end_of_trace:
      return "end";
    default:
      return "other";
  }
}

bool has_range(OperationKind kind) {
  switch (kind) {
    case OperationKind::read:
    case OperationKind::write:
    case OperationKind::fallocate:
    case OperationKind::map_shared:
    case OperationKind::unmap:
    case OperationKind::msync:
    case OperationKind::sync_file_range:
      return true;
    default:
      return false;
  }
}

std::string file_text(model::FileId file) {
  return file == model::kNoFile ? "-" : std::to_string(file);
}

std::string flags_text(std::uint32_t flags) {
  namespace f = model::operation_flag;
  constexpr std::pair<std::uint32_t, const char*> kNames[] = {{f::for_write, " w"},
                                                              {f::direct, " direct"},
                                                              {f::sync, " sync"},
                                                              {f::dsync, " dsync"},
                                                              {f::append, " append"},
                                                              {f::by_open, " by_open"},
                                                              {f::whiteout, " whiteout"},
                                                              {f::acl, " acl"},
                                                              {f::default_acl, " default"},
                                                              {f::failed_exists, " exists"},
                                                              {f::failed_missing, " missing"},
                                                              {f::failed_no_space, " no_space"},
                                                              {f::noatime, " noatime"},
                                                              {f::mapped_for_write, " mapped"},
                                                              {f::acl_is_mode, " is_mode"},
                                                              {f::value_unknown, " unknown"},
                                                              {f::created, " new"},
                                                              {f::again, " again"}};
  std::string text;
  for (const auto& [flag, name] : kNames) {
    if ((flags & flag) != 0) text += name;
  }
  return text;
}

bool shows_value(OperationKind kind) {
  switch (kind) {
    case OperationKind::fallocate:
    case OperationKind::set_attributes:
    case OperationKind::set_flags:
    case OperationKind::drop_caches:
    case OperationKind::sync_file_range:
      return true;
    default:
      return false;
  }
}

std::string one(const Operation& operation) {
  std::string text = std::string(name_of(operation.kind)) + ":" + file_text(operation.file);
  if (operation.parent != model::kNoFile) text += " in " + file_text(operation.parent);
  if (operation.parent2 != model::kNoFile) text += " to " + file_text(operation.parent2);
  if (operation.file2 != model::kNoFile) text += " over " + file_text(operation.file2);
  if (has_range(operation.kind)) {
    text += " " + std::to_string(operation.offset) + "+" + std::to_string(operation.length);
  } else if (operation.length != 0 || operation.kind == OperationKind::truncate) {
    text += " " + std::to_string(operation.length);
  }
  if (shows_value(operation.kind)) text += " =" + std::to_string(operation.value);
  return text + flags_text(operation.flags);
}

}  // namespace

Make opens(std::string_view path, std::uint64_t flags, std::int64_t result) {
  return Make(Call::openat).at().path(path).flags(flags).result(result);
}
Make closes(std::int32_t fd) {
  return Make(Call::close).fd(fd);
}
Make writes(std::int32_t fd, std::int64_t length) {
  return Make(Call::write).fd(fd).length(length).result(length);
}
Make reads(std::int32_t fd, std::int64_t length) {
  return Make(Call::read).fd(fd).length(length).result(length);
}

Scenario::Scenario(const char* manifest, std::string mount_point)
    : resolver_({std::move(mount_point)}, state_of(manifest)) {
  if (resolver_.mount_point() != "/") {
    (*this)(Make(Call::getcwd).text(resolver_.mount_point()).result(3));
  }
}

std::string Scenario::operator()(const Make& make) {
  traces::Event event = make.event;
  event.line = ++line_;
  if (event.start_ns == 0) event.start_ns = clock_ += 1000;
  operations_.clear();
  resolver_.resolve(event, operations_);
  return text_of(operations_);
}

std::string Scenario::finish() {
  operations_.clear();
  resolver_.finish(operations_);
  return text_of(operations_);
}

std::uint64_t Scenario::count(const std::string& what) const {
  const auto counts = resolver_.unsupported();
  const auto found = counts.find(what);
  return found == counts.end() ? 0 : found->second;
}

std::string text_of(const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    if (!text.empty()) text += "; ";
    text += one(operation);
  }
  return text;
}

}  // namespace fcsim::test

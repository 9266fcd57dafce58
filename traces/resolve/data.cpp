// Data: reads, writes and what makes them durable.
#include <algorithm>
#include <charconv>

#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"
#include "traces/resolve/ranges.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;
namespace flag = model::operation_flag;

void Engine::write_to(DescriptionId id, std::int64_t offset, std::int64_t length, std::uint64_t rwf,
                      const Event& event) {
  OpenDescription& description = descriptions_.at(id);
  if (description.file == kNoFile) return outside_write(description, event);
  File& file = names_.file(description.file);
  if (file.type != FileType::regular) return;
  ++sightings_.changes_of_data;
  std::uint32_t flags = description.write_flags;
  if (rwf != 0) {
    if ((rwf & kWriteDataSync) != 0) flags |= flag::dsync;
    if ((rwf & kWriteSync) != 0) flags |= flag::sync;
    if ((rwf & kWriteAppend) != 0) flags |= flag::append;
  }
  const bool at_position = offset < 0;
  if (at_position && description.position < 0 && (flags & flag::append) == 0) {
    count(unseen::unknown_positions);
    assumed_positions_ = true;
    description.position = file.size;
  }
  if ((flags & flag::append) != 0) {
    offset = file.size;
  } else if (at_position) {
    offset = description.position;
  }
  if (at_position) description.position = end_of(offset, length);
  if (end_of(offset, length) > file.size) file.size = end_of(offset, length);
  Operation& operation = emit(OperationKind::write, description.file);
  operation.offset = offset;
  operation.length = length;
  operation.flags = flags;
}

void Engine::write_call(const Event& event, bool at_position) {
  if (event.result < 0 && event.error == kEnospc) return fail_to_write(event);
  if (event.result <= 0) return;
  if (event.fd == kNoFd) return write_shown(event);
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription) return;
  const std::uint64_t rwf = event.call == Call::pwritev2 ? event.argument : 0;
  write_to(id, at_position ? -1 : event.offset, event.result, rwf, event);
}

void Engine::fail_to_write(const Event& event) {
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription || descriptions_.at(id).file == kNoFile) return;
  const FileId file = descriptions_.at(id).file;
  if (names_.file(file).type != FileType::regular) return;
  emit(OperationKind::write, file).flags =
      (descriptions_.at(id).write_flags & flag::direct) | flag::failed_no_space;
}

// A write without a descriptor: a request of io_uring on a file of its own table.
void Engine::write_shown(const Event& event) {
  const FileId id = file_shown(event.fd_path);
  if (id == kNoFile || event.offset < 0) return;
  File& file = names_.file(id);
  file.size = std::max(file.size, end_of(event.offset, event.result));
  Operation& operation = emit(OperationKind::write, id);
  operation.offset = event.offset;
  operation.length = event.result;
}

void Engine::read_from(DescriptionId id, std::int64_t offset, std::int64_t length) {
  OpenDescription& description = descriptions_.at(id);
  if (description.file == kNoFile) return;
  const FileId file = description.file;
  if (names_.file(file).type != FileType::regular) return;
  if (offset < 0) {
    offset = description.position < 0 ? 0 : description.position;
    description.position = end_of(offset, length);
  }
  File& known = names_.file(file);
  if (length > 0 && end_of(offset, length) > known.size) {
    if (known.taken_as_new) {
      count(unseen::read_beyond);
      known.taken_as_new = known.size_exact = false;
    }
    learn_size(file, end_of(offset, length), false);
  }
  Operation& operation = emit(OperationKind::read, file);
  operation.offset = offset;
  operation.length = length;
  operation.flags = description.read_flags;
}

void Engine::read_call(const Event& event, bool at_position) {
  if (event.result < 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id != kNoDescription) read_from(id, at_position ? -1 : event.offset, event.result);
}

void Engine::outside_write(const OpenDescription& description, const Event& event) {
  if (description.effect == OutsideEffect::none) return;
  std::uint64_t what = 2;
  if (description.effect == OutsideEffect::drop_caches) {
    const char digit = event.text.empty() ? '3' : event.text.front();
    if (digit < '1' || digit > '3') return;
    what = static_cast<std::uint64_t>(digit - '0');
  }
  emit(OperationKind::drop_caches, kNoFile).value = what;
}

void Engine::lseek_call(const Event& event) {
  if (event.result < 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription) return;
  OpenDescription& description = descriptions_.at(id);
  description.position = event.result;
  if (event.argument != kSeekEnd || event.offset != 0 || description.file == kNoFile) return;
  if (names_.file(description.file).type == FileType::regular) {
    learn_size(description.file, event.result, true);
  }
}

// sendfile, copy_file_range, splice: a read of `fd2` and a write to `fd`. What copy_file_range
// copies may be shared instead, so that its source is said as well.
void Engine::transfer_call(const Event& event) {
  if (event.result <= 0) return;
  const DescriptionId in = description_of(event.fd2, event.fd2_path);
  const DescriptionId out = description_of(event.fd, event.fd_path);
  const bool copies = event.call == Call::copy_file_range;
  std::int64_t from = event.call == Call::sendfile ? event.offset : -1;
  if (copies && event.argument != 0) from = static_cast<std::int64_t>(event.argument) - 1;
  FileId source = kNoFile;
  if (in != kNoDescription) {
    const std::int64_t position = std::max<std::int64_t>(0, descriptions_.at(in).position);
    source = descriptions_.at(in).file;
    read_from(in, from, event.result);
    if (from < 0) from = position;
  }
  if (out == kNoDescription) return;
  const std::size_t before = out_->size();
  write_to(out, event.call == Call::sendfile ? -1 : event.offset, event.result, 0, event);
  if (!copies || source == kNoFile || out_->size() == before) return;
  Operation& operation = out_->back();
  operation.flags |= flag::copied;
  operation.file2 = source;
  operation.value = static_cast<std::uint64_t>(from);
}

// The number after `key` in a structure that strace printed.
std::int64_t Engine::number_in(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::int64_t number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

// FICLONE and FICLONERANGE go to `fd`; FIDEDUPERANGE goes from it, to one file as a rule.
void Engine::share_call(const Event& event) {
  FileId from = kNoFile;
  FileId to = kNoFile;
  Operation shape;
  if (event.flags == kCloneFile) {
    to = file_of(event.fd, event.fd_path);
    from = file_of(event.fd2, event.fd2_path);
  } else {
    const bool clones = event.flags == kCloneRange;
    const std::string_view key = clones ? "src_fd=" : "dest_fd=";
    const auto other = static_cast<std::int32_t>(number_in(event.text, key));
    from = file_of(clones ? other : event.fd, clones ? std::string_view{} : event.fd_path);
    to = file_of(clones ? event.fd : other, clones ? event.fd_path : std::string_view{});
    shape.value = static_cast<std::uint64_t>(number_in(event.text, "src_offset="));
    shape.length = number_in(event.text, "src_length=");
    shape.offset = number_in(event.text, "dest_offset=");
  }
  if (from == kNoFile || to == kNoFile) return;
  const bool dedupes = event.flags == kDedupeRange;
  if (!dedupes) {
    const std::int64_t source_size = names_.file(from).size;
    const std::int64_t length =
        shape.length != 0 ? shape.length : source_size - static_cast<std::int64_t>(shape.value);
    File& target = names_.file(to);
    target.size = std::max(target.size, end_of(shape.offset, std::max<std::int64_t>(0, length)));
  }
  Operation& operation = emit(dedupes ? OperationKind::dedupe : OperationKind::clone, to);
  operation.file2 = from;
  operation.offset = shape.offset;
  operation.length = shape.length;
  operation.value = shape.value;
}

void Engine::truncate_call(const Event& event) {
  if (event.result != 0 || event.length < 0) return;
  FileId file = kNoFile;
  std::uint32_t flags = 0;
  if (event.call == Call::ftruncate) {
    const DescriptionId id = description_of(event.fd, event.fd_path);
    if (id == kNoDescription) return;
    file = descriptions_.at(id).file;
    flags = descriptions_.at(id).write_flags & (flag::sync | flag::dsync);
  } else {
    Walked& walked = walk_first(event, true);
    if (names_file(walked)) file = existing(walked, FileType::regular);
  }
  if (file == kNoFile) return;
  ++sightings_.changes_of_data;
  names_.file(file).size = event.length;
  names_.file(file).size_exact = true;
  Operation& operation = emit(OperationKind::truncate, file);
  operation.length = event.length;
  operation.flags = flags;
}

void Engine::fallocate_call(const Event& event) {
  const bool no_space = event.result < 0 && event.error == kEnospc;
  if ((event.result != 0 && !no_space) || event.offset < 0 || event.length < 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription || descriptions_.at(id).file == kNoFile) return;
  constexpr std::uint64_t allocating = kKeepSize | kZeroRange;
  if (no_space && (event.flags & ~allocating) != 0) return;
  const FileId id_of_file = descriptions_.at(id).file;
  ++sightings_.changes_of_data;
  File& file = names_.file(id_of_file);
  if ((event.flags & kCollapseRange) != 0) {
    file.size = file.size > event.length ? file.size - event.length : 0;
  } else if ((event.flags & kInsertRange) != 0) {
    file.size = end_of(file.size, event.length);
  } else if (no_space) {
    file.size_exact = false;  // it has grown by what there was
  } else if ((event.flags & (kKeepSize | kPunchHole)) == 0) {
    file.size = std::max(file.size, end_of(event.offset, event.length));
  }
  Operation& operation = emit(OperationKind::fallocate, id_of_file);
  operation.offset = event.offset;
  operation.length = event.length;
  operation.value = event.flags;
  operation.flags = no_space ? flag::failed_no_space
                             : descriptions_.at(id).write_flags & (flag::sync | flag::dsync);
}

void Engine::sync_call(const Event& event) {
  if (event.call == Call::sync) {
    ++sightings_.syncs;
    emit(OperationKind::sync, kNoFile);
    return;
  }
  if (event.result != 0) return;
  const bool hidden = event.fd == kNoFd;  // a request of io_uring on a file of its own table
  const DescriptionId id = hidden ? kNoDescription : description_of(event.fd, event.fd_path);
  const FileId file = hidden                 ? file_shown(event.fd_path)
                      : id == kNoDescription ? kNoFile
                                             : descriptions_.at(id).file;
  if (file == kNoFile) {
    // A sync call succeeds on files and devices alone.
    const bool unknown = id == kNoDescription || descriptions_.at(id).unknown;
    ++(unknown ? sightings_.syncs_unknown : sightings_.syncs_elsewhere);
    if (unknown) count(unseen::unknown_syncs);
    return;
  }
  ++sightings_.syncs;
  const FileType type = names_.file(file).type;
  if (event.call == Call::fsync) {
    emit(OperationKind::fsync, file).type = type;
  } else if (event.call == Call::fdatasync) {
    emit(OperationKind::fdatasync, file).type = type;
  } else if (event.call == Call::syncfs) {
    emit(OperationKind::syncfs, file).type = type;
  } else {
    Operation& operation = emit(OperationKind::sync_file_range, file);
    operation.offset = event.offset;
    operation.length = event.length;
    operation.value = event.flags;
  }
}

void Engine::getdents_call(const Event& event) {
  if (event.result < 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription || descriptions_.at(id).file == kNoFile) return;
  const FileId file = descriptions_.at(id).file;
  learn_type(file, FileType::directory);
  Operation& operation = emit(OperationKind::read, file);
  operation.type = FileType::directory;
  operation.length = event.result;
  operation.flags = descriptions_.at(id).read_flags;
}

}  // namespace fcsim::traces::resolve

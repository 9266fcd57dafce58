// Mappings of files into memory.
#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::kNoFile;
using model::Operation;
namespace flag = model::operation_flag;

namespace {

void set_range(Operation& operation, const Mapping& mapping) {
  operation.offset = mapping.offset;
  operation.length = mapping.length;
}

}  // namespace

void Engine::mmap_call(const Event& event) {
  if (event.result < 0 || event.length <= 0) return;
  munmap_call(event.result, event.length);  // what lay there is gone
  if (event.fd < 0 || (event.flags & kMapAnonymous) != 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription || descriptions_.at(id).file == kNoFile) return;
  const OpenDescription& description = descriptions_.at(id);
  const std::uint64_t kind = event.flags & kMapTypeMask;
  Mapping mapping;
  mapping.length = event.length;
  mapping.offset = event.offset < 0 ? 0 : event.offset;
  mapping.file = description.file;
  mapping.shared_for_write =
      (kind == kMapShared || kind == kMapSharedValidate) && (event.argument & kProtectWrite) != 0;
  hold(mapping.file);
  process_->mappings->add(event.result, mapping);
  emit(OperationKind::read, mapping.file).flags = description.read_flags;
  if (!mapping.shared_for_write) return;
  // A recording through tracepoints tells each store that dirties a folio.
  if (event.cpu < 0) count(unseen::shared_stores);
  ++sightings_.changes_of_data;
  set_range(emit(OperationKind::map_shared, mapping.file), mapping);
}

void Engine::munmap_call(std::int64_t address, std::int64_t length) {
  if (length <= 0 || process_->mappings->empty()) return;
  for (const Piece& piece : process_->mappings->cut(address, length)) {
    const Mapping& mapping = piece.mapping;
    if (piece.rests == 2) hold(mapping.file);
    if (mapping.shared_for_write && !mapping.inherited) {
      set_range(emit(OperationKind::unmap, mapping.file), mapping);
    }
    if (piece.rests == 0) let_go(mapping.file);
  }
}

// A mapping that grows or moves is told as its end and a new one.
void Engine::mremap_call(const Event& event) {
  if (event.result < 0) return;
  const std::int64_t address = mapping_address(event);
  const std::int64_t new_length = mremap_new_length(event);
  const auto pieces = process_->mappings->overlap(address, event.length);
  if (pieces.empty() || new_length <= 0) return;
  Mapping mapping = pieces.front().mapping;
  const bool same = event.result == address && new_length == event.length;
  if (same) return;
  hold(mapping.file);
  munmap_call(address, event.length);
  munmap_call(event.result, new_length);
  mapping.length = new_length;
  mapping.inherited = false;
  process_->mappings->add(event.result, mapping);
  if (mapping.shared_for_write) set_range(emit(OperationKind::map_shared, mapping.file), mapping);
}

void Engine::msync_call(const Event& event) {
  if (event.result != 0 || (event.flags & kSyncMapping) == 0) return;
  const std::int64_t address = mapping_address(event);
  for (const Piece& piece : process_->mappings->overlap(address, event.length)) {
    Operation& operation = emit(OperationKind::msync, piece.mapping.file);
    set_range(operation, piece.mapping);
    // What was stored to is known where stores are told.
    if (piece.mapping.shared_for_write && event.cpu < 0) operation.flags = flag::mapped_for_write;
  }
}

void Engine::drop_mappings(Mappings& mappings) {
  const auto all = std::move(mappings.all());
  mappings.all().clear();
  for (const auto& [address, mapping] : all) {
    if (mapping.shared_for_write && !mapping.inherited) {
      set_range(emit(OperationKind::unmap, mapping.file), mapping);
    }
    let_go(mapping.file);
  }
}

}  // namespace fcsim::traces::resolve

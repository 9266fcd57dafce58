// Images of file systems, and what the recorder's programs in the kernel write.
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "sim/machine/geometry/image.h"
#include "sim/machine/geometry/journal_log.h"
#include "sim/machine/record/tracepoints/assembler.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/targets.h"
#include "traces/input.h"

namespace fcsim::fuzz {
namespace {

using namespace machine::record::tracepoints;

std::string decompressed(const std::string& path) {
  const auto source = traces::open_source(path);
  std::string bytes;
  std::array<char, 65536> part{};
  for (std::size_t count = 0; (count = source->read(part.data(), part.size())) != 0;)
    bytes.append(part.data(), count);
  return bytes;
}

// Places that say what the rest means: the superblock, the first group's descriptors and inodes,
// and the journal.
std::size_t place_of(std::uint32_t number, std::size_t size) {
  static constexpr std::size_t kSuperblock = 1024;
  const std::size_t region = number & 3U;
  const std::size_t within = number >> 2;
  const std::size_t at = region == 0   ? kSuperblock + within % 1024
                         : region == 1 ? 2048 + within % 14336
                                       : within % size;
  return at % size;
}

}  // namespace

// Six bytes a change: where, and two bytes that come there.
void image(std::string_view input) {
  static const std::string base = decompressed(source_path("tests/geometry/data/unclean.img.zst"));
  std::string bytes = base;
  for (; input.size() >= 6; input.remove_prefix(6)) {
    std::uint32_t where = 0;
    std::memcpy(&where, input.data(), sizeof where);
    const std::size_t at = place_of(where, bytes.size() - 1);
    bytes[at] = input[4];
    bytes[at + 1] = input[5];
  }
  const MemoryFile file(bytes);
  answer([&] {
    machine::geometry::Image read(file.path());
    const machine::geometry::FilesystemOnDisk& system = read.filesystem();
    machine::geometry::JournalFile* const journal = read.journal();
    if (journal == nullptr || !system.journal) return;
    std::uint64_t records = 0;
    for (const auto scope : {machine::geometry::LogScope::live, machine::geometry::LogScope::whole})
      machine::geometry::read_log(*system.journal, *journal,
                                  {.scope = scope,
                                   .area_blocks = system.settings.fast_commit_blocks,
                                   .record = [&](const auto& record) {
                                     records += machine::geometry::log_json(record).size();
                                   }});
  });
}

// Records as the kernel's programs write them: whole, of a known kind. Each begins with two bytes
// that say the kind and how much follows its fixed part; what the input lacks is zeros.
void tracepoints(std::string_view input) {
  std::uint64_t events = 0;
  Assembler assembler({.mount_point = "/mnt/d"}, [&](traces::Event&) { ++events; });
  std::vector<std::uint64_t> aligned;  // as records lie in the ring
  while (input.size() > 2) {
    const auto kind = static_cast<unsigned char>(1 + static_cast<unsigned char>(input[0]) % 9);
    const std::size_t size = record_bytes(kind) + static_cast<unsigned char>(input[1]);
    input.remove_prefix(2);
    aligned.assign(size / 8 + 1, 0);
    char* const bytes = reinterpret_cast<char*>(aligned.data());
    const std::size_t given = std::min(size, input.size());
    std::memcpy(bytes, input.data(), given);
    input.remove_prefix(given);
    bytes[0] = static_cast<char>(kind);
    try {
      assembler.take({bytes, size});
    } catch (const std::runtime_error&) {
      continue;  // a record of no known form
    }
  }
  assembler.finish();
}

}  // namespace fcsim::fuzz

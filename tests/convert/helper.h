// Traces in both forms, in memory and in a folder of their own.
#pragma once

#include <unistd.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/common/error.h"
#include "tests/catch.h"
#include "tests/trace/events.h"
#include "traces/binary/format.h"
#include "traces/binary/reader.h"
#include "traces/binary/writer.h"

namespace fcsim::test {

inline std::string bundle_folder(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + name;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// A folder that lives as long as the test.
class Workspace {
 public:
  Workspace()
      : folder_(std::string(FCSIM_BINARY_DIR) + "/test-files/convert-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Workspace() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::string folder_;
};

inline std::string convert(traces::TraceReader& reader, std::optional<int> zstd_level = {}) {
  std::string bytes;
  traces::binary::write_binary(reader, {"test", zstd_level},
                               [&](std::string_view part) { bytes += part; });
  return bytes;
}

inline std::string convert_text(const std::string& text, std::optional<int> zstd_level = {}) {
  return convert(*traces::strace::open_strace_text(text, "t", {}), zstd_level);
}

inline traces::binary::Reader open_binary(const std::string& bytes, bool strict = false) {
  return traces::binary::Reader(traces::open_memory(bytes, "t.fct"), "t.fct", {.strict = strict});
}

// Reads to the end; the message of the InputError, "" without one. Other exceptions pass.
inline std::string refusal(const std::string& bytes, bool strict = false) {
  try {
    traces::binary::Reader reader = open_binary(bytes, strict);
    for (traces::Event event; reader.next(event);) {
    }
    return "";
  } catch (const model::InputError& error) {
    return error.what();
  }
}

// All that a reader tells, as text.
inline std::string account(traces::TraceReader& reader) {
  std::string text;
  for (traces::Event event; reader.next(event);) text += traces::test::describe(event) + "\n";
  const traces::ReaderStatistics& s = reader.statistics();
  for (const std::uint64_t count :
       {s.lines, s.events, s.ignored_calls, s.unparsable, s.restarted_calls, s.injected_calls,
        s.orphan_resumed, s.never_resumed, s.released_early, s.reordered,
        static_cast<std::uint64_t>(s.first_time_ns), static_cast<std::uint64_t>(s.last_time_ns),
        static_cast<std::uint64_t>(s.time_base), static_cast<std::uint64_t>(s.has_pids),
        static_cast<std::uint64_t>(s.has_durations), static_cast<std::uint64_t>(s.has_fd_paths)})
    text += std::to_string(count) + " ";
  for (const traces::Diagnostic& diagnostic : s.first_diagnostics)
    text += "\n" + to_string(diagnostic.position) + ": " + diagnostic.message;
  for (const traces::SourceFile& source : reader.sources())
    text += "\n" + source.path + " " + std::to_string(source.lines) + " " +
            std::to_string(source.bytes) + " " + std::to_string(source.xxh64);
  return text;
}

// Lines of many kinds: split calls, strings with anything in them, nonsense, forks.
inline std::string varied_text() {
  return "10 1800000000.000001 openat(AT_FDCWD</>, \"/m/a\\tb\\0c\", O_RDWR|O_CREAT, 0644) = "
         "3</m/a> <0.000010>\n"
         "10 1800000000.000101 write(3</m/a>, \"x\"..., 4096) = 4096 <0.000020>\n"
         "10 1800000000.000201 fsync(3</m/a> <unfinished ...>\n"
         "11 1800000000.000301 rename(\"/m/a\", \"/m/b\") = -1 ENOENT (No such file) <0.000001>\n"
         "this is not a line of strace\n"
         "10 1800000000.000401 <... fsync resumed>) = 0 <0.000300>\n"
         "10 1800000000.000501 fsetxattr(3</m/a>, \"user.n\", \"\\x00\\xff\", 2, 0) = 0 "
         "<0.000010>\n"
         "10 1800000000.000601 clone(child_stack=NULL, flags=CLONE_VM|SIGCHLD) = 12 <0.000050>\n"
         "10 1800000000.000701 copy_file_range(3</m/a>, NULL, 4</m/c>, NULL, 65536, 0) = 65536 "
         "<0.000100>\n"
         "another, \xff\n"
         "12 1800000000.000801 pwrite64(4</m/c>, \"\"..., 70000, 9999999999) = 70000 <0.000100>\n"
         "10 1800000000.000701 fdatasync(9</m/c> <unfinished ...>\n"
         "12 1800000009.000801 +++ exited with 0 +++\n";
}

// ---- a file taken apart and put together with right checksums ----------------------------------

struct Block {
  traces::binary::BlockHeader header;
  std::string content;
};

struct TakenApart {
  std::string header;
  std::vector<Block> blocks;
};

inline TakenApart take_apart(const std::string& bytes) {
  using namespace traces::binary;
  TakenApart parts;
  std::size_t at = kPreambleSize + load<std::uint32_t>(bytes.data() + 12) + kHashSize;
  parts.header = bytes.substr(0, at);
  while (at < bytes.size()) {
    Block block{load<BlockHeader>(bytes.data() + at), ""};
    at += kBlockHeaderSize + kHashSize;
    block.content = bytes.substr(at, block.header.stored_size);
    at += block.content.size();
    parts.blocks.push_back(std::move(block));
  }
  return parts;
}

inline std::string put_together(TakenApart parts) {
  using namespace traces::binary;
  std::string bytes = parts.header;
  for (Block& block : parts.blocks) {
    block.header.stored_size = static_cast<std::uint32_t>(block.content.size());
    if (block.header.codec == Codec::none) block.header.content_size = block.header.stored_size;
    block.header.content_hash = XXH64(block.content.data(), block.content.size(), 0);
    std::string raw(kBlockHeaderSize, '\0');
    std::memcpy(raw.data(), &block.header, kBlockHeaderSize);
    const std::uint64_t hash = XXH64(raw.data(), raw.size(), 0);
    raw.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    bytes += raw + block.content;
  }
  return bytes;
}

}  // namespace fcsim::test

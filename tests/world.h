// A file system in virtual time that a test drives by single operations, without a trace.
//
// Each call is one operation of its own at `now`, which then moves on by `step` (two ticks at 250
// Hz unless told otherwise). Set-up and measurement are the test's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/operation.h"
#include "sim/configuration/configuration.h"
#include "sim/engine/engine.h"
#include "sim/engine/prediction.h"
#include "sim/replay/make_engine.h"

namespace fcsim::test {

using model::FileId;
using model::Operation;
using model::OperationKind;
using model::Time;
namespace flag = model::operation_flag;

inline constexpr FileId kRoot = model::kRootDirectory;
inline constexpr Time kMillisecond = 1'000'000;
inline constexpr Time kSecond = 1000 * kMillisecond;
inline constexpr std::int64_t kBlock = 4096;
inline constexpr std::int64_t kMiB = 1 << 20;

// A kernel on mke2fs's 1 GiB file system of 4 KiB blocks, with fast commit unless settings say no.
// Ticks begin at multiples of 1/HZ s and jiffies count from time 0.
inline model::Configuration configured(std::vector<std::string> settings = {},
                                       const std::string& kernel = "6.18") {
  configuration::LoadRequest request;
  request.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.profile = kernel;
  request.settings = {"filesystem.block_size=4096",
                      "filesystem.block_count=262144",
                      "filesystem.inode_count=65536",
                      "filesystem.inodes_per_group=8192",
                      "filesystem.blocks_per_group=32768",
                      "kernel.hz=250",
                      "clock.tick_phase_ns=0",
                      "clock.jiffy0_realtime_ns=0"};
  for (std::string& setting : settings) request.settings.push_back(std::move(setting));
  return configuration::load(request).values;
}

inline model::Configuration without_fast_commit(std::vector<std::string> settings = {},
                                                const std::string& kernel = "6.18") {
  model::Configuration values = configured(std::move(settings), kernel);
  std::erase(values.filesystem.features, std::string("fast_commit"));
  values.filesystem.journal_blocks -= values.filesystem.fast_commit_blocks;
  values.filesystem.fast_commit_blocks = 0;
  return values;
}

inline std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

class World {
 public:
  explicit World(const model::Configuration& values)
      : World(values, replay::make_file_system(values, {})) {}
  World(const model::Configuration& values, std::unique_ptr<model::FileSystem> file_system)
      : engine_(std::make_unique<engine::Engine>(values, model::InitialState{},
                                                 engine::EngineOptions{.keep_commits = true},
                                                 std::move(file_system))) {}

  Time now = 1000 * kSecond;
  Time step = 8 * kMillisecond;
  std::int32_t pid = 1;

  void apply(Operation op) {
    op.pid = pid;
    op.start = op.end = now;
    engine_->replay(op);
    now += step;
  }
  void apply(OperationKind kind, FileId file) {
    Operation op;
    op.kind = kind;
    op.file = file;
    apply(op);
  }
  engine::Prediction finish() { return engine_->finish(now); }

  // ---- names ----
  FileId create(const std::string& name, FileId parent = model::kRootDirectory) {
    const FileId file = named(OperationKind::create, name, parent);
    open(file, flag::for_write | flag::created);
    return file;
  }
  FileId make_directory(const std::string& name, FileId parent = model::kRootDirectory) {
    return named(OperationKind::mkdir, name, parent);
  }
  FileId make_symlink(const std::string& name, std::int64_t target,
                      FileId parent = model::kRootDirectory) {
    return named(OperationKind::symlink, name, parent, target);
  }
  FileId make_fifo(const std::string& name, FileId parent = model::kRootDirectory) {
    return named(OperationKind::mknod, name, parent, 0, model::FileType::fifo);
  }
  FileId make_socket(const std::string& name, FileId parent = model::kRootDirectory) {
    return named(OperationKind::mknod, name, parent, 0, model::FileType::socket);
  }
  FileId make_tmpfile(FileId parent = model::kRootDirectory) {
    const FileId file = named(OperationKind::tmpfile, "", parent);
    open(file, flag::for_write | flag::created);
    return file;
  }
  void link(FileId file, const std::string& name, FileId parent = model::kRootDirectory) {
    on_name(OperationKind::link, file, name, parent);
  }
  // The name goes; the file too unless it is still in use.
  void unlink(FileId file, const std::string& name, FileId parent = model::kRootDirectory,
              bool last_use = true) {
    on_name(OperationKind::unlink, file, name, parent);
    if (last_use) evict(file);
  }
  void remove_directory(FileId file, const std::string& name,
                        FileId parent = model::kRootDirectory) {
    on_name(OperationKind::rmdir, file, name, parent);
    evict(file);
  }
  void evict(FileId file) {
    now -= step;  // by the same call
    apply(OperationKind::evict, file);
  }
  void rename(FileId file, const std::string& from, FileId parent, const std::string& to,
              FileId parent2, FileId replaced = model::kNoFile, std::uint32_t flags = 0) {
    Operation op = name_operation(OperationKind::rename, file, from, parent);
    op.parent2 = parent2;
    op.name2_hash = hash_of(to);
    op.name2_length = static_cast<std::uint16_t>(to.size());
    op.file2 = replaced;
    op.flags = flags;
    if ((flags & flag::whiteout) != 0) op.value = next_++;
    apply(op);
    if (replaced != model::kNoFile) evict(replaced);
  }
  void exchange(FileId file, const std::string& from, FileId other, const std::string& to,
                FileId parent = model::kRootDirectory) {
    Operation op = name_operation(OperationKind::exchange, file, from, parent);
    op.parent2 = parent;
    op.file2 = other;
    op.name2_hash = hash_of(to);
    op.name2_length = static_cast<std::uint16_t>(to.size());
    apply(op);
  }

  // ---- descriptors and data ----
  void open(FileId file, std::uint32_t flags = flag::for_write) {
    Operation op = file_operation(OperationKind::open, file);
    op.flags = flags;
    if ((flags & flag::created) != 0) now -= step;  // the call that created the file
    apply(op);
  }
  void close(FileId file, std::uint32_t flags = flag::for_write) {
    Operation op = file_operation(OperationKind::release, file);
    op.flags = flags;
    apply(op);
  }
  void write(FileId file, std::int64_t offset, std::int64_t length, std::uint32_t flags = 0) {
    ranged(OperationKind::write, file, offset, length, 0, flags);
  }
  void read(FileId file) { ranged(OperationKind::read, file, 0, kBlock, 0); }
  void truncate(FileId file, std::int64_t size) {
    ranged(OperationKind::truncate, file, 0, size, 0);
  }
  void fallocate(FileId file, std::int64_t offset, std::int64_t length, std::uint64_t mode = 0) {
    ranged(OperationKind::fallocate, file, offset, length, mode);
  }

  // ---- attributes ----
  void chmod(FileId file) { change(file, model::AttributeChange::mode); }
  void utime(FileId file) { change(file, model::AttributeChange::times); }
  void chown(FileId file, std::int64_t uid) {
    Operation op = file_operation(OperationKind::set_attributes, file);
    op.value = static_cast<std::uint64_t>(model::AttributeChange::owner);
    op.offset = uid;
    op.length = -1;
    apply(op);
  }
  void set_xattr(FileId file, const std::string& name, std::int64_t bytes, std::uint64_t value,
                 std::uint32_t flags = 0) {
    Operation op = file_operation(OperationKind::set_xattr, file);
    op.name_hash = hash_of(name);
    op.name_length = static_cast<std::uint16_t>(name.size());
    op.length = bytes;
    op.value = value;
    op.flags = flags;
    apply(op);
  }
  void remove_xattr(FileId file, const std::string& name, std::uint32_t flags = 0) {
    Operation op = file_operation(OperationKind::remove_xattr, file);
    op.name_hash = hash_of(name);
    op.name_length = static_cast<std::uint16_t>(name.size());
    op.flags = flags;
    apply(op);
  }
  void stat(FileId file) { apply(OperationKind::get_attributes, file); }

  // ---- durability ----
  void fsync(FileId file) { apply(OperationKind::fsync, file); }
  void fdatasync(FileId file) { apply(OperationKind::fdatasync, file); }
  void msync(FileId file, std::int64_t offset, std::int64_t length) {
    ranged(OperationKind::msync, file, offset, length, 0, flag::mapped_for_write);
  }
  void syncfs() { apply(OperationKind::syncfs, model::kNoFile); }
  void sync() { apply(OperationKind::sync, model::kNoFile); }

 private:
  static Operation file_operation(OperationKind kind, FileId file) {
    Operation op;
    op.kind = kind;
    op.file = file;
    return op;
  }
  static Operation name_operation(OperationKind kind, FileId file, const std::string& name,
                                  FileId parent) {
    Operation op = file_operation(kind, file);
    op.parent = parent;
    op.name_hash = hash_of(name);
    op.name_length = static_cast<std::uint16_t>(name.size());
    return op;
  }
  void on_name(OperationKind kind, FileId file, const std::string& name, FileId parent) {
    apply(name_operation(kind, file, name, parent));
  }
  FileId named(OperationKind kind, const std::string& name, FileId parent, std::int64_t length = 0,
               model::FileType type = model::FileType::regular) {
    Operation op = name_operation(kind, next_++, name, parent);
    op.length = length;
    op.type = type;
    apply(op);
    return op.file;
  }
  void ranged(OperationKind kind, FileId file, std::int64_t offset, std::int64_t length,
              std::uint64_t value, std::uint32_t flags = 0) {
    Operation op = file_operation(kind, file);
    op.offset = offset;
    op.length = length;
    op.value = value;
    op.flags = flags;
    apply(op);
  }
  void change(FileId file, model::AttributeChange what) {
    Operation op = file_operation(OperationKind::set_attributes, file);
    op.value = static_cast<std::uint64_t>(what);
    apply(op);
  }

  std::unique_ptr<engine::Engine> engine_;
  FileId next_ = 1;
};

}  // namespace fcsim::test

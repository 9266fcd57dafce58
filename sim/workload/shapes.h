// The programs whose traces are made up, one function each.
#pragma once

#include "sim/workload/random.h"
#include "sim/workload/strace_writer.h"
#include "sim/workload/workload.h"

namespace fcsim::workload {

// What a shape works with: its parameters by name, the writer, the numbers that choose.
struct ShapeContext {
  const ParameterValues& values;
  StraceWriter& trace;
  Random& random;
  [[nodiscard]] std::uint64_t operator[](std::string_view name) const {
    return values.find(name)->second;
  }
};

// In each round: new files, one fsync each; then writes at their ends, each followed by an fsync.
void append(const ShapeContext& context);
// A sparse file of `span` bytes; then `writes` scattered blocks and one sync, over and over.
void sparse_random(const ShapeContext& context);
// The same within a file that was written before.
void overwrite_random(const ShapeContext& context);
// A new file written and synced under another name, then renamed over the old one.
void create_rename(const ShapeContext& context);
// Several processes: a log, a database, replaced files, unsynced ones, stats.
void mixed(const ShapeContext& context);

// Makes what was done so far durable: the files' data first, so that syncfs is one full commit.
void settle(const ShapeContext& context, std::int32_t pid, const std::vector<int>& fds);

// fsync, or fdatasync where the parameter of that name says so.
void sync_file(const ShapeContext& context, std::int32_t pid, int fd);

}  // namespace fcsim::workload

#include "sim/workload/shapes.h"

#include <string>
#include <vector>

namespace fcsim::workload {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;  // of a file written from end to end
constexpr std::int32_t kPid = StraceWriter::kFirstPid;

constexpr std::string_view kNewFile = "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC";
constexpr std::string_view kDataFile = "O_RDWR|O_CREAT|O_CLOEXEC";

void fill(StraceWriter& trace, std::int32_t pid, int fd, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes; done += kPiece)
    trace.write(pid, fd, std::min(kPiece, bytes - done));
}

// Rounds of scattered blocks and a sync, in a file that is there.
void scattered_rounds(const ShapeContext& context, int fd) {
  const std::uint64_t blocks = context["span"] / kBlock;
  for (std::uint64_t i = 0; i < context["fsyncs"]; ++i) {
    for (const std::uint64_t block : context.random.distinct(context["writes"], blocks))
      context.trace.pwrite(kPid, fd, kBlock, block * kBlock);
    sync_file(context, kPid, fd);
  }
}

}  // namespace

void settle(const ShapeContext& context, std::int32_t pid, const std::vector<int>& fds) {
  StraceWriter& trace = context.trace;
  for (const int fd : fds) trace.write_out(pid, fd);
  trace.sleep_ns(20'000'000);
  const int directory = trace.open(pid, ".", "O_RDONLY|O_CLOEXEC");
  trace.syncfs(pid, directory);
  trace.close(pid, directory);
}

void sync_file(const ShapeContext& context, std::int32_t pid, int fd) {
  if (context["fdatasync"] != 0)
    context.trace.fdatasync(pid, fd);
  else
    context.trace.fsync(pid, fd);
}

void append(const ShapeContext& context) {
  StraceWriter& trace = context.trace;
  for (std::uint64_t round = 0; round < context["rounds"]; ++round) {
    std::vector<int> fds;
    for (std::uint64_t i = 0; i < context["files"]; ++i)
      fds.push_back(
          trace.open(kPid, "r" + std::to_string(round) + "f" + std::to_string(i), kNewFile));
    for (const int fd : fds) sync_file(context, kPid, fd);
    for (std::uint64_t i = 0; i < context["fsyncs"]; ++i)
      for (const int fd : fds) {
        trace.write(kPid, fd, context["write-size"]);
        sync_file(context, kPid, fd);
      }
    for (const int fd : fds) trace.close(kPid, fd);
  }
}

void sparse_random(const ShapeContext& context) {
  const int fd = context.trace.open(kPid, "data", kDataFile);
  context.trace.ftruncate(kPid, fd, context["span"]);
  if (context["cold"] == 0) settle(context, kPid, {fd});
  scattered_rounds(context, fd);
}

void overwrite_random(const ShapeContext& context) {
  const int fd = context.trace.open(kPid, "data", kDataFile);
  fill(context.trace, kPid, fd, context["span"]);
  settle(context, kPid, {fd});
  scattered_rounds(context, fd);
}

void create_rename(const ShapeContext& context) {
  StraceWriter& trace = context.trace;
  const int directory = trace.open(kPid, ".", "O_RDONLY|O_DIRECTORY|O_CLOEXEC");
  for (std::uint64_t i = 0; i < context["fsyncs"]; ++i) {
    const std::string name = "f" + std::to_string(i % context["files"]);
    const int fd = trace.open(kPid, name + ".tmp", kNewFile);
    trace.write(kPid, fd, context["write-size"]);
    sync_file(context, kPid, fd);
    trace.close(kPid, fd);
    trace.rename(kPid, name + ".tmp", name);
    if (context["sync-directory"] != 0) trace.fsync(kPid, directory);
  }
}

}  // namespace fcsim::workload

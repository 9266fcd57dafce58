// Do several threads' sync calls become what the kernel made of them, where a recording through
// tracepoints tells when they asked?
//
// The bundles: 2, 4 and 8 threads that append 500 bytes to a file of their own and fsync it, 40
// times each; two shells that write, sync, rename and sync again, 12 times each. Linux 6.18, two
// processors, image on tmpfs.
#include "sim/questions/validate/validate.h"
#include "sim/replay/kernel_times.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

namespace {

using traces::Call;

traces::Event call(Call kind, std::int32_t pid, std::int64_t start, std::int64_t duration) {
  traces::Event event;
  event.call = kind;
  event.pid = pid;
  event.cpu = 0;
  event.start_ns = start;
  event.duration_ns = duration;
  return event;
}

model::Operation operation(model::OperationKind kind, const traces::Event& event) {
  model::Operation made;
  made.kind = kind;
  made.pid = event.pid;
  made.cpu = event.cpu;
  made.start = event.start_ns;
  made.end = event.start_ns + event.duration_ns;
  return made;
}

// Feeds events; those that are calls bring an operation.
struct Feed {
  replay::KernelTimes times;
  std::vector<model::Operation> out;

  void give(const traces::Event& event, model::OperationKind kind) {
    const std::size_t from = out.size();
    out.push_back(operation(kind, event));
    times.pass(event, out, from);
  }
  void tell(const traces::Event& event) { times.pass(event, out, out.size()); }
};

}  // namespace

TEST_CASE("threads: recordings through tracepoints are exact") {
  questions::validate::ValidateRequest request =
      test::validate_request(std::string(FCSIM_SOURCE_DIR) + "/tests/threads/bundles");
  request.blocks = true;
  int bundles = 0;
  questions::validate::validate(request, [&](const questions::validate::BundleResult& result) {
    INFO(result.path);
    CHECK(result.verdict == questions::validate::Verdict::exact);
    ++bundles;
  });
  CHECK(bundles == 4);
}

TEST_CASE("threads: a sync call waits for its times, and what began after it waits too") {
  Feed feed;
  feed.give(call(Call::fsync, 1, 100, 50), model::OperationKind::fsync);
  feed.give(call(Call::write, 2, 110, 5), model::OperationKind::write);
  traces::Event asked = call(Call::ext4_fc_commit_start, 1, 120, 0);
  feed.tell(asked);
  traces::Event answered = call(Call::ext4_fc_commit_stop, 1, 140, 0);
  answered.result = 0;
  feed.tell(answered);
  CHECK(feed.out.empty());
  feed.give(call(Call::write, 2, 151, 5), model::OperationKind::write);
  REQUIRE(feed.out.size() == 3);
  CHECK(feed.out[0].kernel.asked == 120);
  CHECK(feed.out[0].kernel.answered == 140);
  CHECK(feed.out[0].kernel.wrote);
  CHECK(feed.out[1].start == 110);
  CHECK(feed.out[2].start == 151);
}

TEST_CASE("threads: another process's times, and times outside of the call, are not its own") {
  Feed feed;
  feed.give(call(Call::fsync, 1, 100, 50), model::OperationKind::fsync);
  feed.tell(call(Call::ext4_fc_commit_start, 2, 120, 0));
  feed.tell(call(Call::ext4_fc_commit_start, 1, 160, 0));
  REQUIRE(feed.out.size() == 1);
  CHECK(feed.out[0].kernel.asked == 0);
}

TEST_CASE("threads: the first commit that is locked after the call asked is the one it waits for") {
  Feed feed;
  feed.give(call(Call::fsync, 1, 100, 100), model::OperationKind::fsync);
  const auto journal = [&](Call kind, std::int64_t at, std::uint32_t tid) {
    traces::Event event = call(kind, 9, at, 0);
    event.transaction = tid;
    feed.tell(event);
  };
  journal(Call::jbd2_commit_locking, 105, 6);
  feed.tell(call(Call::ext4_fc_commit_start, 1, 110, 0));
  journal(Call::jbd2_end_commit, 120, 6);
  journal(Call::jbd2_commit_locking, 130, 7);
  journal(Call::jbd2_end_commit, 150, 7);
  feed.times.end(feed.out);
  REQUIRE(feed.out.size() == 1);
  CHECK(feed.out[0].kernel.locked == 130);
  CHECK(feed.out[0].kernel.durable == 150);
}

TEST_CASE("threads: conversions belong to the calls that took blocks, in their order") {
  Feed feed;
  feed.give(call(Call::fsync, 1, 100, 100), model::OperationKind::fsync);
  feed.give(call(Call::fsync, 2, 101, 100), model::OperationKind::fsync);
  feed.give(call(Call::fsync, 3, 102, 100), model::OperationKind::fsync);
  feed.tell(call(Call::ext4_allocate_blocks, 3, 110, 0));
  feed.tell(call(Call::ext4_allocate_blocks, 1, 111, 0));
  traces::Event conversion = call(Call::jbd2_handle_start, 9, 120, 0);
  conversion.argument = 11;  // EXT_CONVERT
  feed.tell(conversion);
  conversion.start_ns = 130;
  feed.tell(conversion);
  feed.times.end(feed.out);
  REQUIRE(feed.out.size() == 3);
  CHECK(feed.out[0].kernel.converted == 120);
  CHECK(feed.out[1].kernel.converted == 0);
  CHECK(feed.out[2].kernel.converted == 130);
}

TEST_CASE("threads: operations of other sources pass at once") {
  Feed feed;
  traces::Event event = call(Call::fsync, 1, 100, 50);
  event.cpu = -1;
  feed.give(event, model::OperationKind::fsync);
  CHECK(feed.out.size() == 1);
}

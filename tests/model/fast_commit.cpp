// What does a fast commit write, and when does it refuse? The log by itself, over JBD2, with inodes
// that are nothing but marks.
#include "model/fast_commit/fast_commit.h"

#include <map>

#include "model/jbd2/journal.h"
#include "tests/catch.h"
#include "tests/model/parts.h"

using namespace fcsim;
using model::Cause;
using model::FileId;
using model::Origin;
using model::Time;
using model::fast_commit::Attempt;
using model::fast_commit::DentryKind;
using model::fast_commit::Reason;

namespace {

constexpr Time kNow = 1000 * test::kSecondNs;

// Inodes of 160 bytes; each tracked range is one ADD_RANGE record.
struct Inodes final : model::fast_commit::InodeSource {
  model::fast_commit::TrackedInode& tracked(FileId file) override {
    model::fast_commit::TrackedInode& inode = inodes[file];
    inode.file = file;
    return inode;
  }
  [[nodiscard]] std::uint32_t raw_inode_bytes(FileId) const override { return 160; }
  model::fast_commit::RangeWalk walk_ranges(
      FileId file, model::fast_commit::RangeRecords& records, std::size_t) const override {
    for (std::size_t i = 0; i < inodes.at(file).ranges.size(); ++i)
      records.push_back(model::fast_commit::record_bytes::add_range);
    return model::fast_commit::RangeWalk::complete;
  }
  std::map<FileId, model::fast_commit::TrackedInode> inodes;
};

struct Log : test::Parts {
  explicit Log(bool committed_before = true) {
    journal.add_observer(log);
    if (committed_before) full_commit();
  }
  void begin() { journal.begin(kNow, 8, {}); }
  void end() { journal.end(kNow, {}, false); }
  void full_commit() {
    begin();
    journal.log(block);
    end();
    journal.force(kNow, Cause::sync, {});
    journal.end_write(kNow);
  }
  // A handle that changes a file's block.
  void append(FileId file, std::uint32_t number) {
    begin();
    journal.log(block);
    log.track_range(file, number, number);
    log.track_inode(file, false, 1, {});
    end();
  }
  // As fsync does it, the data being on disk.
  Attempt attempt() {
    const Attempt asked = log.attempt(journal.running());
    return asked == Attempt::begun ? log.write_log() : asked;
  }

  model::jbd2::Journal journal{geometry, clock, kernel, mount};
  Inodes inodes;
  model::fast_commit::FastCommit log{geometry, kernel, journal, inodes};
  model::LogItem block;
};

}  // namespace

TEST_CASE("before the first full commit there is no fast commit", "[model]") {
  Log l(false);
  l.append(1, 0);
  CHECK(l.attempt() == Attempt::first);
  CHECK(l.log.counters().ineligible == 1);
  CHECK(l.log.counters().failed == 1);
}

TEST_CASE("a fast commit writes the inodes and ranges of its transaction, once", "[model]") {
  Log l;
  l.append(1, 0);
  l.append(2, 7);
  l.append(1, 1);
  REQUIRE(l.attempt() == Attempt::started);
  CHECK(l.log.writing());
  CHECK(l.attempt() == Attempt::must_wait);
  const model::FastCommitRecord record = l.log.finish();
  CHECK(record.outcome == model::Outcome::ok);
  CHECK(record.inodes == 2);
  CHECK(record.ranges == 2);  // one span an inode
  CHECK(record.names == 0);
  CHECK(record.blocks == 1);
  CHECK(l.log.counters().commits == 1);
  CHECK(l.log.counters().numblks == 1);
  l.append(3, 0);
  REQUIRE(l.attempt() == Attempt::started);
  CHECK(l.log.finish().inodes == 1);
}

TEST_CASE("a transaction on disk needs no fast commit", "[model]") {
  Log l;
  CHECK(l.log.attempt(l.journal.durable()) == Attempt::skipped);
  CHECK(l.log.counters().skipped == 1);
}

TEST_CASE("what changes while the log is written is in the next one", "[model]") {
  Log l;
  l.append(1, 0);
  REQUIRE(l.attempt() == Attempt::started);
  l.append(2, 0);
  CHECK(l.log.finish().inodes == 1);
  REQUIRE(l.attempt() == Attempt::started);
  CHECK(l.log.finish().inodes == 1);
  CHECK(l.inodes.inodes.at(2).queue == model::fast_commit::TrackedInode::Queue::none);
}

TEST_CASE("a mark holds until its transaction is committed in full", "[model]") {
  Log l;
  l.append(1, 0);
  l.begin();
  l.log.mark(Reason::cross_rename, 1, {});
  l.end();
  CHECK(l.attempt() == Attempt::ineligible);
  CHECK(l.log.counters().ineligible == 1);
  CHECK(l.log.counters().reasons[static_cast<std::size_t>(Reason::cross_rename)] == 1);
  l.full_commit();
  l.append(1, 2);
  CHECK(l.attempt() == Attempt::started);
}

TEST_CASE("mark_once counts only where nothing is marked yet", "[model]") {
  Log l;
  l.append(1, 0);
  l.begin();
  l.log.mark_once(Reason::resize, {});
  l.log.mark_once(Reason::resize, {});
  l.end();
  CHECK(l.log.counters().reasons[static_cast<std::size_t>(Reason::resize)] == 1);
}

TEST_CASE("an inode that cannot be logged marks its transaction", "[model]") {
  Log l;
  l.begin();
  l.log.track_inode(5, true, 2, {});
  l.end();
  CHECK(l.attempt() == Attempt::ineligible);
  CHECK(l.log.counters().reasons[static_cast<std::size_t>(Reason::data_journalling)] == 2);
}

TEST_CASE("the area is full when its last block is used, and a full commit empties it", "[model]") {
  Log l;
  CHECK(l.geometry.fast_commit_usable_blocks == 127);
  for (std::uint32_t i = 0; i < 127; ++i) {
    l.append(1, i);
    REQUIRE(l.attempt() == Attempt::started);
    l.log.finish();
  }
  l.append(1, 127);
  CHECK(l.attempt() == Attempt::failed);
  CHECK(l.log.counters().failed == 1);
  l.full_commit();
  l.append(1, 128);
  CHECK(l.attempt() == Attempt::started);
}

TEST_CASE("names are logged, and a created inode's ranges with them", "[model]") {
  Log l;
  l.begin();
  l.log.track_inode(4, false, 1, {});
  l.log.track_dentry(DentryKind::create, 4, 5);
  l.log.track_dentry(DentryKind::link, 4, 6);
  l.end();
  REQUIRE(l.attempt() == Attempt::started);
  const model::FastCommitRecord record = l.log.finish();
  CHECK(record.names == 2);
  CHECK(record.blocks == 1);
}

TEST_CASE("a deleted file leaves the queues", "[model]") {
  Log l;
  l.append(1, 0);
  l.append(2, 0);
  l.log.forget(1);
  REQUIRE(l.attempt() == Attempt::started);
  CHECK(l.log.finish().inodes == 1);
}

TEST_CASE("a queued inode that leaves memory marks its transaction", "[model]") {
  Log l;
  l.append(1, 0);
  l.log.leave_memory(1, {});
  CHECK(l.attempt() == Attempt::ineligible);
  CHECK(l.log.counters().reasons[static_cast<std::size_t>(Reason::insufficient_memory)] == 1);
}

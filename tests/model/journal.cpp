// What does JBD2 commit, when, why, and what does the log cost? The journal by itself, told of
// handles and blocks.
#include "model/jbd2/journal.h"

#include <deque>

#include "model/jbd2/no_journal.h"
#include "tests/catch.h"
#include "tests/model/parts.h"

using namespace fcsim;
using model::Cause;
using model::LogItem;
using model::Origin;
using model::Time;
using test::kSecondNs;

namespace {

constexpr Time kBegin = 1000 * kSecondNs;

struct Commits final : model::JournalObserver {
  [[nodiscard]] bool observes_items() const override { return true; }
  void on_logged(const LogItem& item, model::Sequence) override { logged.push_back(item.owner); }
  void on_closed() override { ++closed; }
  void on_commit(model::FullCommitRecord& record) override { records.push_back(record); }
  std::vector<std::uint32_t> logged;
  int closed = 0;
  std::vector<model::FullCommitRecord> records;
};

// A journal, and blocks to log: each is a new one unless it is asked for by name.
struct HandledJournal : test::Parts {
  HandledJournal() { journal.add_observer(commits); }

  void handle(Time now, std::uint32_t blocks, std::uint32_t credits = 8) {
    journal.begin(now, credits, origin);
    for (std::uint32_t i = 0; i < blocks; ++i) journal.log(fresh());
    journal.end(now, origin, false);
  }
  LogItem& fresh() { return items.emplace_back(); }
  void commit(Time now) {
    journal.force(now, Cause::sync, origin);
    journal.end_write(now);
  }
  // Descriptors, commit record.
  [[nodiscard]] std::uint32_t logged(std::uint32_t blocks) const {
    return blocks + (blocks + geometry.tags_per_descriptor - 1) / geometry.tags_per_descriptor + 1;
  }

  model::jbd2::Journal journal{geometry, clock, kernel, mount};
  Commits commits;
  Origin origin;
  std::deque<LogItem> items;
};

}  // namespace

TEST_CASE("a block counts once in a transaction, and anew in the next", "[model]") {
  HandledJournal b;
  LogItem block{0, 7, model::ItemKind::inode_table};
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.log(block);
  b.journal.log(block);
  b.journal.log(b.fresh());
  b.journal.end(kBegin, b.origin, false);
  b.commit(kBegin);
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.log(block);
  b.journal.end(kBegin, b.origin, false);
  b.commit(kBegin);
  REQUIRE(b.commits.records.size() == 2);
  CHECK(b.commits.records[0].blocks == 2);
  CHECK(b.commits.records[0].blocks_logged == 4);  // a descriptor and the commit record
  CHECK(b.commits.records[0].handles == 1);
  CHECK(b.commits.records[0].requested);
  CHECK(b.commits.records[1].blocks == 1);
  CHECK(b.commits.logged == std::vector<std::uint32_t>{7, 0, 7});
  CHECK(b.journal.totals().transactions == 2);
  CHECK(b.journal.totals().blocks_logged == 4 + 3);
  CHECK(b.commits.records[1].tid == b.commits.records[0].tid + 1);
}

TEST_CASE("a nested handle joins the outer one", "[model]") {
  HandledJournal b;
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.end(kBegin, b.origin, true);  // the inner one's wish to be synchronous is not heard
  CHECK(b.journal.running() != 0);
  b.journal.end(kBegin, b.origin, false);
  CHECK(b.journal.committing() == 0);
  b.commit(kBegin);
  CHECK(b.commits.records.at(0).handles == 1);
}

TEST_CASE("a freed block leaves the transaction and a revoke record stays", "[model]") {
  HandledJournal b;
  b.journal.begin(kBegin, 8, b.origin);
  LogItem& block = b.fresh();
  b.journal.log(block);
  b.journal.log(b.fresh());
  b.journal.forget(block);
  b.journal.end(kBegin, b.origin, false);
  b.commit(kBegin);
  CHECK(b.commits.records.at(0).blocks == 1);
  CHECK(b.commits.records.at(0).blocks_logged == 1 + 1 + 1 + 1);  // with a block of revokes
}

TEST_CASE("a synchronous handle forces its transaction", "[model]") {
  HandledJournal b;
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.log(b.fresh());
  b.journal.end(kBegin, b.origin, true);
  REQUIRE(b.journal.writing());
  CHECK(b.journal.writing()->sequence == b.journal.committing());
  b.journal.end_write(kBegin + 1);
  CHECK(b.commits.records.at(0).cause == Cause::synchronous_handle);
  CHECK(b.commits.records.at(0).end == kBegin + 1);
}

TEST_CASE("the end of a handle requests the commit from the interval's last jiffy on", "[model]") {
  for (const Time late : {Time{-1}, Time{0}}) {
    HandledJournal b;
    b.handle(kBegin, 1);
    b.handle(kBegin + 5 * kSecondNs + late, 1);
    INFO(late);
    CHECK(b.journal.writing().has_value() == (late == 0));
    if (late != 0) continue;
    b.journal.end_write(kBegin + 5 * kSecondNs);
    CHECK(b.commits.records.at(0).cause == Cause::expired);
    CHECK(b.commits.records.at(0).requested);
  }
}

TEST_CASE("kjournald's timer is rounded to a second, and up to the wheel's step", "[model]") {
  HandledJournal b;
  CHECK_FALSE(b.journal.next_event());
  b.handle(kBegin, 1);
  // 250000 jiffies and the interval's 1250; 251454 is the next whole second of the kernel's counter
  // (see clock.cpp), 251512 the end of its step of 64.
  REQUIRE(b.journal.next_event());
  CHECK(*b.journal.next_event() == 251512 * Time{4'000'000});
  b.journal.happen(*b.journal.next_event());
  b.journal.end_write(kBegin + 7 * kSecondNs);
  CHECK(b.commits.records.at(0).cause == Cause::timer);
  CHECK_FALSE(b.commits.records.at(0).requested);
  CHECK(b.journal.totals().requested == 0);
}

TEST_CASE("commit=0 is the default of 5 seconds", "[model]") {
  HandledJournal b;
  model::MountSettings mount;
  mount.commit_interval_s = 0;
  b.journal.remount(mount);
  b.handle(kBegin, 1);
  CHECK(*b.journal.next_event() == 251512 * Time{4'000'000});
}

TEST_CASE("a commit that is asked for while another one goes on follows it", "[model]") {
  HandledJournal b;
  b.handle(kBegin, 1);
  b.journal.force(kBegin, Cause::sync, b.origin);
  const model::Sequence first = b.journal.committing();
  b.handle(kBegin + 1, 1);
  b.journal.force(kBegin + 1, Cause::ineligible, b.origin);
  b.journal.force(kBegin + 1, Cause::sync, b.origin);  // changes nothing
  CHECK(b.journal.commit_pending());
  CHECK(b.journal.committing() == first);
  b.journal.end_write(kBegin + 2);
  CHECK(b.journal.durable() == first);
  CHECK(b.journal.committing() == first + 1);
  b.journal.end_write(kBegin + 3);
  CHECK(b.commits.records.at(1).cause == Cause::ineligible);
  CHECK(b.commits.records.at(1).start == kBegin + 2);
}

TEST_CASE("a held commit begins when it is let go, and observers hear of it at once", "[model]") {
  HandledJournal b;
  b.handle(kBegin, 1);
  b.journal.hold(kBegin, true);
  b.journal.force(kBegin, Cause::sync, b.origin);
  CHECK_FALSE(b.journal.writing());
  CHECK(b.journal.commit_pending());
  CHECK(b.commits.closed == 1);
  b.journal.hold(kBegin + 1, false);
  CHECK(b.journal.writing());
}

TEST_CASE("a handle whose credits do not fit closes the transaction", "[model]") {
  HandledJournal b;
  const std::uint32_t most =
      b.geometry.max_transaction_blocks - b.geometry.transaction_overhead_blocks;
  b.handle(kBegin, 1000);
  b.handle(kBegin, 0, most - 1000 - 1);  // the default revoke credits take one block
  CHECK(b.commits.closed == 0);
  b.handle(kBegin, 0, most - 1000);
  REQUIRE(b.journal.writing());
  b.journal.end_write(kBegin);
  CHECK(b.commits.records.at(0).cause == Cause::transaction_full);
}

TEST_CASE("reserved credits count against the limit, up to half of it", "[model]") {
  HandledJournal b;
  b.handle(kBegin, 1);
  CHECK_FALSE(b.journal.reservations_full(b.geometry.max_transaction_blocks / 2));
  CHECK(b.journal.reservations_full(b.geometry.max_transaction_blocks / 2 + 1));
  b.journal.reserve(18);
  CHECK(b.journal.reservations_full(b.geometry.max_transaction_blocks / 2));
  b.journal.release(18);
  CHECK_FALSE(b.journal.reservations_full(b.geometry.max_transaction_blocks / 2));
}

TEST_CASE("where the log is short, the oldest transactions are written home", "[model]") {
  HandledJournal b;
  for (int i = 0; i < 40; ++i) {  // five times the log
    b.handle(kBegin, 1000);
    b.commit(kBegin);
  }
  CHECK(b.journal.totals().transactions == 40);
  for (const model::FullCommitRecord& record : b.commits.records)
    CHECK(record.cause == Cause::sync);
}

TEST_CASE("a block that the running transaction holds again forces it out first", "[model]") {
  HandledJournal b;
  LogItem again;
  const std::uint32_t thousand = b.logged(1000);
  // Four transactions, of which the first holds the block; the fifth leaves what the largest
  // transaction wants while it is written, and less once its descriptors are.
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.log(again);
  b.journal.end(kBegin, b.origin, false);
  b.handle(kBegin, 999);
  b.commit(kBegin);
  for (int i = 0; i < 3; ++i) {
    b.handle(kBegin, 1000);
    b.commit(kBegin);
  }
  constexpr std::uint32_t kept_back = 32;
  const std::uint32_t fifth =
      b.geometry.log_blocks - 1 - kept_back - b.geometry.max_transaction_blocks - 4 * thousand;
  b.handle(kBegin, fifth);
  b.journal.force(kBegin, Cause::sync, b.origin);
  b.journal.begin(kBegin, 8, b.origin);
  b.journal.log(again);
  b.journal.end(kBegin, b.origin, false);
  b.journal.end_write(kBegin);
  CHECK(b.commits.records.size() == 5);
  b.handle(kBegin, 1);
  REQUIRE(b.commits.records.size() == 6);
  CHECK(b.commits.records[5].cause == Cause::log_space);
  CHECK(b.commits.records[5].blocks == 1);
}

TEST_CASE("the same without that block commits nothing", "[model]") {
  HandledJournal b;
  for (int i = 0; i < 4; ++i) {
    b.handle(kBegin, 1000);
    b.commit(kBegin);
  }
  b.handle(kBegin, 1409);
  b.journal.force(kBegin, Cause::sync, b.origin);
  b.handle(kBegin, 1);
  b.journal.end_write(kBegin);
  b.handle(kBegin, 1);
  CHECK(b.commits.records.size() == 5);
}

TEST_CASE("unmount and mount take a tid each and begin the totals anew", "[model]") {
  HandledJournal b;
  b.handle(kBegin, 1);
  b.commit(kBegin);
  const model::Sequence last = b.journal.durable();
  CHECK(b.journal.committed_any());
  b.journal.mount_again(b.mount);
  CHECK(b.journal.totals().transactions == 0);
  CHECK_FALSE(b.journal.committed_any());
  b.handle(kBegin, 1);
  CHECK(b.journal.running() == last + 3);
}

TEST_CASE("the journal of a file system without one has no sequence", "[model]") {
  model::jbd2::NoJournal journal;
  LogItem block;
  journal.begin(kBegin, 8, {});
  journal.log(block);
  journal.end(kBegin, {}, true);
  journal.force(kBegin, Cause::sync, {});
  CHECK(journal.newest() == 0);
  CHECK_FALSE(journal.writing());
  CHECK(journal.totals().transactions == 0);
}

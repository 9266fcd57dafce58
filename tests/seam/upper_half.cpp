// What does ext4's upper half tell a journal? Handles with their credits, items with their
// identity, and whom it asks to force what.
#include "model/ext4/filesystem.h"
#include "tests/catch.h"
#include "tests/seam/recording_journal.h"
#include "tests/world.h"

using namespace fcsim;
using model::Cause;
using model::ItemKind;
using model::OperationKind;
using What = test::RecordingJournal::Told::What;

namespace {

// ext4 without fast commit over the recording journal, after the first operation.
struct Recorded {
  explicit Recorded(std::vector<std::string> settings = {})
      : configuration(test::without_fast_commit(std::move(settings))) {
    auto record = [this](const auto&...) {
      auto made = std::make_unique<test::RecordingJournal>();
      journal = made.get();
      return made;
    };
    world = std::make_unique<test::World>(
        configuration,
        std::make_unique<model::ext4::FileSystem>(configuration, model::InitialState{}, record));
  }
  model::Configuration configuration;
  test::RecordingJournal* journal = nullptr;
  std::unique_ptr<test::World> world;
};

std::vector<ItemKind> kinds_of(const test::RecordingJournal& journal) {
  std::vector<ItemKind> kinds;
  for (const model::LogItem& item : journal.logged()) kinds.push_back(item.kind);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

}  // namespace

TEST_CASE("a creation is one handle of 46 credits for four blocks", "[seam]") {
  Recorded r;
  r.world->open(r.world->create("before"));  // the mount's first open writes the superblock
  r.world->syncfs();
  r.journal->clear();
  r.world->create("a");
  const auto& told = r.journal->told();
  REQUIRE(r.journal->count(What::begin) == 1);
  CHECK(told.front().what == What::begin);
  CHECK(told.front().credits == 24 + 12 + 3 + 7);
  CHECK(told.front().asked_by == OperationKind::create);
  CHECK(told.back().what == What::end);
  // The file's inode and the root's lie in one block of the table.
  CHECK(kinds_of(*r.journal) ==
        std::vector<ItemKind>{ItemKind::inode_bitmap, ItemKind::group_descriptors,
                              ItemKind::inode_table, ItemKind::directory_block});
  CHECK(r.journal->has_logged(ItemKind::inode_bitmap, 0));
  CHECK(r.journal->has_logged(ItemKind::directory_block, model::kRootDirectory));
  CHECK(r.journal->count(What::force) == 0);
}

TEST_CASE("the credits are the kernel profile's", "[seam]") {
  Recorded r({"credits.create_extra=10", "jbd2.security_xattr_slots=0"});
  r.world->create("a");
  CHECK(r.journal->told().front().credits == 24 + 12 + 10);
}

TEST_CASE("a delayed append tells nothing before fsync, which forces what it wrote", "[seam]") {
  Recorded r;
  const model::FileId file = r.world->create("a");
  r.world->fsync(file);
  r.journal->clear();
  r.world->write(file, 0, test::kBlock);
  CHECK(r.journal->count(What::log) <= 1);  // the inode's time, at most
  r.world->fsync(file);
  r.world->finish();
  CHECK(r.journal->count(What::force) == 1);
  const auto& told = r.journal->told();
  const auto force =
      std::find_if(told.begin(), told.end(), [](const auto& t) { return t.what == What::force; });
  CHECK(force->cause == Cause::fast_commit_off);
  CHECK(force->asked_by == OperationKind::fsync);
  CHECK(r.journal->has_logged(ItemKind::inode_table, 0));
}

TEST_CASE("a mount with dirsync ends each change of a directory synchronously", "[seam]") {
  Recorded r({"mount.dirsync=true"});
  r.world->create("a");
  CHECK(r.journal->count(What::synchronous_end) == 1);
  CHECK(r.journal->count(What::force) == 1);
}

TEST_CASE("every handle that begins ends, and every item is logged within one", "[seam]") {
  Recorded r;
  const model::FileId folder = r.world->make_directory("d");
  for (int i = 0; i < 50; ++i) {
    const std::string name = "f" + std::to_string(i);
    const model::FileId file = r.world->create(name, folder);
    r.world->write(file, 0, 20 * test::kBlock);
    r.world->set_xattr(file, "user.a", 100, 1);
    r.world->fsync(file);
    r.world->truncate(file, 0);
    if (i % 2 == 0) r.world->unlink(file, name, folder);
  }
  r.world->finish();
  int open = 0;
  bool within = true;
  for (const auto& told : r.journal->told()) {
    if (told.what == What::begin) ++open;
    if (told.what == What::end || told.what == What::synchronous_end) --open;
    if (told.what == What::log || told.what == What::forget) within = within && open > 0;
    REQUIRE(open >= 0);
  }
  CHECK(open == 0);
  CHECK(within);
}

TEST_CASE("every item has an identity", "[seam]") {
  Recorded r;
  const model::FileId folder = r.world->make_directory("d");
  const model::FileId file = r.world->create("f", folder);
  r.world->make_symlink("s", 100);
  for (int i = 0; i < 400; ++i) r.world->write(file, 2 * i * test::kBlock, test::kBlock);
  r.world->set_xattr(file, "user.big", 3000, 1);
  r.world->fsync(file);
  r.world->finish();
  for (const model::LogItem& item : r.journal->logged()) CHECK(item.kind != ItemKind::unnamed);
  CHECK(r.journal->has_logged(ItemKind::extent_block, file));
  CHECK(r.journal->has_logged(ItemKind::directory_block, folder));
}

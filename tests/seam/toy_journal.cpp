// Does another journal fit under ext4's upper half, and does the engine drive it unchanged?
#include "tests/seam/toy_journal.h"

#include "model/ext4/filesystem.h"
#include "tests/catch.h"
#include "tests/world.h"

using namespace fcsim;

namespace {

// ext4 without fast commit over the toy journal.
test::World world(const model::Configuration& configuration) {
  auto toy = [](const auto&...) { return std::make_unique<test::ToyJournal>(); };
  return test::World(configuration, std::make_unique<model::ext4::FileSystem>(
                                        configuration, model::InitialState{}, toy));
}

}  // namespace

TEST_CASE("each fsync of an append is one write of the toy journal", "[seam]") {
  const model::Configuration configuration = test::without_fast_commit();
  test::World w = world(configuration);
  const model::FileId file = w.create("a");
  for (int i = 0; i < 10; ++i) {
    w.write(file, i * test::kBlock, test::kBlock);
    w.fsync(file);
  }
  const engine::Prediction p = w.finish();
  CHECK(p.transactions == 10);
  CHECK(p.requested == 10);
  CHECK(p.causes[static_cast<std::size_t>(model::Cause::fast_commit_off)] == 10);
  REQUIRE(p.full_commits.size() == 10);
  CHECK(p.commits == 0);
}

TEST_CASE("the toy journal and JBD2 hold the same blocks when nothing but fsync forces them",
          "[seam]") {
  const model::Configuration configuration = test::without_fast_commit();
  test::World toy = world(configuration);
  test::World jbd2(configuration);
  for (test::World* w : {&toy, &jbd2}) {
    const model::FileId folder = w->make_directory("d");
    for (int i = 0; i < 20; ++i) {
      const model::FileId file = w->create("f" + std::to_string(i), folder);
      w->write(file, 0, test::kBlock);
      w->fsync(file);
      if (i % 3 == 0) w->unlink(file, "f" + std::to_string(i), folder, true);
    }
  }
  const engine::Prediction a = toy.finish();
  const engine::Prediction b = jbd2.finish();
  REQUIRE(a.full_commits.size() == b.full_commits.size());
  for (std::size_t i = 0; i < a.full_commits.size(); ++i) {
    CHECK(a.full_commits[i].blocks == b.full_commits[i].blocks);
    CHECK(a.full_commits[i].handles == b.full_commits[i].handles);
  }
  CHECK(a.transactions == 20);
}

TEST_CASE("without a force the toy journal writes nothing, for as long as it takes", "[seam]") {
  const model::Configuration configuration = test::without_fast_commit();
  test::World w = world(configuration);
  const model::FileId file = w.create("a");
  w.write(file, 0, test::kBlock);
  w.now += 60 * test::kSecond;
  const engine::Prediction p = w.finish();
  CHECK(p.transactions == 0);
}

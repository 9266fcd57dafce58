// The table of counters: is each row complete, and do all forms agree with it?
#include "model/common/counter_table.h"

#include <fstream>
#include <set>
#include <sstream>

#include "sim/report/counter_reference.h"
#include "sim/report/json_parts.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

// Every counter of the table has a value of its own.
engine::Prediction numbered() {
  engine::Prediction prediction;
  prediction.has_snapshot = true;
  prediction.reasons = {{"Resize", 500}, {"Cross rename", 0}};
  std::uint64_t next = 0;
  for (const model::CounterGroup& group : model::counter_groups())
    for (const model::Counter& counter : group.counters) counter.value.write(prediction) = ++next;
  return prediction;
}

}  // namespace

TEST_CASE("each counter has a name, a unit, a sentence and a place of its own", "[counters]") {
  const engine::Prediction prediction = numbered();
  std::uint64_t expected = 0;
  std::set<std::string> names;
  for (const model::CounterGroup& group : model::counter_groups()) {
    CHECK_FALSE(group.documentation.empty());
    CHECK((group.counters.empty() == (group.named != nullptr)));
    for (const model::Counter& counter : group.counters) {
      CHECK(names.insert(group.full_name(counter.name)).second);
      CHECK_FALSE(counter.unit.empty());
      CHECK(counter.documentation.ends_with('.'));
      CHECK(counter.value.read(prediction) == ++expected);  // else two rows share an accessor
    }
  }
}

TEST_CASE("two readings differ by what lies between, and add up again", "[counters]") {
  engine::Prediction earlier = numbered();
  engine::Prediction later = numbered();
  later.commits += 10;
  later.reasons[0].second += 3;
  later.max_transaction_blocks = 77;
  const engine::Prediction between = difference(later, earlier);
  CHECK(between.commits == 10);
  CHECK(between.reasons[0].second == 3);
  CHECK(between.transactions == 0);
  CHECK(between.max_transaction_blocks == 77);
  const engine::Prediction again = sum(earlier, between);
  CHECK(again.commits == later.commits);
  CHECK(again.sync_calls.fsync == later.sync_calls.fsync);
}

TEST_CASE("the kernel's counters have its files' names and order", "[counters]") {
  std::string names;
  for (const model::KernelCounter& counter : model::kernel_counters(numbered()))
    names += counter.name + " ";
  CHECK(names ==
        "commits ineligible numblks reasons.Resize snapshot.inodes snapshot.ranges "
        "snapshot.es_miss snapshot.es_delayed snapshot.es_other snapshot.inodes_cap "
        "snapshot.ranges_cap snapshot.nomem snapshot.inode_loc snapshot.no_snap transactions "
        "requested max_transaction_blocks ");
}

TEST_CASE("JSON has every counter of the table", "[counters]") {
  const engine::Prediction prediction = numbered();
  support::Json root = support::Json::object();
  report::insert_counters(root, prediction);
  for (const model::NamedCounter& counter : model::named_counters(prediction)) {
    std::string pointer = "/" + counter.group;
    for (char& c : pointer)
      if (c == '.') c = '/';
    CHECK(root.at(support::Json::json_pointer(pointer)).at(counter.name) == counter.value);
  }
}

TEST_CASE("the manual's page of counters is the table", "[counters]") {
  std::ifstream file(std::string(FCSIM_SOURCE_DIR) + "/docs/counters.md");
  std::ostringstream text;
  text << file.rdbuf();
  CHECK(text.str() == report::counter_reference());
}

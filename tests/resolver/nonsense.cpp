// Does a sequence of calls that no kernel would have answered like that keep the operations sound?
//
// Calls are drawn at random over a few names, descriptors and processes. Whatever they are, every
// operation must name files that exist at that point, releases must match opens, and unmaps maps.
#include <array>
#include <map>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "traces/bundle/manifest.h"
#include "traces/resolve/resolver.h"

namespace {

using fcsim::model::kNoFile;
using fcsim::model::Operation;
using fcsim::model::OperationKind;
using fcsim::traces::Call;
using fcsim::traces::Event;

// What must hold whatever the trace says.
class Soundness {
 public:
  explicit Soundness(std::uint32_t files_at_start) {
    for (std::uint32_t file = 0; file < files_at_start; ++file) states_[file].alive = true;
  }

  void check(const Operation& operation) {
    if (is_birth(operation)) {
      REQUIRE_FALSE(states_[operation.file].alive);
      // What found no space is gone when the call returns.
      const bool stays = (operation.flags & fcsim::model::operation_flag::failed_no_space) == 0;
      states_[operation.file] = State{stays, 0, 0};
    } else if (operation.file != fcsim::model::kNoFile) {
      REQUIRE(states_[operation.file].alive);
    }
    if (operation.parent != fcsim::model::kNoFile) REQUIRE(states_[operation.parent].alive);
    if (operation.parent2 != fcsim::model::kNoFile) REQUIRE(states_[operation.parent2].alive);
    if (operation.file2 != fcsim::model::kNoFile) REQUIRE(states_[operation.file2].alive);
    State& state = states_[operation.file];
    switch (operation.kind) {
      case OperationKind::open:
        ++state.opened;
        break;
      case OperationKind::release:
        REQUIRE(--state.opened >= 0);
        break;
      case OperationKind::map_shared:
        state.mapped += operation.length;
        break;
      case OperationKind::unmap:
        REQUIRE((state.mapped -= operation.length) >= 0);
        break;
      case OperationKind::rename:
        if ((operation.flags & fcsim::model::operation_flag::whiteout) != 0) {
          states_[static_cast<std::uint32_t>(operation.value)] = State{true, 0, 0};
        }
        break;
      case OperationKind::evict:
        REQUIRE(operation.file != 0);
        REQUIRE(state.opened == 0);
        REQUIRE(state.mapped == 0);
        state.alive = false;
        break;
      case OperationKind::write:
        if ((operation.flags & fcsim::model::operation_flag::failed_no_space) == 0)
          REQUIRE(operation.length > 0);
        [[fallthrough]];
      case OperationKind::read:
        REQUIRE(operation.offset >= 0);
        break;
      default:
        break;
    }
  }

 private:
  struct State {
    bool alive = false;
    std::int64_t opened = 0;
    std::int64_t mapped = 0;
  };

  static bool is_birth(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::create:
      case OperationKind::mkdir:
      case OperationKind::symlink:
      case OperationKind::mknod:
      case OperationKind::tmpfile:
        return true;
      case OperationKind::appear:
        return (operation.flags & fcsim::model::operation_flag::again) == 0;
      default:
        return false;
    }
  }

  std::map<std::uint32_t, State> states_;
};

class Nonsense {
 public:
  explicit Nonsense(std::uint32_t seed) : random_(seed) {}

  Event next() {
    Event event;
    event.call = static_cast<Call>(below(static_cast<int>(Call::process_replaced) + 1));
    event.has_result = below(20) != 0;
    event.pid = below(5);
    event.line = ++line_;
    event.start_ns = clock_ += below(50);
    event.duration_ns = below(200);
    event.error = below(4) == 0 ? pick(std::array{2, 17, 22, 28, 61}) : 0;
    event.result = event.error != 0 ? -1 : result(event.call);
    event.fd = below(3) == 0 ? fcsim::traces::kAtFdCwd : below(8) - 1;
    event.fd2 = below(3) == 0 ? fcsim::traces::kAtFdCwd : below(8) - 1;
    event.offset = below(8) * 4096 - 4096;
    event.length = below(8) * 4096;
    event.flags = flags(event.call);
    event.argument = below(2) == 0 ? static_cast<std::uint64_t>(below(8)) : 0040755U;
    event.path = path();
    event.path2 = path();
    event.text = path();
    if (below(10) == 0) event.fd_path = path();
    if (below(10) == 0) event.result_path = path();
    return event;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  template <typename T, std::size_t N>
  T pick(const std::array<T, N>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

  std::string_view path() {
    static constexpr std::array<std::string_view, 28> kPaths = {"",
                                                                "a",
                                                                "b",
                                                                "c",
                                                                "d",
                                                                "a/b",
                                                                "a/c",
                                                                "b/a",
                                                                "./a",
                                                                "../m/a",
                                                                "..",
                                                                ".",
                                                                "/m",
                                                                "/m/a",
                                                                "/m/a/b/",
                                                                "/m/b",
                                                                "/m/b/c/d",
                                                                "/tmp/x",
                                                                "/",
                                                                "/proc/self/fd/3",
                                                                "/dev/fd/4",
                                                                "/proc/2/cwd/a",
                                                                "/proc/self/root",
                                                                "/m/a (deleted)",
                                                                "/m/x/y/b",
                                                                "pipe:[1]",
                                                                "/proc/sys/vm/drop_caches",
                                                                "a/../b"};
    return pick(kPaths);
  }

  std::int64_t result(Call call) {
    switch (call) {
      case Call::mmap:
      case Call::mremap:
        return 4096 * (1 + below(8));
      case Call::fork:
        return below(6);
      case Call::write:
      case Call::read:
      case Call::pwrite:
        return below(9000);
      case Call::open:
      case Call::openat:
      case Call::creat:
      case Call::dup:
        return below(8);
      default:
        return below(3) == 0 ? below(8) : 0;
    }
  }

  std::uint64_t flags(Call call) {
    if (call == Call::fork) return pick(std::array<std::uint64_t, 4>{0, 0x10f00, 0x400, 0x300});
    std::uint64_t flags = 0;
    for (int i = below(4); i > 0; --i) flags |= std::uint64_t{1} << below(24);
    return flags;
  }

  std::mt19937 random_;
  std::uint64_t line_ = 0;
  std::int64_t clock_ = 0;
};

void run(std::uint32_t seed, const fcsim::model::InitialState& initial, const char* mount_point) {
  fcsim::traces::resolve::Resolver resolver({mount_point}, initial);
  Soundness soundness(initial.known ? 4 : 1);
  Nonsense nonsense(seed);
  std::vector<Operation> operations;
  for (int i = 0; i < 3000; ++i) {
    operations.clear();
    resolver.resolve(nonsense.next(), operations);
    for (const Operation& operation : operations) soundness.check(operation);
  }
  operations.clear();
  resolver.finish(operations);
  for (const Operation& operation : operations) soundness.check(operation);
}

}  // namespace

TEST_CASE("operations stay sound under nonsense", "[resolver]") {
  const auto manifest = fcsim::traces::bundle::parse_manifest(
      "d\t755\t2\t3\t4096\t8\t.\n"
      "d\t755\t12\t2\t4096\t8\ta\n"
      "f\t644\t13\t1\t9\t8\ta/b\t0:9:1\n"
      "l\t777\t14\t1\t1\t0\tc\n",
      "manifest");
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    run(seed, manifest, "/m");
    run(seed, {}, "/m");
    run(seed, {}, "");
  }
}

// Is every damaged file refused, with the place of the damage, and nothing read beyond bounds?
#include <random>

#include "tests/convert/helper.h"
#include "traces/bundle/open.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }

 private:
  std::mt19937_64 engine_;
};

TakenApart long_parts(std::optional<int> zstd_level = {}) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += varied_text();
  return take_apart(convert_text(text, zstd_level));
}

}  // namespace

TEST_CASE("any flipped bit is found, and where", "[convert]") {
  for (const std::optional<int> level : {std::optional<int>{}, std::optional<int>{3}}) {
    const std::string bytes = convert_text(varied_text(), level);
    REQUIRE(refusal(bytes).empty());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        const std::string message = refusal(damaged);
        INFO("byte " << i << " bit " << bit << ": " << message);
        REQUIRE(holds(message, "byte offset "));
        // Never after the damage: what is named begins before it.
        const std::size_t offset = std::stoul(message.substr(message.find("byte offset ") + 12));
        CHECK(offset <= (i < 16 ? bytes.size() : i));
      }
    }
  }
}

TEST_CASE("any cut is found", "[convert]") {
  const std::string bytes = convert_text(varied_text());
  for (std::size_t size = 4; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(holds(refusal(bytes.substr(0, size)), "byte offset " + std::to_string(size) + ": "));
  }
  CHECK(holds(refusal(bytes + 'x'), "byte offset " + std::to_string(bytes.size()) + ": "));
  CHECK(holds(refusal(bytes + bytes), "more bytes after its end"));
}

TEST_CASE("a damaged magic number is damage and no strange text", "[convert]") {
  const Workspace workspace;
  std::string bytes = convert_text(varied_text());
  bytes[6] = '\n';  // what a transfer as text makes of it
  const std::string path = workspace.write("t.fct", bytes);
  CHECK_THROWS_WITH(traces::bundle::open_trace({path}, {}),
                    Catch::Matchers::Contains("byte offset 6: damaged binary trace"));
}

TEST_CASE("a newer version is refused by name", "[convert]") {
  std::string bytes = convert_text(varied_text());
  bytes[8] = 3;
  CHECK(holds(refusal(bytes), "binary trace of version 3; this fcsim reads versions 1 to 2"));
}

TEST_CASE("missing, repeated and exchanged blocks are found", "[convert]") {
  const TakenApart parts = take_apart(convert_text(varied_text()));
  REQUIRE(parts.blocks.size() == 4);  // events, unparsable, events, end
  REQUIRE(refusal(put_together(parts)).empty());
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    TakenApart other = parts;
    other.blocks.erase(other.blocks.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(refusal(put_together(other)).empty());
    other = parts;
    other.blocks.insert(other.blocks.begin(), other.blocks[i]);
    CHECK_FALSE(refusal(put_together(other)).empty());
  }
  TakenApart other = parts;
  std::swap(other.blocks[0], other.blocks[2]);
  CHECK(holds(refusal(put_together(other)), "expected block 0, found block 2"));
  other = parts;  // renumbered, so that only the count of events tells
  other.blocks.erase(other.blocks.begin());
  for (std::uint32_t i = 0; i < other.blocks.size(); ++i) other.blocks[i].header.sequence = i;
  CHECK(holds(refusal(put_together(other)), "events, but"));
}

// What no checksum can find: each content is changed and hashed anew. Under the sanitizers this
// shows that nothing beyond a block is read.
TEST_CASE("nonsense with right checksums is refused or harmless", "[convert]") {
  const TakenApart parts = long_parts();
  REQUIRE(parts.blocks.size() >= 3);
  Random random(20260731);
  std::size_t refused = 0;
  constexpr std::size_t kRounds = 4000;
  for (std::size_t round = 0; round < kRounds; ++round) {
    TakenApart damaged = parts;
    Block& block = damaged.blocks[random.below(damaged.blocks.size())];
    std::string& content = block.content;
    for (std::uint64_t i = 0, count = 1 + random.below(4); i < count && !content.empty(); ++i) {
      const std::size_t at = random.below(content.size());
      switch (random.below(5)) {
        case 0:
          content.resize(at);
          break;
        case 1:
          content.insert(at, 1 + random.below(9), static_cast<char>(random.below(256)));
          break;
        case 2:
          block.header.events = static_cast<std::uint32_t>(random.below(1U << 31));
          break;
        case 3:
          block.header.strings = static_cast<std::uint32_t>(random.below(1U << random.below(32)));
          break;
        default:
          content[at] = static_cast<char>(random.below(256));
      }
    }
    if (!refusal(put_together(damaged)).empty()) ++refused;
  }
  CHECK(refused > kRounds / 2);
  CHECK(refused < kRounds);
}

TEST_CASE("a compressed block that says another size is refused", "[convert]") {
  TakenApart parts = long_parts(3);
  REQUIRE(refusal(put_together(parts)).empty());
  for (const std::uint32_t size : {0U, 1U, parts.blocks[0].header.content_size - 1,
                                   parts.blocks[0].header.content_size + 1, 0xffffffffU}) {
    TakenApart damaged = parts;
    damaged.blocks[0].header.content_size = size;
    CHECK_FALSE(refusal(put_together(damaged)).empty());
  }
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    TakenApart damaged = parts;
    std::string& content = damaged.blocks[0].content;
    content[random.below(content.size())] = static_cast<char>(random.below(256));
    refusal(put_together(damaged));  // refused, or by chance the same
  }
}

TEST_CASE("a size that is not there asks for no memory", "[convert]") {
  std::string bytes = convert_text(varied_text()).substr(0, 200);
  const std::uint32_t size = traces::binary::kHeaderMaximum;
  std::memcpy(bytes.data() + 12, &size, sizeof size);
  CHECK(holds(refusal(bytes), "byte offset 200: the binary trace is cut"));
}

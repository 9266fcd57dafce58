// Damaged images: an answer, an InputError with a position, or a record's fault; never a crash.
#include <random>

#include "sim/machine/geometry/input.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

constexpr std::size_t kBlock = 1024;

// Everything that the command can be asked. Returns the number of faulty records.
std::size_t use(const std::string& path) {
  machine::geometry::GeometryInput input = machine::geometry::read_geometry(path, {});
  const machine::geometry::GeometryAnswer answer =
      machine::geometry::answer_geometry(input.filesystem, {}, configured());
  CHECK_FALSE(machine::geometry::geometry_json(answer).empty());
  std::size_t faults = 0;
  if (input.image->journal() == nullptr) return 0;
  for (const machine::geometry::LogScope scope :
       {machine::geometry::LogScope::live, machine::geometry::LogScope::whole})
    for (const machine::geometry::LogRecord& record : log_of(*input.image, scope))
      faults += record.fault.empty() ? 0 : 1;
  return faults;
}

// True if it was an answer; an error must name the file.
bool survives(const std::string& path) {
  try {
    use(path);
    return true;
  } catch (const model::InputError& error) {
    CHECK(error.position().file == path);
    return false;
  }
}

std::size_t journal_byte(const std::string& path, std::uint64_t block) {
  machine::geometry::Image image(path);
  return static_cast<std::size_t>(image.journal()->byte_of(block));
}

std::string message_of(const std::string& path) {
  try {
    machine::geometry::read_geometry(path, {});
  } catch (const model::InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "no error";
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  return bytes;
}

}  // namespace

TEST_CASE("images cut anywhere", "[geometry]") {
  const Folder folder("cut");
  const std::string good = read_all(data_file("unclean.img.zst"));
  CHECK(use(folder.write("whole.img", good)) == 0);
  std::size_t errors = 0;
  for (std::size_t size = 0; size < good.size(); size += size < 8192 ? 512 : 97 * kBlock)
    if (!survives(folder.write("cut.img", good.substr(0, size)))) ++errors;
  CHECK(errors > 10);
}

TEST_CASE("a cut image says so while its journal is there", "[geometry]") {
  const Folder folder("cut-behind");
  const std::string good = read_all(data_file("unclean.img.zst"));
  const std::string path = folder.write("fs.img", good);
  const std::size_t end = journal_byte(path, 1039) + kBlock;
  const machine::geometry::GeometryInput input =
      machine::geometry::read_geometry(folder.write("cut.img", good.substr(0, end)), {});
  CHECK(any_contains(input.filesystem.statements, "cut: the file system has 8192 blocks"));
}

TEST_CASE("flipped bytes are placed", "[geometry]") {
  const Folder folder("flipped");
  const std::string good = read_all(data_file("unclean.img.zst"));
  const std::string path = folder.write("fs.img", good);
  const auto message = [&](std::size_t at) {
    return message_of(folder.write("flipped.img", flipped(good, at)));
  };
  CHECK(message(1024 + 0x38) ==
        ":1081: not an ext4 file system: expected the magic number 0xef53 here");
  CHECK(message(1024 + 0x78).find(":2045: the superblock's checksum is wrong") == 0);
  const std::size_t journal = journal_byte(path, 0);
  CHECK(message(journal).find(":" + std::to_string(journal + 1) +
                              ": expected the journal's magic") == 0);
  CHECK(message(journal + 0x18)
            .find(":" + std::to_string(journal + 0xfc + 1) +
                  ": the checksum of the journal's superblock is wrong") == 0);
}

TEST_CASE("each flipped byte of a fast commit is a fault at its block", "[geometry]") {
  const Folder folder("flipped-area");
  const std::string good = read_all(data_file("unclean.img.zst"));
  const std::string path = folder.write("fs.img", good);
  // The first fast commit has one block, 1025; the bytes before TAIL's padding are covered.
  const std::size_t at = journal_byte(path, 1025);
  for (const std::size_t byte : {std::size_t{4}, std::size_t{20}, std::size_t{60}}) {
    machine::geometry::Image image(folder.write("flipped.img", flipped(good, at + byte)));
    bool found = false;
    for (const machine::geometry::LogRecord& record :
         log_of(image, machine::geometry::LogScope::live))
      if (!record.fault.empty()) found = found || record.block == 1025;
    INFO(byte);
    CHECK(found);
  }
}

TEST_CASE("seeded damage anywhere in the metadata and the journal", "[geometry]") {
  const Folder folder("seeded");
  const std::string good = read_all(data_file("unclean.img.zst"));
  const std::size_t journal = journal_byte(folder.write("fs.img", good), 0);
  std::mt19937 random(20240229);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::size_t answers = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = round % 3 == 0 ? below(160 * kBlock)  // metadata
                             : round % 3 == 1
                                 ? journal + below(60 * kBlock)
                                 : journal + (1024 + below(16)) * kBlock + below(kBlock);
      bytes[at] = static_cast<char>(random());
    }
    INFO("round " << round);
    if (survives(folder.write("damaged.img", bytes))) ++answers;
  }
  CHECK(answers > 100);
}

TEST_CASE("seeded damage where no checksum protects the superblock", "[geometry]") {
  const Folder folder("unprotected");
  std::string good = read_all(data_file("unclean.img.zst"));
  good[1024 + 0x65] = static_cast<char>(good[1024 + 0x65] & ~0x04);  // metadata_csum
  REQUIRE(survives(folder.write("fs.img", good)));
  std::mt19937 random(20240301);
  for (int round = 0; round < 400; ++round) {
    std::string bytes = good;
    bytes[1024 + random() % 0x180] = static_cast<char>(random());
    INFO("round " << round);
    survives(folder.write("damaged.img", bytes));
  }
}

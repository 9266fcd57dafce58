// How many blocks do records take? LogPacker compared with a packer that writes bytes into blocks.
#include "model/fast_commit/log_packer.h"

#include <array>
#include <vector>

#include "tests/catch.h"
#include "tests/model/random.h"

using namespace fcsim;
using model::fast_commit::LogPacker;
using test::Random;
namespace record_bytes = model::fast_commit::record_bytes;

namespace {

// Writes each record's bytes; a block that cannot take the next record and keep 4 bytes for a PAD
// header is filled with PAD.
class ByteLog {
 public:
  explicit ByteLog(std::size_t block_size) : block_size_(block_size) {}
  void add(std::size_t bytes) {
    if (log_.size() % block_size_ + bytes > block_size_ - 4 && log_.size() % block_size_ != 0)
      pad();
    log_.insert(log_.end(), bytes, 'r');
  }
  void pad() { log_.resize((log_.size() + block_size_ - 1) / block_size_ * block_size_, 'p'); }
  [[nodiscard]] std::size_t blocks() const { return log_.size() / block_size_; }

 private:
  std::size_t block_size_;
  std::vector<char> log_;
};

std::uint32_t random_record(Random& random) {
  switch (random.between(0, 4)) {
    case 0:
      return record_bytes::add_range;
    case 1:
      return record_bytes::del_range;
    case 2:
      return record_bytes::dentry(static_cast<std::uint32_t>(random.between(1, 255)));
    case 3:
      return record_bytes::inode(128);
    default:
      return record_bytes::inode(random.one_in(5) ? 512 : 160);
  }
}

}  // namespace

TEST_CASE("a fast commit takes the blocks that its bytes fill", "[log packer]") {
  for (const std::uint32_t block_size : {1024U, 2048U, 4096U, 65536U}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Random random(seed);
      LogPacker packer(block_size);
      ByteLog bytes(block_size);
      const std::uint64_t count = random.between(0, 150);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint32_t record = random_record(random);
        packer.add(record);
        bytes.add(record);
      }
      packer.add(record_bytes::tail);
      bytes.add(record_bytes::tail);
      bytes.pad();
      INFO("seed " << seed << ", blocks of " << block_size << ", " << count << " records");
      CHECK(packer.blocks() == bytes.blocks());
      CHECK_FALSE(packer.too_long());
    }
  }
}

TEST_CASE("a record that leaves no room for a PAD header starts the next block", "[log packer]") {
  LogPacker fits(1024);
  fits.add(1020 - record_bytes::tail);
  fits.add(record_bytes::tail);
  CHECK(fits.blocks() == 1);
  LogPacker over(1024);
  over.add(1021 - record_bytes::tail);
  over.add(record_bytes::tail);
  CHECK(over.blocks() == 2);
}

TEST_CASE("no block holds a record longer than itself less a PAD header", "[log packer]") {
  LogPacker longest(1024);
  longest.add(1020);
  CHECK_FALSE(longest.too_long());
  LogPacker longer(1024);
  longer.add(1021);
  CHECK(longer.too_long());
}

TEST_CASE("sizes of records", "[log packer]") {
  CHECK(record_bytes::add_range == 20);
  CHECK(record_bytes::del_range == 16);
  CHECK(record_bytes::head == 12);
  CHECK(record_bytes::tail == 12);
  CHECK(record_bytes::dentry(2) == 14);
  CHECK(record_bytes::inode(160) == 168);
  CHECK(record_bytes::inode(128) == 136);
  CHECK(record_bytes::inode(256) == 264);  // inline data
}

#include "sim/machine/xfs_superblock.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "model/common/error.h"

namespace fcsim::machine {
namespace {

constexpr std::size_t kXfsSuperblockBytes = 264;
constexpr std::string_view kXfsMagic = "XFSB";

// Bytes of the fields that are read.
struct XfsField {
  static constexpr std::size_t block_size = 4;
  static constexpr std::size_t block_count = 8;
  static constexpr std::size_t log_start = 48;
  static constexpr std::size_t ag_blocks = 84;
  static constexpr std::size_t ag_count = 88;
  static constexpr std::size_t log_blocks = 96;
  static constexpr std::size_t version = 100;
  static constexpr std::size_t sector_size = 102;
  static constexpr std::size_t inode_size = 104;
  static constexpr std::size_t stripe_unit = 184;
  static constexpr std::size_t directory_bits = 192;  // a power of two, in blocks
  static constexpr std::size_t log_sector_size = 194;
  static constexpr std::size_t log_stripe_bytes = 196;
  static constexpr std::size_t features2 = 200;
  static constexpr std::size_t ro_compat = 212;
  static constexpr std::size_t incompat = 216;
};

constexpr std::uint32_t kXfsVersionMask = 0xf;
constexpr std::uint32_t kXfsVersionWithChecksums = 5;

struct XfsFeature {
  std::size_t field;
  std::uint32_t bit;
  const char* name;
};
// In the order in which xfs_info prints them.
constexpr XfsFeature kXfsFeatures[] = {
    {XfsField::ro_compat, 0x1, "finobt"},   {XfsField::incompat, 0x2, "sparse"},
    {XfsField::ro_compat, 0x2, "rmapbt"},   {XfsField::ro_compat, 0x4, "reflink"},
    {XfsField::incompat, 0x8, "bigtime"},   {XfsField::ro_compat, 0x8, "inobtcount"},
    {XfsField::incompat, 0x20, "nrext64"},  {XfsField::features2, 0x80, "projid32bit"},
    {XfsField::incompat, 0x1, "ftype"},     {XfsField::features2, 0x2, "lazy-count"},
    {XfsField::incompat, 0x40, "exchange"}, {XfsField::incompat, 0x80, "parent"}};

class XfsSuperblock {
 public:
  explicit XfsSuperblock(const std::string& path) : path_(path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (file == nullptr) throw model::InputError({path, 0, 0}, std::strerror(errno));
    if (std::fread(bytes_.data(), 1, bytes_.size(), file.get()) != bytes_.size())
      fail(0, "cut: it ends within the superblock");
    if (std::string_view(reinterpret_cast<const char*>(bytes_.data()), kXfsMagic.size()) !=
        kXfsMagic)
      fail(0, "not an XFS file system: expected the letters XFSB here");
  }

  // Big-endian, as all of XFS on disk.
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes_[at + i];
    return value;
  }
  [[nodiscard]] std::uint32_t number32(std::size_t at) const {
    return static_cast<std::uint32_t>(number(at, 4));
  }
  [[nodiscard]] std::uint32_t number16(std::size_t at) const {
    return static_cast<std::uint32_t>(number(at, 2));
  }
  [[nodiscard]] std::uint32_t number8(std::size_t at) const { return bytes_[at]; }
  [[noreturn]] void fail(std::size_t byte, const std::string& message) const {
    throw model::InputError({path_, 0, byte + 1}, message);
  }

 private:
  std::string path_;
  std::array<std::uint8_t, kXfsSuperblockBytes> bytes_{};
};

bool is_power_between(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value >= least && value <= most && (value & (value - 1)) == 0;
}

// What a damaged superblock may claim.
void check_superblock(const XfsSuperblock& super) {
  const std::uint64_t block = super.number32(XfsField::block_size);
  if (!is_power_between(block, 512, 65536))
    super.fail(XfsField::block_size, "the superblock is damaged: block size");
  const std::uint64_t sector = super.number16(XfsField::sector_size);
  if (!is_power_between(sector, 512, 32768))
    super.fail(XfsField::sector_size, "the superblock is damaged: sector size");
  if (!is_power_between(super.number16(XfsField::inode_size), 256, block / 2))
    super.fail(XfsField::inode_size, "the superblock is damaged: inode size");
  const std::uint64_t blocks = super.number(XfsField::block_count, 8);
  const std::uint64_t group = super.number32(XfsField::ag_blocks);
  const std::uint64_t groups = super.number32(XfsField::ag_count);
  if (group < 64 || groups == 0 || blocks <= group * (groups - 1) || blocks > group * groups)
    super.fail(XfsField::ag_count, "the superblock is damaged: its groups do not hold its blocks");
  if (super.number8(XfsField::directory_bits) > 7)
    super.fail(XfsField::directory_bits, "the superblock is damaged: directory block size");
  if (super.number(XfsField::log_start, 8) == 0)
    super.fail(XfsField::log_start, "the log is on another device; expected an internal log");
}

std::vector<std::string> xfs_features_of(const XfsSuperblock& super) {
  std::vector<std::string> names;
  if ((super.number16(XfsField::version) & kXfsVersionMask) == kXfsVersionWithChecksums)
    names.emplace_back("crc");
  for (const XfsFeature& feature : kXfsFeatures)
    if ((super.number32(feature.field) & feature.bit) != 0) names.emplace_back(feature.name);
  return names;
}

}  // namespace

bool is_xfs_image(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::array<char, 4> bytes{};
  return file != nullptr && std::fread(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
         std::string_view(bytes.data(), bytes.size()) == kXfsMagic;
}

model::FilesystemSettings read_xfs_superblock(const std::string& path) {
  const XfsSuperblock super(path);
  check_superblock(super);
  model::FilesystemSettings fs;
  fs.type = model::FilesystemType::xfs;
  fs.block_size = super.number32(XfsField::block_size);
  fs.block_count = super.number(XfsField::block_count, 8);
  fs.inode_size = super.number16(XfsField::inode_size);
  fs.features = xfs_features_of(super);
  fs.xfs.ag_count = super.number32(XfsField::ag_count);
  fs.xfs.ag_blocks = super.number32(XfsField::ag_blocks);
  fs.xfs.sector_size = super.number16(XfsField::sector_size);
  fs.xfs.stripe_unit_blocks = super.number32(XfsField::stripe_unit);
  fs.xfs.directory_block_size = fs.block_size << super.number8(XfsField::directory_bits);
  fs.xfs.log_blocks = super.number32(XfsField::log_blocks);
  const std::uint32_t log_sector = super.number16(XfsField::log_sector_size);
  fs.xfs.log_sector_size = log_sector == 0 ? 512 : log_sector;  // where it is the data's
  // In bytes, and 1 where there is none.
  fs.xfs.log_stripe_unit_blocks = super.number32(XfsField::log_stripe_bytes) / fs.block_size;
  return fs;
}

}  // namespace fcsim::machine

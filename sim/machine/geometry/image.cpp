#include "sim/machine/geometry/image.h"

extern "C" {  // which e2fsprogs 1.47 leaves out in these two
#include <e2p/e2p.h>
#include <et/com_err.h>
}
#include <ext2fs/ext2fs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/common/error.h"

namespace fcsim::machine::geometry {
namespace {

constexpr std::uint64_t kSuperblockByte = 1024;  // whatever the block size
constexpr std::uint64_t kMagicByte = kSuperblockByte + 0x38;
constexpr std::uint64_t kChecksumByte = kSuperblockByte + 0x3fc;

[[noreturn]] void fail(const std::string& path, std::uint64_t byte, const std::string& message) {
  throw model::InputError({path, 0, byte + 1}, message);
}

// Why libext2fs refused the superblock, with the byte to look at.
[[noreturn]] void explain(const std::string& path, errcode_t code) {
  switch (code) {
    case EXT2_ET_BAD_MAGIC:
      fail(path, kMagicByte, "not an ext4 file system: expected the magic number 0xef53 here");
    case EXT2_ET_SB_CSUM_INVALID:
      fail(path, kChecksumByte, "the superblock's checksum is wrong: the superblock is damaged");
    case EXT2_ET_SHORT_READ:
      fail(path, kSuperblockByte, "cut: it ends within the superblock or the group descriptors");
    case EXT2_ET_CORRUPT_SUPERBLOCK:
      fail(path, kSuperblockByte, "the superblock contradicts itself: it is damaged");
    default:
      fail(path, kSuperblockByte,
           std::string("the superblock cannot be used: ") + error_message(code));
  }
}

void add_features(std::vector<std::string>& names, int set, std::uint32_t mask) {
  for (std::uint32_t bit = 0; bit < 32; ++bit)
    if ((mask & 1U << bit) != 0) names.emplace_back(e2p_feature2string(set, 1U << bit));
}

std::vector<std::string> feature_names(const ext2_super_block& super) {
  std::vector<std::string> names;
  add_features(names, E2P_FEATURE_COMPAT, super.s_feature_compat);
  add_features(names, E2P_FEATURE_INCOMPAT, super.s_feature_incompat);
  add_features(names, E2P_FEATURE_RO_INCOMPAT, super.s_feature_ro_compat);
  // It says that the file system is in use, not what it can do.
  std::erase(names, "needs_recovery");
  return names;
}

// tune2fs -o, then tune2fs -E mount_opts=, as the kernel applies them.
std::vector<std::string> default_options(const ext2_super_block& super) {
  std::vector<std::string> options;
  switch (super.s_default_mount_opts & EXT3_DEFM_JMODE) {
    case EXT3_DEFM_JMODE_DATA:
      options.emplace_back("data=journal");
      break;
    case EXT3_DEFM_JMODE_ORDERED:
      options.emplace_back("data=ordered");
      break;
    case EXT3_DEFM_JMODE_WBACK:
      options.emplace_back("data=writeback");
      break;
    default:
      break;
  }
  if ((super.s_default_mount_opts & EXT4_DEFM_NOBARRIER) != 0) options.emplace_back("nobarrier");
  if ((super.s_default_mount_opts & EXT4_DEFM_NODELALLOC) != 0) options.emplace_back("nodelalloc");
  const char* const text = reinterpret_cast<const char*>(super.s_mount_opts);
  const std::string stored(text, strnlen(text, sizeof super.s_mount_opts));
  for (std::size_t begin = 0; begin < stored.size();) {
    const std::size_t end = std::min(stored.find(',', begin), stored.size());
    options.push_back(stored.substr(begin, end - begin));
    begin = end + 1;
  }
  return options;
}

model::FilesystemSettings settings_of(ext2_super_block& super) {
  model::FilesystemSettings settings;
  settings.block_size = 1024U << super.s_log_block_size;
  settings.block_count = ext2fs_blocks_count(&super);
  settings.blocks_per_group = super.s_blocks_per_group;
  settings.inode_count = super.s_inodes_count;
  settings.inodes_per_group = super.s_inodes_per_group;
  settings.inode_size = super.s_rev_level == 0 ? 128U : super.s_inode_size;
  settings.extra_isize = settings.inode_size > 128 ? super.s_want_extra_isize : 0;
  settings.flex_group_size =
      super.s_log_groups_per_flex == 0 ? 0 : 1U << super.s_log_groups_per_flex % 32;
  settings.features = feature_names(super);
  settings.journal_blocks = 0;
  settings.fast_commit_blocks = 0;
  return settings;
}

// No more than mke2fs makes (e2fsprogs 1.47, misc/util.c:figure_journal_size): a damaged map can
// claim as many as the file system, whose size is a claim as well.
constexpr std::size_t kJournalBlocksMaximum = 10'240'000;

// A journal has no holes and no block outside of the file system; a damaged map may claim anything.
struct BlockMap {
  std::vector<std::uint64_t> blocks;  // block of the file -> block of the file system
  std::uint64_t filesystem_blocks = 0;
  bool damaged = false;
};

int append_block(ext2_filsys /*fs*/, blk64_t* block, e2_blkcnt_t number, blk64_t /*reference*/,
                 int /*offset*/, void* target) {
  auto& map = *static_cast<BlockMap*>(target);
  map.damaged = number != static_cast<e2_blkcnt_t>(map.blocks.size()) ||
                *block >= map.filesystem_blocks || map.blocks.size() >= map.filesystem_blocks ||
                map.blocks.size() >= kJournalBlocksMaximum;
  if (map.damaged) return BLOCK_ABORT;
  map.blocks.push_back(*block);
  return 0;
}

}  // namespace

JournalFile::~JournalFile() = default;

struct Image::Handle {
  ext2_filsys fs = nullptr;
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (fs != nullptr) ext2fs_free(fs);  // unlike ext2fs_close it cannot write
  }
};

class Image::InodeFile : public JournalFile {
 public:
  InodeFile(ext2_filsys fs, std::vector<std::uint64_t> map) : fs_(fs), map_(std::move(map)) {}

  [[nodiscard]] std::uint64_t blocks() const override { return map_.size(); }

  bool read(std::uint64_t block, std::span<std::uint8_t> target) override {
    return block < map_.size() && target.size() == fs_->blocksize &&
           io_channel_read_blk64(fs_->io, map_[block], 1, target.data()) == 0;
  }

  [[nodiscard]] std::uint64_t byte_of(std::uint64_t block) const override {
    return map_.at(block) * fs_->blocksize;
  }

 private:
  ext2_filsys fs_;
  std::vector<std::uint64_t> map_;
};

Image::Image(const std::string& path) : handle_(std::make_unique<Handle>()) {
  filesystem_.source = path;
  open();
  read_superblock();
  if (filesystem_.settings.has("has_journal")) read_journal();
}

Image::~Image() = default;

JournalFile* Image::journal() {
  return journal_.get();
}

void Image::open() {
  const std::string& path = filesystem_.source;
  const int flags = EXT2_FLAG_64BITS | EXT2_FLAG_SOFTSUPP_FEATURES | EXT2_FLAG_JOURNAL_DEV_OK |
                    EXT2_FLAG_SKIP_MMP;
  const errcode_t code =
      ext2fs_open2(path.c_str(), nullptr, flags, 0, 0, unix_io_manager, &handle_->fs);
  if (code == 0) return;
  if (code == EACCES || code == EPERM)
    throw model::InputError({path, 0, 0}, std::string(std::strerror(static_cast<int>(code))) +
                                              "; the output of 'dumpe2fs -h' serves as well");
  if (code < 256) throw model::InputError({path, 0, 0}, std::strerror(static_cast<int>(code)));
  explain(path, code);
}

void Image::read_superblock() {
  ext2_super_block& super = *handle_->fs->super;
  const std::string& path = filesystem_.source;
  if ((super.s_feature_incompat & EXT3_FEATURE_INCOMPAT_JOURNAL_DEV) != 0)
    fail(path, kSuperblockByte + 0x60,
         "this is the external journal of a file system; expected the file system");
  filesystem_.settings = settings_of(super);
  filesystem_.default_options = default_options(super);
  filesystem_.needs_recovery = (super.s_feature_incompat & EXT3_FEATURE_INCOMPAT_RECOVER) != 0;
  if ((super.s_state & EXT2_ERROR_FS) != 0)
    filesystem_.statements.emplace_back(
        "the superblock says that the kernel found errors here: run e2fsck");
  blk64_t size = 0;
  const std::uint64_t blocks = filesystem_.settings.block_count;
  if (ext2fs_get_device_size2(path.c_str(), handle_->fs->blocksize, &size) == 0 && size < blocks)
    filesystem_.statements.push_back("cut: the file system has " + std::to_string(blocks) +
                                     " blocks, here are " + std::to_string(size));
}

void Image::read_journal() {
  ext2_filsys fs = handle_->fs;
  const std::string& path = filesystem_.source;
  const ext2_ino_t inode = fs->super->s_journal_inum;
  if (inode == 0)
    fail(path, kSuperblockByte + 0xe0,
         "the journal is on another device, whose size decides: external journals are not "
         "supported");
  BlockMap map;
  map.filesystem_blocks = filesystem_.settings.block_count;
  const std::string who = "the journal (inode " + std::to_string(inode) + ")";
  const errcode_t code = ext2fs_block_iterate3(
      fs, inode, BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY, nullptr, append_block, &map);
  if (code != 0)
    fail(path, kSuperblockByte + 0xe0, who + " cannot be read: " + error_message(code));
  if (map.damaged || map.blocks.empty())
    fail(path, kSuperblockByte + 0xe0,
         who + " has no blocks, holes, blocks outside of the file system, or more than " +
             std::to_string(kJournalBlocksMaximum));
  journal_ = std::make_unique<InodeFile>(fs, std::move(map.blocks));
  std::vector<std::uint8_t> block(fs->blocksize);
  if (!journal_->read(0, block))
    fail(path, journal_->byte_of(0), who + ": its superblock cannot be read; the image is cut");
  ParsedJournalSuperblock parsed =
      parse_journal_superblock(block, fs->blocksize, journal_->blocks());
  if (!parsed.fault.empty()) fail(path, journal_->byte_of(0) + parsed.fault_at, parsed.fault);
  filesystem_.settings.journal_blocks = parsed.values.blocks;
  filesystem_.settings.fast_commit_blocks = parsed.values.fast_commit_blocks;
  filesystem_.journal = parsed.values;
}

}  // namespace fcsim::machine::geometry

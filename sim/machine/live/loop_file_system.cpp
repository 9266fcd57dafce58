#include "sim/machine/live/loop_file_system.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "model/common/error.h"
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/record/environment.h"
#include "sim/machine/record/process.h"
#include "sim/machine/xfs_superblock.h"

namespace fcsim::machine::live {
namespace {

[[noreturn]] void fail(const std::string& what) {
  const int error = errno;
  throw std::runtime_error(what + ": " + std::strerror(error));
}

bool make_mounts_private() {
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Only a mount point can be made private, and the root of a chroot need not be one. setns() goes to
// the root of the namespace, also of the one that the process is in; from there the way back is
// what was opened before.
bool make_mounts_private_outside_of_chroot() {
  const record::Descriptor root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const record::Descriptor folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const record::Descriptor own(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!root.valid() || !folder.valid() || !own.valid()) return false;
  if (setns(own.get(), CLONE_NEWNS) != 0) return false;
  const bool done = make_mounts_private();
  const int error = errno;
  if (fchdir(root.get()) != 0 || chroot(".") != 0 || fchdir(folder.get()) != 0)
    fail("going back into the chroot");
  errno = error;
  return done;
}

// What is mounted from here on is seen by this process and its children only, and goes with them.
void enter_own_namespace() {
  if (unshare(CLONE_NEWNS) != 0) fail("needs root, for a mount namespace of its own");
  if (make_mounts_private()) return;
  if (errno != EINVAL || !make_mounts_private_outside_of_chroot()) fail("making mounts private");
}

record::Descriptor nameless_file(const std::string& folder, std::uint64_t bytes) {
  record::Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.valid()) {  // some file systems have no O_TMPFILE
    std::string name = folder + "/image-XXXXXX";
    file.reset(mkostemp(name.data(), O_CLOEXEC));
    if (!file.valid()) fail(folder);
    unlink(name.c_str());
  }
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) fail(folder + ": the image");
  return file;
}

// The device frees itself when nothing uses it any more (LO_FLAGS_AUTOCLEAR).
bool configure(int loop, int image) {
  loop_config configuration{};
  configuration.fd = static_cast<__u32>(image);
  configuration.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  return ioctl(loop, LOOP_CONFIGURE, &configuration) == 0;
}

// mke2fs rounds; what it made has to be what was asked for.
void compare(const model::FilesystemSettings& wanted, const model::FilesystemSettings& made) {
  const std::array<std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>>, 10> numbers = {{
      {"block_size", {wanted.block_size, made.block_size}},
      {"block_count", {wanted.block_count, made.block_count}},
      {"blocks_per_group", {wanted.blocks_per_group, made.blocks_per_group}},
      {"inode_count", {wanted.inode_count, made.inode_count}},
      {"inodes_per_group", {wanted.inodes_per_group, made.inodes_per_group}},
      {"inode_size", {wanted.inode_size, made.inode_size}},
      {"extra_isize", {wanted.inode_size == 128 ? 0 : wanted.extra_isize, made.extra_isize}},
      {"flex_group_size",
       {wanted.has("flex_bg") ? wanted.flex_group_size : 0,
        wanted.has("flex_bg") ? made.flex_group_size : 0}},
      {"journal_blocks",
       {wanted.has("has_journal") ? wanted.journal_blocks : 0, made.journal_blocks}},
      {"fast_commit_blocks",
       {wanted.has("fast_commit") ? wanted.fast_commit_blocks : 0,
        wanted.has("fast_commit") ? made.fast_commit_blocks : 0}},
  }};
  for (const auto& [name, values] : numbers)
    if (values.first != values.second)
      throw model::InputError({std::string("filesystem.") + name, 0, 0},
                              "asked for " + std::to_string(values.first) + ", mke2fs makes " +
                                  std::to_string(values.second));
  for (const std::string& feature : wanted.features)
    if (!made.has(feature))
      throw model::InputError({"filesystem.features", 0, 0}, "mke2fs leaves out " + feature);
}

void compare_xfs(const model::FilesystemSettings& wanted, const model::FilesystemSettings& made) {
  const std::array<std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>>, 8> numbers = {{
      {"block_size", {wanted.block_size, made.block_size}},
      {"block_count", {wanted.block_count, made.block_count}},
      {"inode_size", {wanted.inode_size, made.inode_size}},
      {"ag_count", {wanted.xfs.ag_count, made.xfs.ag_count}},
      {"ag_blocks", {wanted.xfs.ag_blocks, made.xfs.ag_blocks}},
      {"sector_size", {wanted.xfs.sector_size, made.xfs.sector_size}},
      {"directory_block_size", {wanted.xfs.directory_block_size, made.xfs.directory_block_size}},
      {"log_blocks", {wanted.xfs.log_blocks, made.xfs.log_blocks}},
  }};
  for (const auto& [name, values] : numbers)
    if (values.first != values.second)
      throw model::InputError({std::string("filesystem.") + name, 0, 0},
                              "asked for " + std::to_string(values.first) + ", mkfs.xfs makes " +
                                  std::to_string(values.second));
  for (const std::string& feature : wanted.features)
    if (!made.has(feature))
      throw model::InputError({"filesystem.features", 0, 0}, "mkfs.xfs leaves out " + feature);
}

}  // namespace

LoopFileSystem::LoopFileSystem(const model::Configuration& configuration, std::string mount_point,
                               const std::string& temporary)
    : mount_point_(std::move(mount_point)) {
  enter_own_namespace();
  const model::FilesystemSettings& settings = configuration.filesystem;
  attach(temporary, settings.block_count * settings.block_size);
  if (settings.type == model::FilesystemType::xfs)
    make_xfs(settings);
  else
    make(settings);
  mount(configuration);
}

LoopFileSystem::~LoopFileSystem() {
  if (mounted_ && umount2(mount_point_.c_str(), 0) != 0) umount2(mount_point_.c_str(), MNT_DETACH);
}

void LoopFileSystem::attach(const std::string& temporary, std::uint64_t bytes) {
  const record::Descriptor image = nameless_file(temporary, bytes);
  const record::Descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control.valid()) fail("/dev/loop-control (loop devices are needed)");
  for (;;) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) fail("/dev/loop-control: no loop device is free");
    device_ = "/dev/loop" + std::to_string(number);
    loop_.reset(open(device_.c_str(), O_RDWR | O_CLOEXEC));
    if (!loop_.valid()) fail(device_);
    if (configure(loop_.get(), image.get())) return;
    if (errno != EBUSY) fail(device_);  // else somebody was quicker
  }
}

void LoopFileSystem::make(const model::FilesystemSettings& settings) {
  std::vector<std::string> arguments = mke2fs_options(settings);
  arguments.insert(arguments.begin(), "mke2fs");
  arguments.push_back(device_);
  arguments.push_back(std::to_string(settings.block_count));
  record::output_of_program(arguments);
  compare(settings, parse_dumpe2fs(record::output_of_program({"dumpe2fs", "-h", device_}),
                                   "dumpe2fs -h " + device_)
                        .settings);
}

void LoopFileSystem::make_xfs(const model::FilesystemSettings& settings) {
  std::vector<std::string> arguments = mkfs_xfs_options(settings);
  arguments.insert(arguments.begin(), "mkfs.xfs");
  arguments.push_back(device_);
  record::output_of_program(arguments);
  compare_xfs(settings, read_xfs_superblock(device_));
}

void LoopFileSystem::mount(const model::Configuration& configuration) {
  const bool xfs = configuration.filesystem.type == model::FilesystemType::xfs;
  record::output_of_program({"mount", "-n", "-t", xfs ? "xfs" : "ext4", "-o",
                             xfs ? xfs_mount_options(configuration.mount)
                                 : mount_options(configuration.mount, configuration.filesystem),
                             device_, mount_point_});
  mounted_ = true;
  loop_.reset();  // the mount holds the device now
}

}  // namespace fcsim::machine::live

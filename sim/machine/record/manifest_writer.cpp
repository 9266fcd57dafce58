#include "sim/machine/record/manifest_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/common/error.h"
#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/time.h"

namespace fcsim::machine::record {
namespace {

constexpr std::uint64_t kRootInode = 2;

// Blocks whose place is not known or lies within the inode: no extents of the tree.
constexpr std::uint32_t kNoBlocks =
    FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;

// "logical:physical:length,..." in blocks, 'u' after an unwritten one; nullopt: not allowed.
std::optional<std::string> extents_of(int file, std::uint64_t block) {
  constexpr std::uint32_t kExtents = 512;
  const std::size_t words = (sizeof(fiemap) + kExtents * sizeof(fiemap_extent)) / 8 + 1;
  const auto buffer = std::make_unique<std::uint64_t[]>(words);
  auto* const map = reinterpret_cast<fiemap*>(buffer.get());
  std::string text;
  std::uint64_t start = 0;
  do {
    std::memset(map, 0, sizeof *map);
    map->fm_start = start;
    map->fm_length = FIEMAP_MAX_OFFSET - start;
    map->fm_extent_count = kExtents;
    if (ioctl(file, FS_IOC_FIEMAP, map) != 0) return std::nullopt;
    for (std::uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
      const fiemap_extent& extent = map->fm_extents[i];
      start = extent.fe_logical + extent.fe_length;
      if ((extent.fe_flags & kNoBlocks) != 0 || extent.fe_length < block) continue;
      text += (text.empty() ? "" : ",") + std::to_string(extent.fe_logical / block) + ":" +
              std::to_string(extent.fe_physical / block) + ":" +
              std::to_string(extent.fe_length / block);
      if ((extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0) text += 'u';
    }
  } while (map->fm_mapped_extents == kExtents);
  return text;
}

// "flags=80000,project=7,default-acl": what the manifest's last column says of an open file.
std::string attributes_of(int file, bool directory) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  int flags = 0;
  if (ioctl(file, FS_IOC_GETFLAGS, &flags) == 0) {
    std::array<char, 16> hexadecimal{};
    std::snprintf(hexadecimal.data(), hexadecimal.size(), "flags=%x", static_cast<unsigned>(flags));
    add(hexadecimal.data());
  }
  fsxattr extended{};
  if (ioctl(file, FS_IOC_FSGETXATTR, &extended) == 0 && extended.fsx_projid != 0)
    add("project=" + std::to_string(extended.fsx_projid));
  const auto has = [&](const char* name) { return fgetxattr(file, name, nullptr, 0) > 0; };
  if (has("system.posix_acl_access")) add("acl");
  if (directory && has("system.posix_acl_default")) add("default-acl");
  if (has("security.selinux")) add("label");
  return text;
}

char type_of(mode_t mode) {
  if (S_ISDIR(mode)) return 'd';
  if (S_ISREG(mode)) return 'f';
  return S_ISLNK(mode) ? 'l' : 'o';
}

// A bind mount shows what the same device holds elsewhere.
bool is_mount_point(int directory, const std::string& name) {
  struct statx status {};
  return statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

class Walk {
 public:
  Walk(const Mounted& mounted, bool geometry_known,
       const std::function<void(std::string_view)>& put, const std::function<void()>& check)
      : mounted_(mounted), geometry_known_(geometry_known), put_(put), check_(check) {}

  ManifestSummary run() {
    put_(
        "# type\tmode\tinode\tnlink\tsize\tblocks512\tpath (relative to the mount point)\textents "
        "(logical:physical:length in blocks, u = unwritten)\tattributes (flags, project, ACLs, "
        "label)\n");
    summary_.began = realtime_ns();
    Descriptor root(open(mounted_.mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.valid()) throw model::InputError({mounted_.mount_point, 0, 0}, std::strerror(errno));
    struct stat status {};
    if (fstat(root.get(), &status) != 0)
      throw model::InputError({mounted_.mount_point, 0, 0}, std::strerror(errno));
    device_ = status.st_dev;
    line(".", status, "", attributes_of(root.get(), true));
    folder(std::move(root), "", status);
    return summary_;
  }

 private:
  struct Inner {
    std::string name;
    struct stat status;
  };

  // What the folder holds: first its other files in the order of names, then its folders, each with
  // its content.
  void folder(Descriptor directory, const std::string& path, const struct stat& before) {
    check_();
    std::vector<Inner> folders;
    for (const std::string& name : names_in(directory.get(), path, before)) {
      Inner inner{name, {}};
      if (fstatat(directory.get(), name.c_str(), &inner.status, AT_SYMLINK_NOFOLLOW) != 0)
        continue;                                           // gone since it was listed
      if (is_mount_point(directory.get(), name)) continue;  // which hides the file or folder itself
      if (S_ISDIR(inner.status.st_mode))
        folders.push_back(std::move(inner));
      else
        file(directory.get(), path, inner);
    }
    for (const Inner& inner : folders) enter(directory.get(), path, inner);
  }

  std::vector<std::string> names_in(int directory, const std::string& path,
                                    const struct stat& before) {
    std::vector<std::string> names;
    DIR* const stream = fdopendir(dup(directory));
    if (stream == nullptr) return names;
    while (const dirent* entry = readdir(stream)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (name.find_first_of("\t\n\r") == std::string::npos)
        names.push_back(name);
      else
        ++summary_.unwritable_names;
    }
    closedir(stream);
    struct stat after {};
    if (fstat(directory, &after) == 0 && !same_time(after.st_atim, before.st_atim))
      summary_.moved_atimes.push_back(path.empty() ? "." : path.substr(0, path.size() - 1));
    std::sort(names.begin(), names.end());
    return names;
  }

  void enter(int parent, const std::string& path, const Inner& inner) {
    // A mount point, to a kernel that does not say so.
    if (inner.status.st_dev != device_) return;
    const std::string inner_path = path + inner.name;
    Descriptor directory(
        openat(parent, inner.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    line(inner_path, inner.status, "",
         directory.valid() ? attributes_of(directory.get(), true) : "");
    if (directory.valid())
      folder(std::move(directory), inner_path + "/", inner.status);
    else
      ++summary_.unreadable_directories;
  }

  void file(int directory, const std::string& path, const Inner& inner) {
    std::string extents;
    std::string attributes;
    Descriptor opened;
    if (S_ISREG(inner.status.st_mode)) {
      opened.reset(
          openat(directory, inner.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      if (opened.valid()) attributes = attributes_of(opened.get(), false);
    }
    if (S_ISREG(inner.status.st_mode) && inner.status.st_blocks != 0 && geometry_known_) {
      std::optional<std::string> found;
      if (opened.valid())
        found = extents_of(opened.get(), static_cast<std::uint64_t>(inner.status.st_blksize));
      if (!found) ++summary_.without_extents;
      extents = found.value_or("");
    }
    line(path + inner.name, inner.status, extents, attributes);
  }

  std::uint64_t inode_number(const struct stat& status, bool root) {
    if (geometry_known_) return status.st_ino;
    if (root) return kRootInode;
    constexpr std::uint64_t kFirstFree = 12;  // 11 is mke2fs's lost+found
    return numbers_.emplace(status.st_ino, kFirstFree + numbers_.size()).first->second;
  }

  void line(const std::string& path, const struct stat& status, const std::string& extents,
            const std::string& attributes) {
    std::array<char, 16> mode{};
    std::snprintf(mode.data(), mode.size(), "%o", static_cast<unsigned>(status.st_mode & 07777U));
    std::string text(1, type_of(status.st_mode));
    text +=
        "\t" + std::string(mode.data()) + "\t" + std::to_string(inode_number(status, path == ".")) +
        "\t" + std::to_string(status.st_nlink) + "\t" + std::to_string(status.st_size) + "\t" +
        std::to_string(status.st_blocks) + "\t" + path + "\t" + extents + "\t" + attributes + "\n";
    put_(text);
    ++summary_.names;
  }

  const Mounted& mounted_;
  bool geometry_known_;
  const std::function<void(std::string_view)>& put_;
  const std::function<void()>& check_;
  dev_t device_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
  ManifestSummary summary_;
};

}  // namespace

ManifestSummary write_manifest(const Mounted& mounted, bool geometry_known,
                               const std::function<void(std::string_view)>& put,
                               const std::function<void()>& check) {
  return Walk(mounted, geometry_known, put, check).run();
}

}  // namespace fcsim::machine::record

#include "sim/machine/geometry/input.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "model/common/error.h"
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/xfs_info.h"
#include "sim/machine/xfs_superblock.h"
#include "traces/input.h"

namespace fcsim::machine::geometry {
namespace {

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::size_t kTextMaximum = std::size_t{1} << 20;  // dumpe2fs -h prints a few KiB

std::string first_bytes(traces::ByteSource& source, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t size = 0;
  while (size < count) {
    const std::size_t more = source.read(bytes.data() + size, count - size);
    if (more == 0) break;
    size += more;
  }
  bytes.resize(size);
  return bytes;
}

GeometryInput from_text(const std::string& text, const std::string& name) {
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    throw model::InputError(
        {name, 0, zero + 1},
        "expected the text that 'dumpe2fs -h' or xfs_info prints; an image must "
        "be a file");
  GeometryInput input;
  if (is_xfs_info(text)) {
    input.filesystem.source = name;
    input.filesystem.settings = parse_xfs_info(text, name);
    return input;
  }
  DumpedFilesystem dumped = parse_dumpe2fs(text, name);
  input.filesystem.source = name;
  input.filesystem.settings = std::move(dumped.settings);
  input.filesystem.default_options = std::move(dumped.default_options);
  input.filesystem.needs_recovery = dumped.needs_recovery;
  input.filesystem.area_as_stored = false;
  return input;
}

GeometryInput from_image(const std::string& path) {
  GeometryInput input;
  if (is_xfs_image(path)) {
    input.filesystem.source = path;
    input.filesystem.settings = read_xfs_superblock(path);
    return input;
  }
  input.image = std::make_unique<Image>(path);
  input.filesystem = input.image->filesystem();
  return input;
}

GeometryInput from_folder(const std::string& path, const SystemFolders& system) {
  MountedFilesystem mounted = mounted_at(path, system);
  GeometryInput input = from_image(mounted.device);
  input.mounted = std::move(mounted);
  return input;
}

// dumpe2fs prints no zeros; the first block of a file system has nothing else.
bool looks_like_text(const std::string& path) {
  const auto source = traces::open_source(path);
  const std::string bytes = first_bytes(*source, 512);
  return !bytes.empty() && bytes.find('\0') == std::string::npos;
}

void refuse_compressed(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::array<char, 4> bytes{};
  if (file != nullptr && std::fread(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
      std::string_view(bytes.data(), bytes.size()) == kZstdMagic)
    throw model::InputError({path, 0, 1},
                            "compressed by zstd; expected an image (zstd -d unpacks it)");
}

}  // namespace

GeometryInput read_geometry(const std::string& path, const SystemFolders& system) {
  if (path == "-")
    return from_text(first_bytes(*traces::open_source(path), kTextMaximum), "standard input");
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw model::InputError({path, 0, 0}, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return from_folder(path, system);
  if (S_ISBLK(status.st_mode)) {
    GeometryInput input = from_image(path);
    input.mounted = mounted_from(major(status.st_rdev), minor(status.st_rdev), system);
    return input;
  }
  if (!S_ISREG(status.st_mode))
    throw model::InputError(
        {path, 0, 0},
        "expected an image, a block device, a folder or the output of dumpe2fs or xfs_info");
  refuse_compressed(path);
  if (!looks_like_text(path)) return from_image(path);
  return from_text(first_bytes(*traces::open_source(path), kTextMaximum), path);
}

}  // namespace fcsim::machine::geometry

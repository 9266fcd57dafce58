// A file system on a device or in an image, read with libext2fs. Nothing is ever written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/common/configuration.h"
#include "sim/machine/geometry/journal_superblock.h"

namespace fcsim::machine::geometry {

// What a file system says of itself. Of an XFS file system `settings` alone.
struct FilesystemOnDisk {
  std::string source;  // for messages
  model::FilesystemSettings settings;
  // Mount options that the superblock makes the default ("data=journal", ...), in order.
  std::vector<std::string> default_options;
  // nullopt: no journal, or only dumpe2fs's text is known.
  std::optional<JournalSuperblock> journal;
  // False: `settings.fast_commit_blocks` may be the kernel's default where 0 is stored.
  bool area_as_stored = true;
  bool needs_recovery = false;
  std::vector<std::string> statements;  // what is wrong with it and did not stop the reading
};

// The blocks of the journal's file.
class JournalFile {
 public:
  JournalFile() = default;
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  virtual ~JournalFile();

  [[nodiscard]] virtual std::uint64_t blocks() const = 0;
  // Fills `target`, which is one block long. False where the block cannot be read.
  virtual bool read(std::uint64_t block, std::span<std::uint8_t> target) = 0;
  // Where the block lies in the image.
  [[nodiscard]] virtual std::uint64_t byte_of(std::uint64_t block) const = 0;
};

class Image {
 public:
  // Throws InputError with the byte (as column) where the fault is: unreadable, no ext4, cut, a
  // wrong checksum, a journal on another device.
  explicit Image(const std::string& path);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] const FilesystemOnDisk& filesystem() const { return filesystem_; }
  // nullptr without a journal.
  [[nodiscard]] JournalFile* journal();

 private:
  struct Handle;
  class InodeFile;
  void open();
  void read_superblock();
  void read_journal();

  FilesystemOnDisk filesystem_;
  std::unique_ptr<Handle> handle_;
  std::unique_ptr<JournalFile> journal_;
};

}  // namespace fcsim::machine::geometry

// A fresh ext4 or XFS in a file without a name, on a loop device, mounted where only this process
// and its children see it. Nothing of it outlives them, however they end.
#pragma once

#include <string>
#include <vector>

#include "model/common/configuration.h"
#include "sim/machine/record/descriptor.h"

namespace fcsim::machine::live {

// mke2fs's options for that geometry, up to the device. Throws InputError where mke2fs has none.
std::vector<std::string> mke2fs_options(const model::FilesystemSettings& settings);

// mkfs.xfs's likewise. Its choices are asked for where they can be; what it makes is compared.
std::vector<std::string> mkfs_xfs_options(const model::FilesystemSettings& settings);
std::string xfs_mount_options(const model::MountSettings& settings);

// What `mount -o` takes for those settings; each is named, whatever the kernel's default is.
std::string mount_options(const model::MountSettings& settings,
                          const model::FilesystemSettings& filesystem);

class LoopFileSystem {
 public:
  // Makes it and mounts it on `mount_point`, a folder. The image lies in the folder `temporary`.
  // The process moves to a mount namespace of its own and stays there; no other thread may run.
  // Throws InputError where the settings cannot be had, std::runtime_error where root or a loop
  // device is missing.
  LoopFileSystem(const model::Configuration& configuration, std::string mount_point,
                 const std::string& temporary);
  // Unmounts it; programs that still work on it keep it until they end.
  ~LoopFileSystem();
  LoopFileSystem(const LoopFileSystem&) = delete;
  LoopFileSystem& operator=(const LoopFileSystem&) = delete;

  [[nodiscard]] const std::string& device() const { return device_; }

 private:
  void attach(const std::string& temporary, std::uint64_t bytes);
  void make(const model::FilesystemSettings& settings);
  void make_xfs(const model::FilesystemSettings& settings);
  void mount(const model::Configuration& configuration);

  std::string mount_point_;
  std::string device_;  // "/dev/loop3"
  record::Descriptor loop_;
  bool mounted_ = false;
};

}  // namespace fcsim::machine::live

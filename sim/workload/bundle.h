// A synthetic workload as a bundle, so that it is predicted like a recorded one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/workload/workload.h"

namespace fcsim::workload {

struct WorkloadBundleRequest {
  WorkloadRequest workload;
  std::string folder;
  std::string profile = "6.18";
  std::optional<std::int64_t> fast_commit_kib;  // as for mke2fs -J fast_commit_size=
  bool compress = true;                         // trace.strace.zst, else trace.strace
  bool replace = false;                         // the files of a bundle that is there
};

// env.toml: the file system that mke2fs makes, mounted with the defaults of mount.
std::string workload_environment(const WorkloadBundleRequest& request);

// manifest.tsv: what mke2fs puts into a file system.
std::string workload_manifest(const WorkloadBundleRequest& request);

// Makes the folder with trace, env.toml and manifest.tsv. Throws InputError, also where the folder
// holds something and `replace` is not set.
void write_workload_bundle(const WorkloadBundleRequest& request);

}  // namespace fcsim::workload

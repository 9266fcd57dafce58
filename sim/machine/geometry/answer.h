// What fast commit will do on a file system, in numbers and in words; of XFS its tables alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/machine/geometry/image.h"
#include "sim/machine/geometry/mounted.h"

namespace fcsim::machine::geometry {

enum class FastCommitState : std::uint8_t { active, inactive, refused, unknown };

// "active", "not active", "cannot be mounted", "not known".
std::string_view to_string(FastCommitState state);

struct GeometryAnswer {
  // kernel, filesystem and mount of what was asked for; what the user's configuration gave of
  // [mount] is kept.
  model::Configuration configuration;
  bool mount_known = false;  // the file system itself says something of [mount]
  FastCommitState state = FastCommitState::unknown;
  std::string reason;                        // one sentence: why that state
  std::uint32_t area_blocks = 0;             // 0 unless fast commit can be active
  std::uint32_t usable_blocks = 0;           // of the area, by the fast commits of one transaction
  std::uint32_t log_blocks = 0;              // without the area
  std::uint32_t max_transaction_blocks = 0;  // "each up to N blocks"
  std::vector<std::string> statements;       // traps that apply here, a sentence each
};

// `loaded` gives the kernel and what the user said of [mount]; its [filesystem] is not looked at.
// Throws InputError for values that no ext4 has.
GeometryAnswer answer_geometry(const FilesystemOnDisk& filesystem,
                               const std::optional<MountedFilesystem>& mounted,
                               const configuration::LoadedConfiguration& loaded);

// The tables as a configuration file: [filesystem], and [mount] where something is known of it.
std::string geometry_toml(const GeometryAnswer& answer);

// The words as TOML comments, then the tables: also a configuration file.
std::string geometry_text(const GeometryAnswer& answer);

// One JSON object and a line feed:
//   filesystem {}, mount {} where known; fast_commit {state, reason, area_blocks, usable_blocks};
//   jbd2 {log_blocks, max_transaction_blocks}; kernel {profile}; statements []
// XFS has no fast_commit and no jbd2.
std::string geometry_json(const GeometryAnswer& answer);

}  // namespace fcsim::machine::geometry

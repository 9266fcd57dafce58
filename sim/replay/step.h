// What an administrator does to a file system between the runs of programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/common/error.h"

namespace fcsim::replay {

enum class StepKind : std::uint8_t {
  mkfs,     // text: options of mke2fs
  tune2fs,  // text: options of tune2fs
  mount,    // text: mount options
  remount,  // text: mount options after "remount,"
  umount,
  run,          // text: path of a trace or bundle; only in scenarios
  drop_caches,  // number: what is written to /proc/sys/vm/drop_caches
  sync,
};

std::string_view name(StepKind kind);

struct Step {
  StepKind kind = StepKind::sync;
  std::string text;
  std::int64_t number = 0;
  bool plain = false;  // mount: not on top of the configuration's [mount], but of mount's defaults
  model::Position position;
};

}  // namespace fcsim::replay

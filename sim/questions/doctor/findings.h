// What keeps a file system from fast commits, or makes them dear, and the commands that mend it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/geometry/answer.h"
#include "sim/machine/kernel_counters.h"

namespace fcsim::questions::doctor {

// One file system, as far as it is known.
struct Subject {
  std::string source;       // what was asked for: "/mnt/data", "disk.img", a bundle
  std::string device;       // "/dev/vdb1"; "": an image, a text or a bundle
  std::string mount_point;  // "": not mounted
  bool is_bundle = false;
  std::string release;  // of the running kernel; "": not mounted here
  machine::geometry::GeometryAnswer geometry;
  std::optional<machine::KernelCounters> counters;  // since the mount, or over the recording
  bool needs_recovery = false;
  std::uint32_t journal_error = 0;  // errno of an aborted journal
};

// Throws InputError where a bundle's counters are of no use.
machine::KernelCounters counters_of_bundle(const std::string& truth);

enum class Weight : std::uint8_t {
  danger,   // what was synced may be lost
  no_gain,  // no fast commit can be made
  dear,     // fast commits are made, and full commits that need not be
};

// "danger", "no fast commits", "full commits".
std::string_view to_string(Weight weight);

struct Step {
  std::string command;  // as typed, with the device's and the mount point's name
  std::string remark;   // may be ""
  bool destroys_data = false;
};

struct Finding {
  Weight weight = Weight::no_gain;
  std::string what;         // one sentence
  std::string effect;       // what follows from it; may be ""
  std::vector<Step> steps;  // in order; those that destroy data come last and are an alternative
};

// In the order of their weight. Each rests on a rule of the kernel or on a counter, never on a
// guess about the programs.
std::vector<Finding> findings_of(const Subject& subject);

// What to run next to learn more: a recording where the counters do not tell why.
std::vector<Step> next_steps(const Subject& subject);

}  // namespace fcsim::questions::doctor

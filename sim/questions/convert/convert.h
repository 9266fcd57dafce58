// From a trace or bundle in any form to one in the binary form, or to strace's text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/reader.h"

namespace fcsim::questions::convert {

struct ConvertRequest {
  std::vector<std::string> inputs;  // one bundle folder, or the files of one trace ("-": stdin)
  std::string output;               // a file; for a bundle the folder, which is made
  std::optional<int> zstd_level;    // compress the binary trace
  bool text = false;                // strace's text instead of the binary form
  bool strict = false;              // a line that cannot be parsed is an error
  bool replace = false;             // a file that is there, whatever it holds
  std::string fcsim_version;        // that the file tells
};

struct Converted {
  std::string file;  // the trace
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;                  // of the trace
  std::vector<traces::SourceFile> sources;  // what it was made from
  std::vector<std::string> warnings;        // for standard error: lines skipped and the like
};

// Leaves the output complete or not at all. A trace in the binary form that is there is replaced,
// and an empty file; another file only where `replace` is set, and the trace that is read never.
// Throws InputError.
Converted convert(const ConvertRequest& request);

}  // namespace fcsim::questions::convert

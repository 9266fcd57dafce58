// A recording and its prediction in one go: what this very kernel does with a command.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/machine/record/record.h"
#include "sim/questions/validate/validate.h"

namespace fcsim::questions::validate {

struct LiveRequest {
  std::vector<std::string> command;
  configuration::LoadRequest configuration;  // [filesystem] and [mount] are made, the rules predict
  std::string keep;                          // where the bundle stays; "": nowhere
  bool replace = false;                      // an older bundle in `keep`
  std::string temporary;                     // the folder for temporary files
  bool blocks = false;                       // as in ValidateRequest
  bool first_difference = false;             // likewise
  std::function<void(machine::record::RecordStep, const machine::record::Mounted&,
                     const std::string& folder)>
      progress;
};

struct LiveResult {
  machine::record::Recording recording;
  BundleResult comparison;
};

// Makes a loop file system with the geometry and mount options of the configuration, records the
// command there, unmounts, predicts and compares. It leaves no mount, loop device or file but
// `keep`, also where it throws. Throws InputError, among others where the configuration asks for
// what only another machine has; std::runtime_error; Interrupted after a signal.
LiveResult validate_live(const LiveRequest& request);

}  // namespace fcsim::questions::validate

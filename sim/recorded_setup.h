// What the commands that ran before a recording tell about the file system's state.
#pragma once

#include <string>

#include "model/operation.h"
#include "traces/resolver.h"

namespace fcsim::sim {

// A set-up that wrote files ended in a sync, so a full commit has happened on the mount, unless the
// set-up mounted the file system anew. Inode flags that it set with debugfs are not in the manifest
// and are taken from its text.
void apply_setup(const std::string& setup, const traces::Resolver& resolver,
                 model::InitialState& initial);

}  // namespace fcsim::sim

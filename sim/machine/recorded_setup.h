// What the commands that ran before a recording tell about the file system's state.
#pragma once

#include <string>

#include "model/common/operation.h"
#include "traces/resolve/resolver.h"

namespace fcsim::machine {

// A set-up that wrote files ended in a sync, so a full commit has happened on the mount, unless the
// set-up mounted the file system anew. Inode flags that it set with debugfs are not in the manifest
// and are taken from its text.
void apply_setup(const std::string& setup, const traces::resolve::Resolver& resolver,
                 model::InitialState& initial);

}  // namespace fcsim::machine

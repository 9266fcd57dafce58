// Several databases of batches into one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fcsim::questions::batch {

struct MergeResult {
  std::uint64_t rows = 0;      // that the inputs have, together
  std::uint64_t added = 0;     // of these, not there before
  std::uint64_t settings = 0;  // in the output
};

// Puts all rows of the inputs into `output`, which is made if it is not there. Settings are
// numbered in the order in which they come up. A row that is there already must be the same; if any
// is not, nothing is changed and an InputError names them. Also throws for an input that is the
// output.
MergeResult merge_batches(const std::vector<std::string>& inputs, const std::string& output);

}  // namespace fcsim::questions::batch

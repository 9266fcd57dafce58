// The predicted tree after recorded cuts beside the recorded one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fcsim::questions::exposure {

// The ten digits that the buffers of a trace's writes begin with, without leading zeros, by line.
using RecordNumbers = std::map<std::string, std::string>;
// Throws InputError where the file cannot be read.
RecordNumbers record_numbers(const std::string& trace);

struct CutCheck {
  std::uint64_t points = 0;   // that were predicted
  std::uint64_t same = 0;     // of these, with the same paths, types, modes, links, sizes, contents
  std::uint64_t records = 0;  // numbered records, at every point
  std::uint64_t right = 0;    // of these, rightly told to survive or to be lost
  std::vector<std::string> differences;  // a sentence each
};

// Both texts are as `exposure -f survivors` prints. A predicted "-" says nothing. "@LINE" is the
// record that this line of the trace wrote. Points that the prediction does not have do not count.
CutCheck check_cuts(const std::string& recorded, const std::string& predicted,
                    const RecordNumbers& numbers);

// The text of BUNDLE's survivors.tsv or survivors.tsv.zst; "" where it has none.
std::string read_survivors(const std::string& bundle);

}  // namespace fcsim::questions::exposure

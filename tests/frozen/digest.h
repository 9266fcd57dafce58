// A digest of everything that is predicted for one bundle under one timing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fcsim::test {

// One byte a commit, each made from that commit and all before it: where two chains first differ,
// there is the first commit that changed (a change is noticed one commit late once in 256 times).
using Chain = std::string;

struct Digest {
  std::uint64_t counters = 0;  // XXH3 of all counters and causes
  std::uint64_t commits = 0;   // XXH3 of the list of commits
  Chain chain;

  friend bool operator==(const Digest&, const Digest&) = default;
};

// What is digested, as text: counters, a line each, and commits in the order of their ends, fast
// ones before full ones of the same time, a line each.
struct Predicted {
  std::string counters;
  std::vector<std::string> commits;
};

// Predicts the bundle with [trace] timing = `timing`. An input that is refused is a prediction as
// well: its message stands among the counters. Names and wordings are not digested.
Predicted predict_for_digest(const std::string& bundle, const std::string& timing);

Digest digest_of(const Predicted& predicted);

// By "SET/BUNDLE TIMING". The digests are text, and the chains lie beside them, compressed.
using Digests = std::map<std::string, Digest>;
Digests read_digests(const std::string& folder);
void write_digests(const std::string& folder, const Digests& digests);

}  // namespace fcsim::test

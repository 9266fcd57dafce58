// One axis of a grid, as `-p` gives it.
#pragma once

#include <string>
#include <vector>

namespace fcsim::questions::sweep {

struct Parameter {
  std::string key;                  // "filesystem.fast_commit_kib"
  std::vector<std::string> values;  // as --set takes them; not checked against the key yet
};

// "KEY=ITEM,ITEM,...", where an item is a value as in --set or a range of integers:
//   lo..hi*N   lo, lo*N, lo*N*N, ... not above hi (N from 2)
//   lo..hi+N   lo, lo+N, ... not above hi (N from 1)
//   lo..hi     the same with N = 1
// Commas within [ ] or quotes do not separate. Throws InputError for an unknown key, a malformed
// or empty range, and more than a million values.
Parameter parse_parameter(const std::string& text);

// All combinations, one value for each parameter, the last parameter's changing fastest; one empty
// combination without parameters. Throws InputError for a key that is given twice and for more than
// a million points.
std::vector<std::vector<std::string>> grid(const std::vector<Parameter>& parameters);

}  // namespace fcsim::questions::sweep

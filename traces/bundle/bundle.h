// A bundle: the folder of one recorded run with all that a prediction needs.
#pragma once

#include <string>

namespace fcsim::traces::bundle {

// Paths of a bundle's files; empty where the bundle has no such file.
struct Bundle {
  std::string directory;
  std::string trace;        // trace.strace, trace.strace.zst or trace.fct: the first there is
  std::string environment;  // env.toml
  std::string manifest;     // manifest.tsv
  std::string truth;        // truth.toml
  std::string commits;      // commits.tsv.zst or commits.tsv
};

// Whether `path` is a directory that holds a trace.
bool is_bundle(const std::string& path);

// Finds the files of the bundle in `directory`. Throws InputError where that is not a directory or
// has no trace.
Bundle find_bundle(const std::string& directory);

}  // namespace fcsim::traces::bundle

// Bundles on disk that are then damaged, and what the pipeline says to them: an answer, or an
// InputError that names the place. Anything else is a defect.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "model/common/error.h"
#include "sim/questions/validate/validate.h"
#include "sim/replay/session.h"
#include "tests/catch.h"
#include "traces/input.h"

namespace fcsim::test {

inline std::string bundle_folder(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + name;
}

inline std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The text of a trace, decompressed.
inline std::string read_trace(const std::string& name) {
  const auto source = traces::open_source(bundle_folder(name) + "/trace.strace.zst");
  std::string text;
  char buffer[65536];
  for (std::size_t count = 0; (count = source->read(buffer, sizeof buffer)) != 0;)
    text.append(buffer, count);
  return text;
}

// The files of a bundle in memory; nullopt: not there.
struct Parts {
  std::string trace;
  std::optional<std::string> environment;
  std::optional<std::string> manifest;
  std::optional<std::string> truth;
};

inline Parts read_parts(const std::string& name) {
  return {read_trace(name), read_text(bundle_folder(name) + "/env.toml"),
          read_text(bundle_folder(name) + "/manifest.tsv"),
          read_text(bundle_folder(name) + "/truth.toml")};
}

// A folder that lives as long as the test; what a crash leaves is the input that crashed.
class Workspace {
 public:
  Workspace()
      : folder_(std::string(FCSIM_BINARY_DIR) + "/test-files/robustness-" +
                std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Workspace() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }

  void write(const Parts& parts) const {
    write("trace.strace", parts.trace);
    write("env.toml", parts.environment);
    write("manifest.tsv", parts.manifest);
    write("truth.toml", parts.truth);
  }

 private:
  void write(const std::string& name, const std::optional<std::string>& text) const {
    const std::string path = folder_ + "/" + name;
    if (text)
      std::ofstream(path, std::ios::binary) << *text;
    else
      std::filesystem::remove(path);
  }

  std::string folder_;
};

inline replay::SessionRequest request_for(const std::string& bundle) {
  replay::SessionRequest request;
  request.inputs = {bundle};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return request;
}

// "" for an answer, else the message. Any exception but InputError fails the test.
inline std::string message_for(const replay::SessionRequest& request) {
  try {
    const replay::Session session = replay::predict(request);
    std::uint64_t transactions = 0;
    for (const std::uint64_t count : session.prediction.causes) transactions += count;
    CHECK(transactions == session.prediction.transactions);
    return "";
  } catch (const model::InputError& error) {
    CHECK_FALSE(error.position().file.empty());
    return error.what();
  } catch (const std::exception& error) {
    FAIL_CHECK("no InputError: " << error.what());
    return error.what();
  }
}

// The same numbers on every machine, which the standard's distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : engine_() % limit; }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// Up to `most` bytes become others.
inline std::string flip_bytes(std::string text, Random& random, std::uint64_t most) {
  const std::uint64_t count = 1 + random.below(most);
  for (std::uint64_t i = 0; i < count && !text.empty(); ++i)
    text[random.below(text.size())] = static_cast<char>(random.below(256));
  return text;
}

}  // namespace fcsim::test

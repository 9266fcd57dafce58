#include "tests/fuzz/support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "sim/replay/decoder.h"
#include "sim/replay/runner.h"

namespace fcsim::fuzz {

MemoryFile::MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0, "no memory file");
  while (!content.empty()) {
    const ssize_t count = write(descriptor_, content.data(), content.size());
    require(count > 0, "a memory file cannot be written");
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

std::string source_path(const std::string& relative) {
  return std::string(FCSIM_SOURCE_DIR) + "/" + relative;
}

const configuration::LoadedConfiguration& creat_configuration() {
  static const configuration::LoadedConfiguration loaded = [] {
    configuration::LoadRequest request;
    request.files = {source_path("tests/bundles/creat/env.toml")};
    request.directories = {source_path("configs")};
    return configuration::load(request);
  }();
  return loaded;
}

engine::Prediction predict(const std::string& path) {
  const configuration::LoadedConfiguration& loaded = creat_configuration();
  replay::Inputs inputs;
  inputs.trace_files = {path};
  inputs.environment = "env.toml";  // so that a trace that touches nothing is no mistake
  replay::TraceDecoder decoder(inputs, replay::decode_settings(loaded, false));
  replay::Runner runner(loaded.values, decoder, {});
  for (replay::OperationChunk chunk; decoder.next(chunk);) runner.replay(chunk);
  runner.finish(decoder.end());
  replay::Replayed replayed = runner.take();
  if (replayed.error) std::rethrow_exception(replayed.error);
  std::uint64_t transactions = 0;
  for (const std::uint64_t count : replayed.prediction.causes) transactions += count;
  require(transactions == replayed.prediction.transactions, "causes do not add up");
  return std::move(replayed.prediction);
}

}  // namespace fcsim::fuzz

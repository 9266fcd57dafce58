// One executable for all targets: $FCSIM_FUZZ_TARGET names the one to run. libFuzzer has main().
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace {

const fcsim::fuzz::Target& chosen() {
  const char* const wanted = std::getenv("FCSIM_FUZZ_TARGET");
  for (const fcsim::fuzz::Target& target : fcsim::fuzz::targets())
    if (wanted != nullptr && std::string_view(wanted) == target.name) return target;
  std::fputs("FCSIM_FUZZ_TARGET: expected one of", stderr);
  for (const fcsim::fuzz::Target& target : fcsim::fuzz::targets())
    std::fprintf(stderr, " %s", target.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fcsim::fuzz::Target& target = chosen();
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}

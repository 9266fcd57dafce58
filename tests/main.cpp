// The main function of every test executable, for either version of Catch2.
//
// Tests marked [shared] read the recordings beside the source tree (../shared), those marked [root]
// need root and loop devices. CTest runs them as tests of their own (SUITE-shared, SUITE-root).
// Where what they need is missing, nothing runs, the reason is printed, and the status is
// kSkipped, which CTest shows as skipped.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iostream>

#if FCSIM_CATCH_VERSION == 3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in tests/CMakeLists.txt

const char* missing_for(const char* tags) {
  if (std::strcmp(tags, "[shared]") == 0 &&
      !std::filesystem::is_directory(FCSIM_SOURCE_DIR "/../shared/corpus"))
    return "there is no corpus of recordings at ../shared/corpus";
  if (std::strcmp(tags, "[root]") == 0) {
    if (geteuid() != 0) return "not root";
    if (!std::filesystem::exists("/dev/loop-control")) return "there are no loop devices";
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (const char* const reason = missing_for(argv[i]); reason != nullptr) {
      std::cout << "skipped: " << reason << '\n';
      return kSkipped;
    }
  return Catch::Session().run(argc, argv);
}

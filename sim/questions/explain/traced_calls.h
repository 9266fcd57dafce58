// What the trace says about the calls that commits go back to.
//
// The simulation knows a call by its line alone. Which lines matter is known only afterwards, so
// the trace is decoded once more with a list of them; memory is what is asked for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/common/commit.h"
#include "sim/questions/explain/programs.h"
#include "sim/questions/explain/strings.h"
#include "traces/event.h"
#include "traces/resolve/resolver.h"

namespace fcsim::questions::explain {

// A call of the trace. Texts are indices into strings().
struct Call {
  model::Origin origin;
  std::int32_t process = 0;   // that its thread belongs to
  std::uint32_t name = 0;     // of the call, as printed
  std::uint32_t path = 0;     // of its file, relative to the mount point
  std::uint32_t program = 0;  // that the process runs
  model::Time start = 0;
  model::Time end = 0;  // == start where the trace has no durations
};

inline constexpr std::uint32_t kNoCall = 0xffffffffU;

class TracedCalls {
 public:
  // The call of `origin` will be looked for. Origins without a line are none.
  void want(const model::Origin& origin);
  void want_all_syncs() { all_syncs_ = true; }

  // For TraceDecoder: each event, then its operations.
  void see(const traces::Event& event, const traces::resolve::Resolver& resolver);
  void observe(const model::Operation& operation, const traces::resolve::Resolver& resolver);

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] const StringTable& strings() const { return strings_; }
  // Index into calls(); kNoCall for an origin without a line.
  [[nodiscard]] std::uint32_t find(const model::Origin& origin) const;
  // The calls that wait until something is durable, in the order of the trace; only if wanted.
  [[nodiscard]] const std::vector<std::uint32_t>& syncs() const { return syncs_; }

 private:
  struct Key {
    std::uint64_t line = 0;
    std::uint16_t source = 0;
    model::OperationKind kind = model::OperationKind::none;
    model::FileId file = model::kNoFile;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  static Key key_of(const model::Origin& origin);
  Call make(const model::Operation& operation, const traces::resolve::Resolver& resolver);
  std::string path_of(const model::Operation& operation,
                      const traces::resolve::Resolver& resolver) const;

  Programs programs_;
  StringTable strings_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> syncs_;
  std::unordered_map<Key, std::uint32_t, Hash> wanted_;  // -> calls_, kNoCall while not seen
  traces::Event event_;                                  // whose operations come now
  bool all_syncs_ = false;
};

}  // namespace fcsim::questions::explain

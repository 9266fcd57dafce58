#include "sim/questions/batch/hash.h"

#include <xxhash.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <variant>
#include <vector>

#include "model/common/error.h"

namespace fcsim::questions::batch {
namespace {

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void add(std::string_view bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  // Text with an end, so that what follows cannot be taken for a part of it.
  void add_text(std::string_view text) {
    add(text);
    add(std::string_view("", 1));
  }
  [[nodiscard]] Hash digest() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return {hash.high64, hash.low64};
  }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

void add_file(Hasher& hasher, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw model::InputError({path, 0, 0}, std::strerror(errno));
  hasher.add_text(std::filesystem::path(path).filename().string());
  hasher.add_text(std::to_string(std::filesystem::file_size(path)));
  std::vector<char> buffer(std::size_t{1} << 16);
  for (std::size_t count = 0;
       (count = std::fread(buffer.data(), 1, buffer.size(), file.get())) != 0;)
    hasher.add({buffer.data(), count});
  if (std::ferror(file.get()) != 0) throw model::InputError({path, 0, 0}, std::strerror(errno));
}

// A value's text for the hash alone.
struct ValueText {
  Hasher& hasher;
  void operator()(bool value) const { hasher.add_text(value ? "true" : "false"); }
  void operator()(std::int64_t value) const { hasher.add_text(std::to_string(value)); }
  void operator()(double value) const {
    std::array<char, 64> text{};  // the shortest that reads back as the same value
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    hasher.add_text({text.data(), static_cast<std::size_t>(end - text.data())});
  }
  void operator()(const std::string& value) const { hasher.add_text(value); }
  template <class Element>
  void operator()(const std::vector<Element>& values) const {
    hasher.add_text(std::to_string(values.size()));
    for (const Element& value : values) (*this)(value);
  }
  void operator()(const configuration::UnusableValue& value) const {
    hasher.add_text(value.description);
  }
};

}  // namespace

std::string to_hex(const Hash& hash) {
  std::string text;
  for (const std::uint64_t half : {hash.high, hash.low})
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(half >> shift) & 15];
  return text;
}

std::optional<Hash> hash_from_hex(std::string_view text) {
  Hash hash;
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return std::nullopt;
  std::from_chars(text.data(), text.data() + 16, hash.high, 16);
  std::from_chars(text.data() + 16, text.data() + 32, hash.low, 16);
  return hash;
}

Hash hash_of(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.digest();
}

Hash hash_of(const replay::Inputs& inputs) {
  Hasher hasher;
  for (const std::string& trace : inputs.trace_files) add_file(hasher, trace);
  for (const std::string* path : {&inputs.environment, &inputs.manifest, &inputs.truth})
    if (!path->empty()) add_file(hasher, *path);
  return hasher.digest();
}

Hash hash_of(const configuration::LoadedConfiguration& configuration, bool strict) {
  Hasher hasher;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    const auto value = value_of(key, configuration);
    if (!value) continue;
    hasher.add_text(key.full_name());
    std::visit(ValueText{hasher}, *value);
  }
  hasher.add_text(strict ? "strict" : "");
  return hasher.digest();
}

}  // namespace fcsim::questions::batch

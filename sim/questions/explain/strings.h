// Texts kept once, however often they occur.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fcsim::questions::explain {

class StringTable {
 public:
  // Index 0 is the empty text.
  StringTable() { add(""); }

  std::uint32_t add(std::string_view text) {
    const auto known = indices_.find(text);
    if (known != indices_.end()) return known->second;
    const auto index = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    indices_.emplace(text, index);
    return index;
  }
  [[nodiscard]] const std::string& operator[](std::uint32_t index) const { return texts_[index]; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> indices_;
};

}  // namespace fcsim::questions::explain

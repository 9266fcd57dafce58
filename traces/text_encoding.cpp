#include "traces/text_encoding.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace fcsim::traces {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// Takes UTF-16; what is not valid becomes U+FFFD.
class Utf16Source final : public ByteSource {
 public:
  Utf16Source(std::unique_ptr<ByteSource> wide, bool big_endian)
      : wide_(std::move(wide)), big_endian_(big_endian) {}

  std::size_t read(char* target, std::size_t size) override {
    while (ready_.size() == given_ && refill()) {
    }
    const std::size_t count = std::min(size, ready_.size() - given_);
    ready_.copy(target, count, given_);
    given_ += count;
    return count;
  }

  [[nodiscard]] std::string_view shortfall() const override { return wide_->shortfall(); }

 private:
  bool refill() {
    std::array<char, 4096> chunk{};
    const std::size_t got = wide_->read(chunk.data(), chunk.size());
    ready_.clear();
    given_ = 0;
    for (std::size_t i = 0; i < got; ++i) byte(static_cast<unsigned char>(chunk[i]));
    return got != 0;
  }

  void byte(std::uint32_t value) {
    if (!half_) {
      half_ = value;
      return;
    }
    unit(big_endian_ ? (*half_ << 8 | value) : (value << 8 | *half_));
    half_.reset();
  }

  void unit(char32_t value) {
    const bool is_low = value >= 0xdc00 && value < 0xe000;
    if (high_ != 0 && is_low) {
      const char32_t whole = 0x10000 + ((high_ - 0xd800) << 10) + (value - 0xdc00);
      high_ = 0;
      return put(whole);
    }
    if (std::exchange(high_, 0) != 0) put(kReplacement);
    if (value >= 0xd800 && value < 0xdc00)
      high_ = value;
    else
      put(is_low ? kReplacement : value);
  }

  void put(char32_t value) {
    const auto add = [&](char32_t bits) { ready_ += static_cast<char>(bits); };
    if (value < 0x80) return add(value);
    if (value < 0x800) {
      add(0xc0 | value >> 6);
    } else {
      if (value < 0x10000) {
        add(0xe0 | value >> 12);
      } else {
        add(0xf0 | value >> 18);
        add(0x80 | (value >> 12 & 0x3f));
      }
      add(0x80 | (value >> 6 & 0x3f));
    }
    add(0x80 | (value & 0x3f));
  }

  std::unique_ptr<ByteSource> wide_;
  bool big_endian_;
  std::optional<std::uint32_t> half_;  // the first byte of a unit
  char32_t high_ = 0;                  // the first unit of a pair; 0: none
  std::string ready_;
  std::size_t given_ = 0;  // of it
};

}  // namespace

std::unique_ptr<ByteSource> as_utf8(std::unique_ptr<ByteSource> source) {
  std::string head = read_head(*source, 4);
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  const auto after = [&](std::size_t bytes) {
    return put_back(head.substr(bytes), std::move(source));
  };
  if (head.starts_with("\xef\xbb\xbf")) return after(3);
  if (head.starts_with("\xff\xfe")) return std::make_unique<Utf16Source>(after(2), false);
  if (head.starts_with("\xfe\xff")) return std::make_unique<Utf16Source>(after(2), true);
  if (head.size() == 4 && at(0) != 0 && at(1) == 0 && at(2) != 0 && at(3) == 0)
    return std::make_unique<Utf16Source>(after(0), false);
  if (head.size() == 4 && at(0) == 0 && at(1) != 0 && at(2) == 0 && at(3) != 0)
    return std::make_unique<Utf16Source>(after(0), true);
  return after(0);
}

}  // namespace fcsim::traces

// The block device as a journal uses it: writes with a flag, flushes without data, and how many
// flushes of them reach the device.
#pragma once

#include <cstdint>

namespace fcsim::model {

// [block_device]
struct BlockDeviceSettings {
  bool write_cache = true;  // queue/write_cache says "write back"
  bool fua = false;         // queue/fua: the device writes through by itself
  friend bool operator==(const BlockDeviceSettings&, const BlockDeviceSettings&) = default;
};

struct BlockDeviceCounters {
  std::uint64_t log_writes = 0;      // bios with data and PREFLUSH or FUA
  std::uint64_t empty_flushes = 0;   // bios with PREFLUSH and no data
  std::uint64_t device_flushes = 0;  // flush requests that reach the device
  friend bool operator==(const BlockDeviceCounters&, const BlockDeviceCounters&) = default;
};

// Without a write cache the block layer takes both flags off, and an empty flush ends at once
// (block/blk-core.c:submit_bio_noacct). With a cache and without FUA, FUA becomes a second flush
// after the write (block/blk-flush.c:blk_flush_policy).
class BlockDevice {
 public:
  explicit BlockDevice(const BlockDeviceSettings& settings) : settings_(settings) {}

  void write(bool preflush, bool fua, std::uint64_t times = 1) {
    if (!settings_.write_cache || (!preflush && !fua)) return;
    counters_.log_writes += times;
    counters_.device_flushes += times * ((preflush ? 1U : 0U) + (fua && !settings_.fua ? 1U : 0U));
  }
  void flush() {
    if (!settings_.write_cache) return;
    ++counters_.empty_flushes;
    ++counters_.device_flushes;
  }
  // Whether a write that must be durable can do without a flush after it.
  [[nodiscard]] bool writes_through() const { return settings_.fua || !settings_.write_cache; }
  [[nodiscard]] bool has_cache() const { return settings_.write_cache; }
  [[nodiscard]] const BlockDeviceCounters& counters() const { return counters_; }

 private:
  BlockDeviceSettings settings_;
  BlockDeviceCounters counters_;
};

}  // namespace fcsim::model

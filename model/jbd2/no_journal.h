// The journal of a file system without one: changes go home without it (fs/ext4/ext4_jbd2.c, the
// handles that ext4_get_nojournal counts).
#pragma once

#include "model/journal.h"

namespace fcsim::model::jbd2 {

class NoJournal final : public model::Journal {
 public:
  void begin(Time, std::uint32_t, const Origin&) override {}
  void log(LogItem&) override {}
  void forget(LogItem&) override {}
  void end(Time, const Origin&, bool) override {}
  void force(Time, Cause, const Origin&) override {}
  void force_now(Time, Cause, const Origin&) override {}
  [[nodiscard]] std::optional<LogWrite> writing() const override { return std::nullopt; }
  void end_write(Time) override {}
  void mount_again(const MountSettings&) override {}
  void remount(const MountSettings&) override {}
  [[nodiscard]] JournalTotals totals() const override { return {}; }
  [[nodiscard]] bool holds_for(const Geometry& geometry, const MountSettings&,
                               Time) const override {
    return !geometry.has_journal;
  }
  void add_observer(JournalObserver&) override {}
};

}  // namespace fcsim::model::jbd2

// The operations that io_submit hands to the kernel, as the events of the calls they equal.
#pragma once

#include <cstdint>
#include <string>

#include "traces/event.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

class Submissions {
 public:
  // Begins with what `event`, an io_submit, submitted with success.
  void begin(const Event& event);

  [[nodiscard]] bool empty() const { return left_ == 0; }

  // The next one, at the time of its submission and as successful in full, for the trace shows no
  // result: pread, pwrite, readv, pwritev, fsync or fdatasync. False if there is none. The strings
  // of the event live until the next call.
  bool next(Event& event);

 private:
  bool take_block(Event& event);
  void take_member(Event& event, Cursor& member);

  std::string text_;  // "[{aio_data=0, aio_lio_opcode=..., ...}, ...]"
  std::size_t offset_ = 0;
  std::int64_t left_ = 0;
  Event submission_;
  StringDecoder decoder_;
};

}  // namespace fcsim::traces::strace

#include "traces/strace/ordered_reader.h"

#include <utility>

#include "traces/order_assumptions.h"

namespace fcsim::traces::strace {

OrderedReader::OrderedReader(std::unique_ptr<FileReader> reader, const TraceForm& form)
    : reader_(std::move(reader)), form_(form), times_(form) {
  reader_->place_by_lines(times_);
}

bool OrderedReader::next(Event& event) {
  for (;;) {
    if (!held_.empty()) {
      const auto line = static_cast<std::uint64_t>(held_.front().start_ns);
      if (!times_.knows(line) && held_.size() > kHeldEventsMaximum) times_.force();
      if (times_.knows(line)) {
        held_.pop(event);
        const LineTimes::Place place = times_.place(line);
        event.start_ns = place.start_ns;
        event.duration_ns = place.duration_ns;
        event.has_duration = place.has_duration;
        times_.forget_before(line);
        return true;
      }
    }
    if (ended_) return false;
    Event next;
    if (reader_->next(next)) {
      held_.push(next);
    } else {
      ended_ = true;
      times_.end_input();
    }
  }
}

const ReaderStatistics& OrderedReader::statistics() const {
  statistics_ = reader_->statistics();
  statistics_.reordered = times_.backwards();
  statistics_.coarse_times = form_.has_times && form_.fraction_digits < 6;
  if (!form_.has_times) return statistics_;
  statistics_.first_time_ns = times_.first_ns();
  statistics_.last_time_ns = times_.last_ns();
  return statistics_;
}

std::vector<std::string> OrderedReader::assumed() const {
  return order_assumptions(statistics());
}

}  // namespace fcsim::traces::strace

#include "traces/binary/writer.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <unordered_map>

#include "traces/binary/call_numbers.h"
#include "traces/binary/format.h"

namespace fcsim::traces::binary {
namespace {

using namespace binary;

// A block is closed after the event with which its records or its strings reach this: both stay
// in a processor's second-level cache while they are read.
constexpr std::size_t kSectionSize = std::size_t{128} << 10;

template <class Number>
void append(std::string& bytes, Number value) {
  std::array<char, sizeof value> raw;
  std::memcpy(raw.data(), &value, sizeof value);
  bytes.append(raw.data(), raw.size());
}

void append_text(std::string& bytes, std::string_view text) {
  append(bytes, static_cast<std::uint32_t>(text.size()));
  bytes.append(text);
}

// The strings of one block, each once.
class Strings {
 public:
  // 0 for the empty string, else a number from 1.
  std::uint64_t number_of(std::string_view text) {
    if (text.empty()) return 0;
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    bytes_.append(text);
    append(ends_, static_cast<std::uint32_t>(bytes_.size()));
    const std::uint32_t number = ++count_;
    numbers_.emplace(text, number);
    return number;
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::size_t size() const { return ends_.size() + bytes_.size(); }

  void move_to(std::string& content) {
    content.append(ends_);
    content.append(bytes_);
    ends_.clear();
    bytes_.clear();
    numbers_.clear();
    count_ = 0;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::string ends_;
  std::string bytes_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::uint32_t count_ = 0;
};

class Compressor {
 public:
  explicit Compressor(int level) : context_(ZSTD_createCCtx()), level_(level) {
    if (context_ == nullptr) throw std::bad_alloc();
  }

  const std::string& compress(std::string_view content) {
    bytes_.resize(ZSTD_compressBound(content.size()));
    const std::size_t size = ZSTD_compressCCtx(context_.get(), bytes_.data(), bytes_.size(),
                                               content.data(), content.size(), level_);
    if (ZSTD_isError(size) != 0U) throw std::bad_alloc();  // the only fault left
    bytes_.resize(size);
    return bytes_;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  std::unique_ptr<ZSTD_CCtx, Free> context_;
  int level_;
  std::string bytes_;
};

}  // namespace

class BinaryWriter::Blocks {
 public:
  Blocks(const BinaryOptions& options, Sink sink) : sink_(std::move(sink)) {
    if (options.zstd_level) compressor_.emplace(*options.zstd_level);
    begin_block();
  }

  void begin(const std::string& fcsim_version, Origin origin,
             const std::vector<SourceFile>& sources) {
    std::string body;
    append_text(body, fcsim_version);
    append(body, static_cast<std::uint32_t>(origin));
    append(body, static_cast<std::uint32_t>(sources.size()));
    for (const SourceFile& source : sources) append_text(body, source.path);
    std::string header(kMagic);
    append(header, kVersion);
    append(header, static_cast<std::uint32_t>(body.size()));
    header += body;
    append(header, XXH64(header.data(), header.size(), 0));
    put(header);
  }

  void write(const Event& event) {
    add_record(event);
    ++block_events_;
    ++events_;
    if (records_.size() >= kSectionSize || strings_.size() >= kSectionSize) close_events();
  }

  void write_unparsable(const Diagnostic& diagnostic) {
    close_events();
    append_diagnostic(diagnostic);
    put_block(BlockKind::unparsable, 0, 0);
  }

  void end(const ReaderStatistics& statistics, const std::vector<SourceFile>& sources) {
    close_events();
    append(content_, events_);
    append_statistics(statistics);
    for (const SourceFile& source : sources) {
      append(content_, source.lines);
      append(content_, source.bytes);
      append(content_, source.xxh64);
    }
    put_block(BlockKind::end, 0, 0);
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  void flush() { close_events(); }

 private:
  // What seldom changes, as the numbers of a record.
  using Seldom = std::array<std::uint64_t, kChanges>;

  // The event that was last in a slot.
  struct Slot {
    Seldom seldom;
    std::uint64_t result;
    std::uint64_t offset;
    std::uint64_t length;
    std::uint64_t facts;
  };

  static std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }
  static std::uint64_t number32(std::int32_t value) { return static_cast<std::uint32_t>(value); }

  Slot first_slot() {
    return {seldom_of(Event{}), 0, number(Event{}.offset), number(Event{}.length),
            facts_of(Event{})};
  }

  static std::uint64_t facts_of(const Event& event) {
    return static_cast<std::uint16_t>(event.cpu) |
           std::uint64_t{static_cast<std::uint16_t>(event.cpu_end)} << 16 |
           std::uint64_t{event.transaction} << 32;
  }

  // By process, call and descriptor: what these share is mostly the rest, too.
  static std::size_t slot_of(const Event& event) {
    const std::uint64_t key = number32(event.pid) << 32 | (number32(event.fd) & 0xffff) << 16 |
                              static_cast<std::uint64_t>(event.call);
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 58);
  }

  Seldom seldom_of(const Event& event) {
    Seldom seldom;
    seldom[kCall] = number_of(event.call) | (event.has_result ? kHasResult : 0) |
                    (event.has_duration ? kHasDuration : 0) |
                    (event.truncated_text ? kTruncatedText : 0);
    seldom[kPid] = number32(event.pid);
    seldom[kSource] = event.source;
    seldom[kError] = number32(event.error);
    seldom[kFd] = number32(event.fd);
    seldom[kFd2] = number32(event.fd2);
    seldom[kFdPath] = strings_.number_of(event.fd_path);
    seldom[kFd2Path] = strings_.number_of(event.fd2_path);
    seldom[kPath] = strings_.number_of(event.path);
    seldom[kPath2] = strings_.number_of(event.path2);
    seldom[kText] = strings_.number_of(event.text);
    seldom[kResultPath] = strings_.number_of(event.result_path);
    seldom[kName] = strings_.number_of(event.name);
    seldom[kFlags] = event.flags;
    seldom[kArgument] = event.argument;
    return seldom;
  }

  void add_record(const Event& event) {
    const std::size_t index = slot_of(event);
    Slot& slot = slots_[index];
    const Seldom seldom = seldom_of(event);
    const std::array<std::uint64_t, kColumns> columns = {
        zigzag(event.line - line_ - 1),
        zigzag(number(event.start_ns) - start_ns_),
        zigzag(number(event.duration_ns)),
        zigzag(number(event.result) - slot.result),
        zigzag(number(event.offset) - slot.offset),
        zigzag(number(event.length) - slot.length)};
    unsigned codes = seldom == slot.seldom ? 0U : kHasChanges;
    for (unsigned i = 0; i < kColumns; ++i) codes |= width_code(columns[i]) << (2 * i);
    const std::uint64_t facts = facts_of(event);
    if (facts != slot.facts) codes |= kHasFacts;
    records_.push_back(static_cast<char>(index));
    append(records_, static_cast<std::uint16_t>(codes));
    for (const std::uint64_t value : columns) append_low(value, kWidths[width_code(value)]);
    if (facts != slot.facts) append(records_, facts);
    if ((codes & kHasChanges) != 0) add_changes(slot.seldom, seldom);
    slot = {seldom, number(event.result), number(event.offset), number(event.length), facts};
    line_ = event.line;
    start_ns_ = number(event.start_ns);
  }

  void add_changes(const Seldom& before, const Seldom& seldom) {
    unsigned changed = 0;
    for (unsigned i = 0; i < kChanges; ++i)
      if (seldom[i] != before[i]) changed |= 1U << i;
    append(records_, static_cast<std::uint16_t>(changed));
    for (unsigned i = 0; i < kChanges; ++i)
      if (seldom[i] != before[i]) append_low(seldom[i], i < kFlags ? 4 : 8);
  }

  static unsigned width_code(std::uint64_t value) {
    if (value == 0) return 0;
    if (value <= 0xffff) return 1;
    return value <= 0xffffffff ? 2 : 3;
  }

  void append_low(std::uint64_t value, std::size_t size) {
    std::array<char, sizeof value> raw;
    std::memcpy(raw.data(), &value, sizeof value);
    records_.append(raw.data(), size);
  }

  void close_events() {
    if (block_events_ == 0) return;
    const std::uint32_t strings = strings_.count();
    strings_.move_to(content_);
    content_ += records_;
    records_.clear();
    put_block(BlockKind::events, block_events_, strings);
    block_events_ = 0;
    begin_block();
  }

  void append_diagnostic(const Diagnostic& diagnostic) {
    append_text(content_, diagnostic.position.file);
    append(content_, diagnostic.position.line);
    append(content_, diagnostic.position.column);
    append_text(content_, diagnostic.message);
  }

  void append_statistics(const ReaderStatistics& statistics) {
    for (const std::uint64_t count :
         {statistics.lines, statistics.events, statistics.ignored_calls, statistics.unparsable,
          statistics.restarted_calls, statistics.injected_calls, statistics.orphan_resumed,
          statistics.never_resumed, statistics.released_early, statistics.reordered})
      append(content_, count);
    append(content_, statistics.first_time_ns);
    append(content_, statistics.last_time_ns);
    append(content_, static_cast<std::uint32_t>(statistics.time_base));
    const unsigned shown = (statistics.has_pids ? 1U : 0U) | (statistics.has_durations ? 2U : 0U) |
                           (statistics.has_fd_paths ? 4U : 0U) |
                           (statistics.coarse_times ? 8U : 0U);
    append(content_, static_cast<std::uint32_t>(shown));
    append(content_, static_cast<std::uint32_t>(statistics.first_diagnostics.size()));
    for (const Diagnostic& diagnostic : statistics.first_diagnostics) append_diagnostic(diagnostic);
  }

  void begin_block() {
    slots_.fill(first_slot());
    line_ = 0;
    start_ns_ = 0;
  }

  // Writes content_, and empties it.
  void put_block(BlockKind kind, std::uint32_t events, std::uint32_t strings) {
    if (content_.size() > kContentMaximum)
      throw model::InputError({}, "an event of more than 1 GiB does not fit into the binary form");
    std::string_view stored = content_;
    BlockHeader header;
    if (compressor_) {
      stored = compressor_->compress(content_);
      header.codec = Codec::zstd;
    }
    header.kind = kind;
    header.sequence = sequence_++;
    header.stored_size = static_cast<std::uint32_t>(stored.size());
    header.content_size = static_cast<std::uint32_t>(content_.size());
    header.events = events;
    header.strings = strings;
    header.content_hash = XXH64(stored.data(), stored.size(), 0);
    std::string bytes;
    append(bytes, header);
    append(bytes, XXH64(bytes.data(), bytes.size(), 0));
    put(bytes);
    put(stored);
    content_.clear();
  }

  void put(std::string_view bytes) {
    sink_(bytes);
    bytes_ += bytes.size();
  }

  Sink sink_;
  std::optional<Compressor> compressor_;
  Strings strings_;
  std::string records_;
  std::string content_;
  std::array<Slot, kSlots> slots_;
  std::uint64_t line_ = 0;      // of the record before
  std::uint64_t start_ns_ = 0;  // likewise
  std::uint32_t block_events_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;
};

BinaryWriter::BinaryWriter(const BinaryOptions& options, Origin origin,
                           const std::vector<SourceFile>& sources, Sink sink)
    : blocks_(std::make_unique<Blocks>(options, std::move(sink))) {
  blocks_->begin(options.fcsim_version, origin, sources);
}

BinaryWriter::~BinaryWriter() = default;

void BinaryWriter::write(const Event& event) {
  blocks_->write(event);
}

void BinaryWriter::write_unparsable(const Diagnostic& diagnostic) {
  blocks_->write_unparsable(diagnostic);
}

void BinaryWriter::flush() {
  blocks_->flush();
}

void BinaryWriter::end(const ReaderStatistics& statistics, const std::vector<SourceFile>& sources) {
  blocks_->end(statistics, sources);
}

std::uint64_t BinaryWriter::events() const {
  return blocks_->events();
}

std::uint64_t BinaryWriter::bytes() const {
  return blocks_->bytes();
}

bool is_zstd_level(int level) {
  return level >= 1 && level <= ZSTD_maxCLevel();
}

BinarySummary write_binary(TraceReader& trace, const BinaryOptions& options,
                           const std::function<void(std::string_view)>& sink) {
  BinaryWriter writer(options, trace.origin(), trace.sources(), sink);
  bool all_parsable = true;
  Event event;
  for (bool more = true; more;) {
    more = trace.next(event);
    if (all_parsable && trace.unparsable() != 0) {
      all_parsable = false;
      writer.write_unparsable(trace.statistics().first_diagnostics.front());
    }
    if (more) writer.write(event);
  }
  BinarySummary summary;
  summary.sources = trace.sources();
  writer.end(trace.statistics(), summary.sources);
  summary.events = writer.events();
  summary.bytes = writer.bytes();
  return summary;
}

}  // namespace fcsim::traces::binary

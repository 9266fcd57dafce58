#include "traces/binary/reader.h"
#include "traces/order_assumptions.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "traces/binary/call_numbers.h"

namespace fcsim::traces::binary {
namespace {

// Wide loads may reach so far after the last record, whose own end is then found to be wrong.
constexpr std::size_t kSlack = kRecordMaximum + sizeof(std::uint64_t);

// Of the magic's bytes, so many make a file a damaged one rather than another kind of file.
constexpr std::ptrdiff_t kMagicBytesMinimum = 6;

constexpr std::array<std::uint64_t, 4> kMasks = {0, 0xffff, 0xffffffff, ~std::uint64_t{0}};

constexpr std::size_t kCallsMaximum = 128;

// The calls by their numbers; Call::other where a number has none.
std::array<Call, kCallsMaximum> calls_by_number() {
  std::array<Call, kCallsMaximum> calls{};
  std::size_t number = 1;
  for (const Call call : numbered_calls()) calls.at(number++) = call;
  return calls;
}

const std::array<Call, kCallsMaximum> kCallsByNumber = calls_by_number();

// Takes a block's fields one after the other; `good` says whether all of them were there.
struct Fields {
  std::string_view left;
  bool good = true;

  template <class Number>
  Number number() {
    if (left.size() < sizeof(Number)) {
      good = false;
      return 0;
    }
    const Number value = load<Number>(left.data());
    left.remove_prefix(sizeof value);
    return value;
  }

  std::string text() {
    const std::size_t size = number<std::uint32_t>();
    if (size > left.size()) {
      good = false;
      return {};
    }
    std::string value(left.substr(0, size));
    left.remove_prefix(size);
    return value;
  }

  Diagnostic diagnostic() {
    Diagnostic value;
    value.position.file = text();
    value.position.line = number<std::uint64_t>();
    value.position.column = number<std::uint64_t>();
    value.message = text();
    return value;
  }

  [[nodiscard]] bool complete() const { return good && left.empty(); }
};

void grow(std::unique_ptr<char[]>& buffer, std::size_t& capacity, std::size_t size) {
  if (size <= capacity) return;
  capacity = std::max(size, 2 * capacity);
  buffer = std::make_unique_for_overwrite<char[]>(capacity + kSlack);
}

}  // namespace

bool looks_binary(std::string_view head) {
  if (head.size() < kMagic.size()) return head.size() >= 4 && kMagic.starts_with(head);
  return std::inner_product(head.begin(), head.begin() + kMagic.size(), kMagic.begin(),
                            std::ptrdiff_t{0}, std::plus<>(),
                            std::equal_to<>()) >= kMagicBytesMinimum;
}

Reader::Reader(std::unique_ptr<ByteSource> bytes, const std::string& path,
               const ReaderOptions& options)
    : bytes_(std::move(bytes)),
      name_(path == "-" ? "standard input" : path),
      options_(options),
      decompressor_(nullptr, &ZSTD_freeDCtx),
      strings_(1) {
  read_header();
}

Reader::~Reader() = default;

std::size_t Reader::read_fully(char* target, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = bytes_->read(target + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  offset_ += filled;
  return filled;
}

void Reader::require_all(std::size_t got, std::size_t wanted) {
  if (got != wanted) refuse(offset_, "the binary trace is cut: its end is missing");
}

void Reader::refuse(std::uint64_t offset, const std::string& reason) const {
  throw model::InputError({name_, 0, offset + 1},
                          "byte offset " + std::to_string(offset) + ": " + reason);
}

// Within a compressed block only the block itself has an offset in the file.
void Reader::refuse_record(const char* record, const std::string& reason) const {
  const auto within = static_cast<std::uint64_t>(record - content_begin_);
  refuse(compressed_ ? block_offset_ : block_offset_ + kBlockHeaderSize + kHashSize + within,
         "damaged binary trace: " + reason);
}

void Reader::read_header() {
  std::string header(kPreambleSize, '\0');
  const std::size_t got = read_fully(header.data(), header.size());
  const std::size_t compared = std::min(got, kMagic.size());
  const auto [wrong, expected] = std::mismatch(
      header.begin(), header.begin() + static_cast<std::ptrdiff_t>(compared), kMagic.begin());
  if (expected != kMagic.begin() + static_cast<std::ptrdiff_t>(compared))
    refuse(static_cast<std::uint64_t>(wrong - header.begin()),
           "damaged binary trace: it does not begin as one does");
  require_all(got, header.size());
  const auto version = load<std::uint32_t>(header.data() + kMagic.size());
  if (version < kOldestVersion || version > kVersion)
    refuse(kMagic.size(), "binary trace of version " + std::to_string(version) +
                              "; this fcsim reads versions " + std::to_string(kOldestVersion) +
                              " to " + std::to_string(kVersion) + ": convert the original again");
  const auto size = load<std::uint32_t>(header.data() + kMagic.size() + sizeof version);
  if (size > kHeaderMaximum)
    refuse(kMagic.size() + sizeof version, "damaged binary trace: the size of its header");
  // Piece by piece: a wrong size must not ask for more memory than the file is long.
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (std::size_t left = size + kHashSize; left != 0;) {
    const std::size_t piece = std::min(left, kPiece);
    header.resize(header.size() + piece);
    require_all(read_fully(header.data() + header.size() - piece, piece), piece);
    left -= piece;
  }
  const std::size_t hashed = header.size() - kHashSize;
  if (XXH64(header.data(), hashed, 0) != load<std::uint64_t>(header.data() + hashed))
    refuse(0, "damaged binary trace: its header does not match its checksum");
  Fields fields{std::string_view(header).substr(kPreambleSize, size)};
  fields.text();  // the version of fcsim that wrote it
  const std::uint32_t origin = version == kOldestVersion ? 0 : fields.number<std::uint32_t>();
  if (origin > static_cast<std::uint32_t>(Origin::recording))
    refuse(kPreambleSize, "damaged binary trace: an unknown origin");
  origin_ = static_cast<Origin>(origin);
  const auto files = fields.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < files && fields.good; ++i)
    sources_.push_back({fields.text(), 0, 0, 0});
  if (!fields.complete() || sources_.empty() ||
      sources_.size() > std::numeric_limits<std::uint16_t>::max())
    refuse(kPreambleSize, "damaged binary trace: its header is not a list of files");
}

// Makes the next block of events current; false after the last block.
bool Reader::load_block() {
  if (finished_) return false;
  if (events_left_ != 0) refuse_record(at_, "a block has fewer events than it says");
  const BlockHeader header = read_block_header();
  const std::string_view content = cut_ ? std::string_view() : read_content(header);
  if (cut_) {
    end_of_cut_recording();
    return false;
  }
  switch (header.kind) {
    case BlockKind::events:
      begin_events(header, content);
      return true;
    case BlockKind::unparsable:
      stop_if_strict(content);
      return true;
    case BlockKind::end:
      finish(content);
      return false;
  }
  refuse(block_offset_, "damaged binary trace: an unknown kind of block");
}

BlockHeader Reader::read_block_header() {
  block_offset_ = offset_;
  std::array<char, kBlockHeaderSize + kHashSize> bytes;
  const std::size_t got = read_fully(bytes.data(), bytes.size());
  cut_ = origin_ == Origin::recording && !options_.strict && got != bytes.size();
  if (cut_) return {};
  require_all(got, bytes.size());
  if (XXH64(bytes.data(), kBlockHeaderSize, 0) !=
      load<std::uint64_t>(bytes.data() + kBlockHeaderSize))
    refuse(block_offset_, "damaged binary trace: a block's header does not match its checksum");
  const auto header = load<BlockHeader>(bytes.data());
  if (header.sequence != next_sequence_)
    refuse(block_offset_, "damaged binary trace: expected block " + std::to_string(next_sequence_) +
                              ", found block " + std::to_string(header.sequence));
  ++next_sequence_;
  const bool plain = header.codec == Codec::none && header.stored_size == header.content_size;
  if (!(plain || header.codec == Codec::zstd) || header.stored_size > kContentMaximum ||
      header.content_size > kContentMaximum || header.reserved != 0)
    refuse(block_offset_, "damaged binary trace: a block's header makes no sense");
  return header;
}

std::string_view Reader::read_content(const BlockHeader& header) {
  const std::uint64_t begin = offset_;
  grow(stored_, stored_capacity_, header.stored_size);
  const std::size_t got = read_fully(stored_.get(), header.stored_size);
  cut_ = origin_ == Origin::recording && !options_.strict && got != header.stored_size;
  if (cut_) return {};
  require_all(got, header.stored_size);
  if (XXH64(stored_.get(), header.stored_size, 0) != header.content_hash)
    refuse(begin, "damaged binary trace: a block does not match its checksum");
  compressed_ = header.codec == Codec::zstd;
  if (!compressed_) return {stored_.get(), header.stored_size};
  grow(content_, content_capacity_, header.content_size);
  if (decompressor_ == nullptr) decompressor_.reset(ZSTD_createDCtx());
  if (decompressor_ == nullptr) throw std::bad_alloc();
  const std::size_t size = ZSTD_decompressDCtx(
      decompressor_.get(), content_.get(), header.content_size, stored_.get(), header.stored_size);
  if (ZSTD_isError(size) != 0U || size != header.content_size)
    refuse(begin, "damaged binary trace: a block cannot be decompressed");
  return {content_.get(), size};
}

// A recorder that is killed leaves all blocks but the last, which tells what was seen.
void Reader::end_of_cut_recording() {
  statistics_.events = yielded_;
  statistics_.time_base = TimeBase::epoch;
  statistics_.has_pids = statistics_.has_durations = statistics_.has_fd_paths = true;
  statistics_.last_time_ns = static_cast<std::int64_t>(start_ns_);
  statistics_.unparsable = 1;
  statistics_.first_diagnostics = {
      {{name_, 0, offset_ + 1}, "the recording is cut: its recorder was killed"}};
  finished_ = true;
  at_ = end_ = nullptr;
}

// A block of events: where each string ends, the strings, the records.
void Reader::begin_events(const BlockHeader& header, std::string_view content) {
  content_begin_ = content.data();
  const std::uint64_t ends_size = std::uint64_t{header.strings} * sizeof(std::uint32_t);
  if (ends_size > content.size())
    refuse_record(content.data(), "its strings do not fit into their block");
  const std::string_view texts = content.substr(ends_size);
  strings_.resize(1);
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < header.strings; ++i) {
    const char* const where = content.data() + i * sizeof(std::uint32_t);
    const auto end = load<std::uint32_t>(where);
    if (end < begin || end > texts.size()) refuse_record(where, "a string outside of its block");
    strings_.push_back(texts.substr(begin, end - begin));
    begin = end;
  }
  at_ = texts.data() + begin;
  end_ = content.data() + content.size();
  events_left_ = header.events;
  slots_.fill(Event{});
  line_ = 0;
  start_ns_ = 0;
}

void Reader::stop_if_strict(std::string_view content) {
  Fields fields{content};
  const Diagnostic first = fields.diagnostic();
  if (!fields.complete()) refuse(block_offset_, "damaged binary trace: not a message");
  if (options_.strict) throw model::InputError(first.position, first.message);
  statistics_.unparsable = 1;
  statistics_.first_diagnostics = {first};
}

std::vector<std::string> Reader::assumed() const {
  return finished_ ? order_assumptions(statistics_) : std::vector<std::string>{};
}

void Reader::finish(std::string_view content) {
  Fields fields{content};
  const auto events = fields.number<std::uint64_t>();
  for (std::uint64_t* const count :
       {&statistics_.lines, &statistics_.events, &statistics_.ignored_calls,
        &statistics_.unparsable, &statistics_.restarted_calls, &statistics_.injected_calls,
        &statistics_.orphan_resumed, &statistics_.never_resumed, &statistics_.released_early,
        &statistics_.reordered})
    *count = fields.number<std::uint64_t>();
  statistics_.first_time_ns = fields.number<std::int64_t>();
  statistics_.last_time_ns = fields.number<std::int64_t>();
  const auto time_base = fields.number<std::uint32_t>();
  statistics_.time_base = static_cast<TimeBase>(time_base);
  const auto shown = fields.number<std::uint32_t>();
  statistics_.has_pids = (shown & 1U) != 0;
  statistics_.has_durations = (shown & 2U) != 0;
  statistics_.has_fd_paths = (shown & 4U) != 0;
  statistics_.coarse_times = (shown & 8U) != 0;
  const auto diagnostics = fields.number<std::uint32_t>();
  statistics_.first_diagnostics.clear();
  for (std::uint32_t i = 0; i < diagnostics && fields.good; ++i)
    statistics_.first_diagnostics.push_back(fields.diagnostic());
  for (SourceFile& source : sources_) {
    source.lines = fields.number<std::uint64_t>();
    source.bytes = fields.number<std::uint64_t>();
    source.xxh64 = fields.number<std::uint64_t>();
  }
  if (!fields.complete() || time_base > static_cast<std::uint32_t>(TimeBase::epoch) ||
      diagnostics > kDiagnosticsMaximum || shown > 15)
    refuse(block_offset_, "damaged binary trace: its last block makes no sense");
  if (events != yielded_)
    refuse(block_offset_, "damaged binary trace: it had " + std::to_string(events) +
                              " events, but " + std::to_string(yielded_) + " were found");
  char more = 0;
  const std::uint64_t end = offset_;
  if (read_fully(&more, 1) != 0) refuse(end, "damaged binary trace: more bytes after its end");
  if (const std::string_view shortfall = bytes_->shortfall(); !shortfall.empty())
    refuse(end, std::string(shortfall));
  finished_ = true;
  at_ = end_ = nullptr;
}

// Every column is loaded and cut to its width, whatever the width is: a branch for each would be
// mispredicted where calls alternate.
void Reader::decode(Event& event) {
  const char* const record = at_;
  if (events_left_ == 0) refuse_record(record, "a block has more events than it says");
  const std::size_t index = static_cast<unsigned char>(*record);
  const unsigned codes = load<std::uint16_t>(record + 1);
  if (index >= kSlots || (codes & kUnusedCodes) != 0)
    refuse_record(record, "an event in an unknown form");
  Event& slot = slots_[index];
  const char* at = record + kRecordMinimum;
  const auto column = [&at, codes](unsigned which) {
    const unsigned code = (codes >> (2 * which)) & 3U;
    const std::uint64_t value = load<std::uint64_t>(at) & kMasks[code];
    at += kWidths[code];
    return unzigzag(value);
  };
  const auto add = [](std::int64_t& value, std::uint64_t difference) {
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + difference);
  };
  line_ += 1 + column(kLine);
  start_ns_ += column(kStart);
  slot.line = line_;
  slot.start_ns = static_cast<std::int64_t>(start_ns_);
  slot.duration_ns = static_cast<std::int64_t>(column(kDuration));
  add(slot.result, column(kResult));
  add(slot.offset, column(kOffset));
  add(slot.length, column(kLength));
  if ((codes & kHasFacts) != 0) {
    const auto facts = load<std::uint64_t>(at);
    at += sizeof facts;
    slot.cpu = static_cast<std::int16_t>(facts & 0xffff);
    slot.cpu_end = static_cast<std::int16_t>(facts >> 16 & 0xffff);
    slot.transaction = static_cast<std::uint32_t>(facts >> 32);
  }
  if ((codes & kHasChanges) != 0) at = decode_changes(at, slot);
  if (at > end_) refuse_record(record, "an event outside of its block");
  if (slot.call == Call::other) refuse_record(record, "an event without a call");
  event = slot;
  at_ = at;
  --events_left_;
  ++yielded_;
}

// Returns the end of the changes, which may lie after the block's: then they are of no use.
const char* Reader::decode_changes(const char* at, Event& event) {
  const char* const begin = at;
  const unsigned changed = load<std::uint16_t>(at);
  at += sizeof(std::uint16_t);
  if (changed >> kChanges != 0) refuse_record(begin, "an unknown change");
  const auto take = [&at](auto number) {
    number = load<decltype(number)>(at);
    at += sizeof number;
    return number;
  };
  const auto has = [changed](Change change) { return ((changed >> change) & 1U) != 0; };
  const auto string = [&] {
    const auto number = take(std::uint32_t{});
    if (number >= strings_.size()) refuse_record(begin, "a string that is not there");
    return strings_[number];
  };
  if (has(kCall)) {
    const auto word = take(std::uint32_t{});
    const std::size_t number = word & kCallMask;
    if ((word & ~kKnownCallBits) != 0 || number >= kCallsByNumber.size() ||
        kCallsByNumber[number] == Call::other)
      refuse_record(begin, "an unknown call");
    event.call = kCallsByNumber[number];
    event.has_result = (word & kHasResult) != 0;
    event.has_duration = (word & kHasDuration) != 0;
    event.truncated_text = (word & kTruncatedText) != 0;
  }
  if (has(kPid)) event.pid = take(std::int32_t{});
  if (has(kSource)) {
    const auto source = take(std::uint32_t{});
    if (source >= sources_.size()) refuse_record(begin, "a source file that is not there");
    event.source = static_cast<std::uint16_t>(source);
  }
  if (has(kError)) event.error = take(std::int32_t{});
  if (has(kFd)) event.fd = take(std::int32_t{});
  if (has(kFd2)) event.fd2 = take(std::int32_t{});
  if (has(kFdPath)) event.fd_path = string();
  if (has(kFd2Path)) event.fd2_path = string();
  if (has(kPath)) event.path = string();
  if (has(kPath2)) event.path2 = string();
  if (has(kText)) event.text = string();
  if (has(kResultPath)) event.result_path = string();
  if (has(kName)) event.name = string();
  if (has(kFlags)) event.flags = take(std::uint64_t{});
  if (has(kArgument)) event.argument = take(std::uint64_t{});
  return at;
}

}  // namespace fcsim::traces::binary

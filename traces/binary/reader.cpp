#include "traces/binary/reader.h"

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

// Wide loads may reach so far behind the last record, whose own end is then found to be wrong.
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

const std::array<Call, kCallsMaximum> kCalls = calls_by_number();

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

std::int64_t signed_of(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

// Whether a number that was widened to 64 bits can be the type's.
template <class Type>
bool is_wider_than(std::int64_t value) {
  return value != static_cast<Type>(value);
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
  throw InputError({name_, 0, offset + 1}, "byte offset " + std::to_string(offset) + ": " + reason);
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
  if (version != kVersion)
    refuse(kMagic.size(), "binary trace of version " + std::to_string(version) +
                              "; this fcsim reads version " + std::to_string(kVersion) +
                              ": convert the original again");
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
  const auto files = fields.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < files && fields.good; ++i)
    sources_.push_back({fields.text(), 0, 0, 0});
  if (!fields.complete() || sources_.size() > std::numeric_limits<std::uint16_t>::max())
    refuse(kPreambleSize, "damaged binary trace: its header is no list of files");
}

// Makes the next block of events current; false behind the last block.
bool Reader::load_block() {
  if (finished_) return false;
  if (events_left_ != 0) refuse_record(at_, "a block has fewer events than it says");
  const BlockHeader header = read_block_header();
  const std::string_view content = read_content(header);
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
  require_all(read_fully(bytes.data(), bytes.size()), bytes.size());
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
  require_all(read_fully(stored_.get(), header.stored_size), header.stored_size);
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
  base_ = Base{};
}

void Reader::stop_if_strict(std::string_view content) {
  Fields fields{content};
  const Diagnostic first = fields.diagnostic();
  if (!fields.complete()) refuse(block_offset_, "damaged binary trace: not a message");
  if (options_.strict) throw InputError(first.position, first.message);
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
  const auto diagnostics = fields.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < diagnostics && fields.good; ++i)
    statistics_.first_diagnostics.push_back(fields.diagnostic());
  for (SourceFile& source : sources_) {
    source.lines = fields.number<std::uint64_t>();
    source.bytes = fields.number<std::uint64_t>();
    source.xxh64 = fields.number<std::uint64_t>();
  }
  if (!fields.complete() || time_base > static_cast<std::uint32_t>(TimeBase::epoch) ||
      diagnostics > kDiagnosticsMaximum || shown > 7)
    refuse(block_offset_, "damaged binary trace: its last block makes no sense");
  if (events != yielded_)
    refuse(block_offset_, "damaged binary trace: it had " + std::to_string(events) +
                              " events, but " + std::to_string(yielded_) + " were found");
  char more = 0;
  const std::uint64_t end = offset_;
  if (read_fully(&more, 1) != 0) refuse(end, "damaged binary trace: more bytes behind its end");
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
  const auto codes = load<std::uint32_t>(record);
  const auto word = load<std::uint16_t>(record + sizeof codes);
  const char* at = record + kRecordMinimum;
  const auto column = [&at](std::uint32_t all, unsigned index) {
    const unsigned code = (all >> (2 * index)) & 3U;
    const std::uint64_t value = load<std::uint64_t>(at) & kMasks[code];
    at += (0x8420U >> (4 * code)) & 0xfU;
    return value;
  };
  base_.pid += unzigzag(column(codes, kPid));
  base_.line += 1 + unzigzag(column(codes, kLine));
  base_.start_ns += unzigzag(column(codes, kStart));
  event.line = base_.line;
  event.start_ns = signed_of(base_.start_ns);
  event.duration_ns = signed_of(unzigzag(column(codes, kDuration)));
  event.result = signed_of(unzigzag(column(codes, kResult)));
  const std::int64_t error = signed_of(unzigzag(column(codes, kError)));
  const std::int64_t fd = signed_of(unzigzag(column(codes, kFd)) - 1);
  event.offset = signed_of(unzigzag(column(codes, kOffset)) - 1);
  event.length = signed_of(unzigzag(column(codes, kLength)) - 1);
  event.flags = column(codes, kFlags);
  event.argument = column(codes, kArgument);
  const std::uint64_t fd_path = column(codes, kFdPath);
  const std::uint64_t path = column(codes, kPath);
  const std::uint64_t path2 = column(codes, kPath2);
  const std::uint64_t text = column(codes, kText);
  const std::uint64_t result_path = column(codes, kResultPath);
  std::int64_t fd2 = kNoFd;
  std::uint64_t fd2_path = 0;
  if ((word & kRareColumns) != 0) {
    const auto rare = load<std::uint16_t>(at);
    at += sizeof rare;
    base_.source += unzigzag(column(rare, kSource));
    fd2 = signed_of(unzigzag(column(rare, kFd2)) - 1);
    fd2_path = column(rare, kFd2Path);
    if (rare >> (2 * kRareUsed) != 0) refuse_record(record, "an event of unknown columns");
  }
  const std::size_t number = word & kCallMask;
  const std::size_t strings = strings_.size();
  const std::int64_t pid = signed_of(base_.pid);
  if (at > end_) refuse_record(record, "an event outside of its block");
  if (number >= kCalls.size() || kCalls[number] == Call::other)
    refuse_record(record, "an unknown call");
  if (fd_path >= strings || path >= strings || path2 >= strings || text >= strings ||
      result_path >= strings || fd2_path >= strings)
    refuse_record(record, "an event with a string that is not there");
  if (is_wider_than<std::int32_t>(pid) || is_wider_than<std::int32_t>(error) ||
      is_wider_than<std::int32_t>(fd) || is_wider_than<std::int32_t>(fd2) ||
      base_.source >= sources_.size())
    refuse_record(record, "an event with an impossible number");
  event.call = kCalls[number];
  event.has_result = (word & kHasResult) != 0;
  event.has_duration = (word & kHasDuration) != 0;
  event.truncated_text = (word & kTruncatedText) != 0;
  event.pid = static_cast<std::int32_t>(pid);
  event.error = static_cast<std::int32_t>(error);
  event.fd = static_cast<std::int32_t>(fd);
  event.fd2 = static_cast<std::int32_t>(fd2);
  event.source = static_cast<std::uint16_t>(base_.source);
  event.fd_path = strings_[fd_path];
  event.path = strings_[path];
  event.path2 = strings_[path2];
  event.text = strings_[text];
  event.result_path = strings_[result_path];
  event.fd2_path = strings_[fd2_path];
  at_ = at;
  --events_left_;
  ++yielded_;
}

}  // namespace fcsim::traces::binary

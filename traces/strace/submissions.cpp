#include "traces/strace/submissions.h"

#include <algorithm>
#include <string_view>

#include "traces/strace/arguments.h"

namespace fcsim::traces::strace {
namespace {

Call call_of(std::string_view opcode) {
  // With -X raw the number takes the place of the name.
  if (opcode == "IOCB_CMD_PREAD" || opcode == "0") return Call::pread;
  if (opcode == "IOCB_CMD_PWRITE" || opcode == "0x1") return Call::pwrite;
  if (opcode == "IOCB_CMD_FSYNC" || opcode == "0x2") return Call::fsync;
  if (opcode == "IOCB_CMD_FDSYNC" || opcode == "0x3") return Call::fdatasync;
  if (opcode == "IOCB_CMD_PREADV" || opcode == "0x7") return Call::pread;
  if (opcode == "IOCB_CMD_PWRITEV" || opcode == "0x8") return Call::pwritev;
  return Call::other;
}

// The bytes of "[{iov_base="ab", iov_len=2}, ...]".
std::int64_t total_length(std::string_view vectors) {
  constexpr std::string_view kMember = "iov_len=";
  std::uint64_t sum = 0;
  for (std::size_t found; (found = vectors.find(kMember)) != std::string_view::npos;) {
    vectors.remove_prefix(found + kMember.size());
    Cursor cursor{vectors.data(), vectors.data() + vectors.size()};
    std::uint64_t length = 0;
    if (take_number(cursor, length)) sum += length;
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace

void Submissions::begin(const Event& event) {
  submission_ = event;
  submission_.path = submission_.path2 = submission_.text = {};
  submission_.length = -1;
  submission_.fd_path = submission_.fd2_path = submission_.result_path = {};
  text_ = event.text;
  offset_ = text_.starts_with('[') ? 1 : 0;
  left_ = offset_ == 1 && event.has_result && event.error == 0 ? event.result : 0;
}

bool Submissions::next(Event& event) {
  while (left_ > 0) {
    --left_;
    event = submission_;
    event.result = 0;
    decoder_.clear();
    if (!take_block(event)) left_ = 0;
    if (event.call == Call::other || is_foreign_path(event.fd_path)) continue;
    const bool syncs = event.call == Call::fsync || event.call == Call::fdatasync;
    event.result = syncs ? 0 : std::max<std::int64_t>(event.length, 0);
    return true;
  }
  return false;
}

// Reads "{...}" and the comma after it. False if it was the last, or there is none.
bool Submissions::take_block(Event& event) {
  Cursor cursor{text_.data() + offset_, text_.data() + text_.size()};
  event.call = Call::other;
  if (!cursor.take('{')) return false;
  do {
    cursor.skip_spaces();
    Cursor member = cursor;
    if (!skip_value(cursor)) {
      event.call = Call::other;
      return false;
    }
    member.end = cursor.at;
    take_member(event, member);
  } while (cursor.take(','));
  const bool more = cursor.take("}, ");
  offset_ = static_cast<std::size_t>(cursor.at - text_.data());
  return more;
}

void Submissions::take_member(Event& event, Cursor& member) {
  std::uint64_t number = 0;
  if (member.take("aio_lio_opcode=")) {
    const std::string_view opcode = member.rest();
    event.call = call_of(opcode.substr(0, opcode.find(' ')));
  } else if (member.take("aio_fildes=") && take_number(member, number)) {
    event.fd = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
    std::string_view raw;
    if (take_descriptor_path(member, raw)) event.fd_path = decoder_.decode(raw);
  } else if (member.take("aio_nbytes=") && take_number(member, number)) {
    event.length = static_cast<std::int64_t>(number);
  } else if (member.take("aio_offset=") && take_number(member, number)) {
    event.offset = static_cast<std::int64_t>(number);
  } else if (member.take("aio_rw_flags=")) {
    Failure ignored;
    take_flags(member, false, event.argument, ignored);
  } else if (member.take("aio_buf=[")) {
    event.length = total_length(member.rest());
  }
}

}  // namespace fcsim::traces::strace

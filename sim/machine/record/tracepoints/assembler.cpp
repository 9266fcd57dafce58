#include "sim/machine/record/tracepoints/assembler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace fcsim::machine::record::tracepoints {
namespace {

using traces::Call;
using traces::Event;

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kNamesMaximum = 200'000;

// A request that has not been completed for so long holds nothing back any more.
constexpr std::uint64_t kPatience = 10'000'000'000;

// Calls that the kernel begins anew return one of these errors, which no program sees.
constexpr std::int64_t kRestartFirst = -516;
constexpr std::int64_t kRestartLast = -512;
constexpr std::int64_t kErrorsMaximum = 4095;

template <class Record>
const Record& as(const char* record) {
  return *reinterpret_cast<const Record*>(record);
}

template <class Number>
Number load(std::string_view bytes, std::size_t at) {
  Number number{};
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// A call's number has a place in the table, and its strings and structure lie within the record.
bool is_whole(std::string_view record) {
  if (record.size() < sizeof(tp_header)) return false;
  const tp_header& header = as<tp_header>(record.data());
  if (record.size() < record_bytes(header.kind)) return false;
  if (header.kind != TP_CALL) return true;
  const tp_call& call = as<tp_call>(record.data());
  const std::size_t payload = std::size_t{call.size1} + call.size2 + call.extra_size;
  return header.number < TP_CALLS && payload <= record.size() - sizeof(tp_call);
}

std::string_view without_end(std::string_view text) {
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::int64_t signed_of(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

// A 32-bit argument of the kernel's, of either sign.
std::uint64_t extended(std::uint64_t value) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value))));
}

std::uint64_t low32(std::uint64_t value) {
  return value & 0xffffffffU;
}

bool is_lock_command(std::uint64_t command) {
  return (command >= 5 && command <= 7) || (command >= 12 && command <= 14) ||
         (command >= 36 && command <= 38);
}

std::string hexadecimal(std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value & 15]);
  while ((value >>= 4) != 0);
  return "0x" + text;
}

std::string octal(std::uint64_t value) {
  std::string text;
  do text.insert(text.begin(), static_cast<char>('0' + (value & 7)));
  while ((value >>= 3) != 0);
  return "0" + text;
}

}  // namespace

std::size_t record_bytes(unsigned kind) {
  switch (kind) {
    case TP_CALL:
      return sizeof(tp_call);
    case TP_PATH_RECORD:
      return sizeof(tp_path);
    case TP_EXEC:
      return sizeof(tp_exec);
    case TP_FORK:
      return sizeof(tp_fork);
    case TP_URING_SUBMIT:
    case TP_URING_COMPLETE:
    case TP_AIO:
      return sizeof(tp_request);
    case TP_EXIT:
    case TP_EVENT:
      return sizeof(tp_event);
    default:
      return std::numeric_limits<std::size_t>::max();
  }
}

Assembler::Assembler(AssemblerOptions options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)) {
  for (const RecordedCall& call : recorded_calls())
    calls_.at(static_cast<std::size_t>(call.number)) = &call;
}

// ---- records ----

void Assembler::take(std::string_view record) {
  if (!is_whole(record))
    throw std::runtime_error("the recorder's programs wrote an unknown record");
  ++statistics_.records;
  const tp_header& header = as<tp_header>(record.data());
  Held held;
  held.time = header.time;
  switch (header.kind) {
    case TP_PATH_RECORD:
      return take_name(as<tp_path>(record.data()), record.substr(sizeof(tp_path)));
    case TP_CALL: {
      const tp_call& call = as<tp_call>(record.data());
      held.name1 = name(call.name1);
      held.name2 = name(call.name2);
      held.name_of_result = name(call.name_of_result);
      break;
    }
    case TP_URING_SUBMIT:
    case TP_URING_COMPLETE:
      return take_request(as<tp_request>(record.data()));
    case TP_AIO:
      held.name1 = name(as<tp_request>(record.data()).name);
      held.result = as<tp_request>(record.data()).length;
      break;
    case TP_EVENT:
      take_event(as<tp_event>(record.data()));
      held.name1 = name(as<tp_event>(record.data()).name);
      break;
    default:
      break;
  }
  hold(held, record);
}

const std::string* Assembler::name(std::uint64_t number) const {
  if (number == 0) return nullptr;
  if (const auto found = names_.find(number); found != names_.end()) return found->second;
  const auto older = older_names_.find(number);
  return older == older_names_.end() ? nullptr : older->second;
}

void Assembler::take_name(const tp_path& path, std::string_view components) {
  std::string text;
  if (path.deleted == 2) {
    text = "anon_inode:[" + std::to_string(path.inode) + "]";
  } else {
    std::vector<std::string_view> parts;
    for (std::uint32_t i = 0; i < path.components && !components.empty(); ++i) {
      parts.push_back(without_end(components));
      components.remove_prefix(std::min(parts.back().size() + 1, components.size()));
    }
    if (path.within != 0 && options_.mount_point != "/") text = options_.mount_point;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) text.append("/").append(*part);
    if (text.empty()) text = "/";
    if (path.deleted == 1) text += " (deleted)";
  }
  names_[path.name] = &texts_.emplace_back(std::move(text));
}

bool Assembler::wants_names_again() {
  if (texts_.size() < kNamesMaximum) return false;
  release(kNever);  // what is held refers to the older ones, too
  older_names_ = std::move(names_);
  older_texts_ = std::move(texts_);
  names_.clear();
  texts_.clear();
  return true;
}

void Assembler::take_request(const tp_request& request) {
  if (request.header.kind == TP_URING_SUBMIT) {
    Begun begun;
    begun.request = request;
    requests_[request.request] = begun;
    return;
  }
  const auto found = requests_.find(request.request);
  if (found == requests_.end()) return;
  tp_request whole = found->second.request;
  requests_.erase(found);
  // A sync shows as ext4_sync_file, in the task that did it.
  if (request.foreign != 0 || whole.header.number == 3) return;
  whole.inode = request.inode;
  Held held;
  held.time = whole.header.time;
  held.name1 = name(request.name);
  held.duration = request.header.time - whole.header.time;
  held.result = request.result;
  hold(held, {reinterpret_cast<const char*>(&whole), sizeof whole});
}

// A sync outside of a call: io_uring's, libaio's, or the kernel's for another task.
void Assembler::take_event(const tp_event& event) {
  if (event.header.number == TP_SYNC_FILE_ENTER) {
    const bool ours = (event.header.marks & (TP_OURS | TP_KERNEL_TASK)) != 0 || options_.everybody;
    if ((event.header.marks & TP_IN_CALL) != 0 || !ours) return;
    Begun begun;
    begun.event = event;
    begun.name = name(event.name);
    syncs_[event.header.tid] = begun;
  } else if (event.header.number == TP_SYNC_FILE_EXIT) {
    const auto found = syncs_.find(event.header.tid);
    if (found == syncs_.end()) return;
    tp_event whole = found->second.event;
    whole.header.number = 0;  // no event of the kernel's: both halves of a call
    whole.header.cpu_end = event.header.cpu;
    Held held;
    held.time = whole.header.time;
    held.name1 = found->second.name;
    held.duration = event.header.time - whole.header.time;
    held.result = event.a;
    syncs_.erase(found);
    hold(held, {reinterpret_cast<const char*>(&whole), sizeof whole});
  }
}

void Assembler::hold(Held held, std::string_view record) {
  const std::size_t size = (record.size() + 7) & ~std::size_t{7};
  if (chunks_.empty() || chunks_.back().used + size > kChunkBytes) {
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(kChunkBytes), 0, 0});
    held_bytes_ += kChunkBytes;
  }
  Chunk& chunk = chunks_.back();
  char* const copy = chunk.bytes.get() + chunk.used;
  std::memcpy(copy, record.data(), record.size());
  chunk.used += size;
  ++chunk.live;
  held.record = copy;
  held.chunk = first_chunk_ + static_cast<std::uint32_t>(chunks_.size() - 1);
  held.order = statistics_.records;
  held_.push_back(held);
}

// ---- order ----

void Assembler::sort() {
  const auto earlier = [](const Held& a, const Held& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  };
  const auto middle = held_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, held_.end(), earlier);
  std::inplace_merge(held_.begin(), middle, held_.end(), earlier);
  sorted_ = held_.size();
}

std::uint64_t Assembler::oldest_begun() const {
  std::uint64_t oldest = kNever;
  for (const auto& [address, begun] : requests_)
    oldest = std::min(oldest, std::uint64_t{begun.request.header.time});
  for (const auto& [tid, begun] : syncs_)
    oldest = std::min(oldest, std::uint64_t{begun.event.header.time});
  return oldest;
}

void Assembler::release(std::uint64_t before) {
  if (before != kNever) {
    const std::uint64_t oldest = oldest_begun();
    if (oldest < before) before = std::max(oldest, before - std::min(before, kPatience));
  }
  sort();
  std::size_t count = 0;
  for (; count < held_.size() && held_[count].time < before; ++count) {
    give(held_[count]);
    --chunks_[held_[count].chunk - first_chunk_].live;
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
  sorted_ = held_.size();
  while (chunks_.size() > 1 && chunks_.front().live == 0) {
    chunks_.pop_front();
    ++first_chunk_;
    held_bytes_ -= kChunkBytes;
  }
}

void Assembler::finish() {
  release(kNever);
}

// ---- events ----

void Assembler::give(const Held& held) {
  const tp_header& header = as<tp_header>(held.record);
  switch (header.kind) {
    case TP_CALL:
      return give_call(held);
    case TP_EXEC:
      return give_exec(held);
    case TP_FORK: {
      const auto& fork = as<tp_fork>(held.record);
      if (processes_.contains(header.tgid)) processes_.insert(fork.child_tgid);
      begin_event(header, held.time);
      event_.call = Call::fork;
      event_.name = "clone";
      event_.flags = fork.flags & ~std::uint64_t{0xff};  // the signal of its end
      event_.has_result = true;
      event_.result = fork.child;
      return yield();
    }
    case TP_EXIT:
      begin_event(header, held.time);
      event_.call = Call::process_exited;
      event_.argument = static_cast<std::uint64_t>(as<tp_event>(held.record).a) >> 8 & 0xff;
      return yield();
    case TP_URING_SUBMIT:
    case TP_AIO:
      return give_request(held);
    case TP_EVENT:
      return header.number == 0 ? give_sync(held) : give_fact(held);
    default:
      return;
  }
}

void Assembler::begin_event(const tp_header& header, std::uint64_t time) {
  event_ = Event{};
  event_.pid = static_cast<std::int32_t>(header.tid);
  event_.start_ns = signed_of(time) + options_.realtime_of_monotonic0;
  event_.cpu = static_cast<std::int16_t>(header.cpu);
}

// Times do not run backwards in a trace.
void Assembler::yield() {
  const auto time = static_cast<std::uint64_t>(event_.start_ns);
  if (time < last_given_) {
    ++statistics_.reordered;
    event_.start_ns = signed_of(last_given_);
  }
  last_given_ = static_cast<std::uint64_t>(event_.start_ns);
  if (statistics_.first_time == 0) statistics_.first_time = event_.start_ns;
  statistics_.last_time = event_.start_ns;
  if (event_.has_duration) ++statistics_.calls;
  sink_(event_);
}

void Assembler::give_descriptor(std::int32_t fd, const std::string* path, std::int32_t& number,
                                std::string_view& shown) {
  number = fd;
  if (path != nullptr) shown = *path;
}

bool Assembler::is_inside(std::string_view path) const {
  const std::string_view mount = options_.mount_point;
  if (mount == "/") return path.starts_with('/');
  return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

// As the texts stand: links are not followed.
bool Assembler::leads_inside(std::string_view from, std::string_view path) const {
  if (path.starts_with('/')) return is_inside(path);
  return is_inside(from) || path.find("..") != std::string_view::npos;
}

// Whether the call has to do with the file system, or with a process that does.
bool Assembler::concerns(const tp_call& call) const {
  if ((call.header.marks & TP_TOUCHED) != 0) return true;
  if (event_.name == "sync") return true;
  if (event_.path.empty() && event_.path2.empty() && event_.fd_path.empty())
    return processes_.contains(call.header.tgid);
  if (event_.call == Call::write) return true;  // what steers the kernel's memory
  if (event_.call == Call::chdir || event_.call == Call::fchdir || event_.call == Call::chroot)
    return true;
  return leads_inside(event_.fd_path, event_.path) ||
         (!event_.path2.empty() && leads_inside(event_.fd2_path, event_.path2));
}

void Assembler::give_call(const Held& held) {
  const auto& call = as<tp_call>(held.record);
  const RecordedCall* const recorded = calls_[call.header.number];
  if (recorded == nullptr) return;
  // One that succeeds is told by sched_process_exec; recorded for the time at which it began.
  if (recorded->call == Call::execve || recorded->call == Call::execveat) return;
  begin_event(call.header, held.time);
  event_.cpu_end = static_cast<std::int16_t>(call.header.cpu_end);
  event_.transaction = call.transaction;
  event_.call = recorded->call;
  event_.name = recorded->name;
  event_.flags = recorded->flags;
  event_.has_result = event_.has_duration = true;
  event_.duration_ns = signed_of(call.duration);
  event_.result = call.result;
  if (call.result < 0 && call.result >= -kErrorsMaximum) {
    if (call.result >= kRestartFirst && call.result <= kRestartLast) {
      ++statistics_.restarted;
      return;
    }
    event_.error = static_cast<std::int32_t>(-call.result);
    event_.result = -1;
  }
  const char* const payload = held.record + sizeof(tp_call);
  give_arguments(call, *recorded, held,
                 {payload, std::size_t{call.size1} + call.size2 + call.extra_size});
  if (event_.call == Call::other) return;
  if (held.name_of_result != nullptr && event_.result >= 0)
    event_.result_path = *held.name_of_result;
  if (!concerns(call)) {
    ++statistics_.elsewhere;
    return;
  }
  if ((call.header.marks & TP_TOUCHED) != 0) processes_.insert(call.header.tgid);
  meet_worker(call.header, held.time);
  yield();
}

// A relative path of a call that has no place for the directory in the event.
void Assembler::make_absolute(std::string_view& path, const std::string* directory,
                              std::string& storage) {
  if (path.starts_with('/') || directory == nullptr || path.empty()) return;
  storage = *directory == "/" ? "" : *directory;
  storage.append("/").append(path);
  path = storage;
}

void Assembler::give_arguments(const tp_call& call, const RecordedCall& recorded, const Held& held,
                               std::string_view payload) {
  const std::string_view string1 = without_end(payload.substr(0, call.size1));
  const std::string_view string2 = payload.substr(call.size1, call.size2);
  const std::string_view extra = payload.substr(std::size_t{call.size1} + call.size2);
  std::size_t index = 0;
  bool first_taken = false;
  const std::string* directory1 = nullptr;
  for (const char* letter = recorded.arguments; *letter != '\0'; ++letter) {
    if (*letter == '@' || *letter == '%') {
      std::int32_t& fd = *letter == '%' || first_taken ? event_.fd2 : event_.fd;
      std::string_view& shown = *letter == '%' || first_taken ? event_.fd2_path : event_.fd_path;
      give_descriptor(traces::kAtFdCwd, held.name1, fd, shown);
      if (*letter == '@') directory1 = held.name1;
      continue;
    }
    const std::uint64_t argument = call.arguments[std::min<std::size_t>(index++, 5)];
    switch (*letter) {
      case 'd':
        first_taken = true;
        give_descriptor(static_cast<std::int32_t>(argument), held.name1, event_.fd, event_.fd_path);
        break;
      case 'D':
        give_descriptor(static_cast<std::int32_t>(argument), held.name2, event_.fd2,
                        event_.fd2_path);
        break;
      case 'p':
        event_.path = string1;
        break;
      case 'P':
        event_.path2 = without_end(string2);
        break;
      case 't':
        if (recorded.extra != 0) {
          event_.text = extra;
          event_.truncated_text = call.arguments[recorded.extra & 7] > extra.size();
        } else if (event_.result > 0) {
          event_.text = string2.substr(0, static_cast<std::size_t>(event_.result));
        }
        break;
      case 'b':
        event_.text = without_end(extra);
        break;
      case 'o':
        event_.offset = signed_of(argument);
        break;
      case 'O':
        if (argument != 0) event_.offset = load<std::int64_t>(extra, 0);
        break;
      case 'l':
        event_.length = recorded.call == Call::fchown || recorded.call == Call::fchownat
                            ? signed_of(extended(argument))
                            : signed_of(argument);
        break;
      case 'a':
        // Identities may be -1; modes have 16 bits; a length of mremap has 64.
        event_.argument = recorded.call == Call::mremap ? argument
                          : recorded.call == Call::fchown || recorded.call == Call::fchownat
                              ? extended(argument)
                              : low32(argument);
        if (recorded.call == Call::mkdirat || recorded.call == Call::mknodat ||
            recorded.call == Call::openat || recorded.call == Call::fchmod ||
            recorded.call == Call::fchmodat)
          event_.argument &= 0xffff;
        break;
      case 'f':
      case 'g':
        event_.flags |= low32(argument);
        break;
      case 'w':
        event_.flags = load<std::uint64_t>(extra, 0);
        event_.argument = load<std::uint64_t>(extra, 8);
        break;
      case 's':
        give_status(call, recorded, extra);
        break;
      case 'T':
        give_times(call, extra);
        break;
      case 'k':
        give_fcntl(call);
        break;
      case 'i':
        give_ioctl(call, extra);
        break;
      case 'u':
        if (load<std::uint16_t>(extra, 0) == 1 && extra.size() > 2)
          event_.path = without_end(extra.substr(2));
        if (event_.path.empty()) event_.call = Call::other;
        make_absolute(event_.path, nullptr, storage_[0]);
        break;
      default:
        break;
    }
  }
  // These have no form with a descriptor: a path of theirs is told from the root.
  switch (recorded.call) {
    case Call::truncate:
    case Call::chdir:
    case Call::chroot:
    case Call::setxattr:
    case Call::lsetxattr:
    case Call::removexattr:
    case Call::lremovexattr:
      make_absolute(event_.path, directory1, storage_[0]);
      event_.fd = traces::kNoFd;
      event_.fd_path = {};
      break;
    default:
      break;
  }
}

// As strace shows a struct stat or statx.
void Assembler::give_status(const tp_call& call, const RecordedCall& recorded,
                            std::string_view extra) {
  if (call.result != 0 || extra.size() < 64) return;
  const bool extended_form = recorded.call == Call::statx;
  event_.argument = extended_form ? load<std::uint16_t>(extra, 28) : load<std::uint32_t>(extra, 24);
  event_.length = extended_form ? load<std::int64_t>(extra, 40) : load<std::int64_t>(extra, 48);
  const std::string prefix = extended_form ? "stx" : "st";
  storage_[1] = "{" + prefix + "_mode=" + octal(event_.argument) + ", " + prefix +
                "_size=" + std::to_string(event_.length) + ", ...}";
  event_.text = storage_[1];
}

void Assembler::give_times(const tp_call& call, std::string_view extra) {
  constexpr std::int64_t kNow = 0x3fffffff, kOmit = 0x3ffffffe;
  (void)call;
  if (extra.empty()) {
    event_.argument = 1;
    event_.text = "NULL";
    return;
  }
  if (extra.size() < 32) {  // utime
    event_.argument = 0;
    event_.text = "{actime=0, modtime=0}";
    return;
  }
  std::int64_t parts[2] = {load<std::int64_t>(extra, 8), load<std::int64_t>(extra, 24)};
  bool any_explicit = false, any_now = false;
  std::string& text = storage_[2] = "[";
  for (std::size_t i = 0; i < 2; ++i) {
    any_now = any_now || parts[i] == kNow;
    any_explicit = any_explicit || (parts[i] != kNow && parts[i] != kOmit);
    text += std::string(i == 0 ? "" : ", ") +
            "{tv_sec=" + std::to_string(load<std::int64_t>(extra, 16 * i)) +
            ", tv_nsec=" + std::to_string(parts[i]) + "}";
  }
  text += "]";
  event_.argument = any_explicit ? 0 : (any_now ? 1 : 2);
  event_.text = text;
}

void Assembler::give_fcntl(const tp_call& call) {
  event_.argument = low32(call.arguments[1]);
  event_.flags = low32(call.arguments[2]);
  if (is_lock_command(event_.argument)) event_.call = Call::other;
}

void Assembler::give_ioctl(const tp_call& call, std::string_view extra) {
  constexpr std::uint64_t kCloseOnExec = 0x5450;  // FIONCLEX, FIOCLEX
  constexpr std::uint64_t kClone = 0x40049409;    // FICLONE: the argument is a descriptor
  event_.flags = low32(call.arguments[1]);
  const std::uint64_t type = event_.flags >> 8 & 0xff;
  if (type == 'T' && (event_.flags & ~std::uint64_t{1}) != kCloseOnExec) event_.call = Call::other;
  if (event_.flags == kClone) {
    event_.fd2 = static_cast<std::int32_t>(call.arguments[2]);
    return;
  }
  event_.argument = load<std::uint32_t>(extra, 0);
  storage_[3] = "[" + hexadecimal(event_.argument) + "]";
  event_.text = storage_[3];
}

// io_uring's workers are made by no call: they share all with the task whose requests they do.
void Assembler::meet_worker(const tp_header& header, std::uint64_t time) {
  if ((header.marks & TP_IO_WORKER) == 0 || !workers_.insert(header.tid).second) return;
  constexpr std::uint64_t kShared = 0x100 | 0x200 | 0x400 | 0x10000;  // VM, FS, FILES, THREAD
  const Event kept = event_;
  begin_event(header, time);
  event_.pid = static_cast<std::int32_t>(header.tgid);
  event_.call = Call::fork;
  event_.name = "clone";
  event_.flags = kShared;
  event_.has_result = true;
  event_.result = header.tid;
  yield();
  event_ = kept;
}

void Assembler::give_request(const Held& held) {
  const auto& request = as<tp_request>(held.record);
  const bool aio = request.header.kind == TP_AIO;
  // Numbers of IORING_OP_* and IOCB_CMD_*, which are the system call interface.
  const unsigned operation = aio ? request.header.number + 100U : request.header.number;
  struct Kind {
    unsigned operation;
    Call call;
    const char* name;
  };
  constexpr Kind kKinds[] = {
      {1, Call::pread, "preadv"},         {4, Call::pread, "pread64"},
      {22, Call::pread, "pread64"},       {2, Call::pwritev, "pwritev"},
      {5, Call::pwrite, "pwrite64"},      {23, Call::pwrite, "pwrite64"},
      {17, Call::fallocate, "fallocate"}, {8, Call::sync_file_range, "sync_file_range"},
      {100, Call::pread, "pread64"},      {107, Call::pread, "preadv"},
      {101, Call::pwrite, "pwrite64"},    {108, Call::pwritev, "pwritev"}};
  const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& one) {
    return one.operation == operation;
  });
  if (kind == std::end(kKinds)) return;  // a sync shows as ext4_sync_file
  if (request.request != 0 || aio) processes_.insert(request.header.tgid);
  begin_event(request.header, held.time);
  event_.call = kind->call;
  event_.name = kind->name;
  const bool fixed = (request.header.marks & TP_FIXED_FILE) != 0;
  give_descriptor(fixed ? traces::kNoFd : static_cast<std::int32_t>(request.fd), held.name1,
                  event_.fd, event_.fd_path);
  event_.offset = request.offset;
  event_.has_result = event_.has_duration = true;
  event_.duration_ns = signed_of(held.duration);
  event_.result = held.result;
  if (held.result < 0) {
    event_.error = static_cast<std::int32_t>(-held.result);
    event_.result = -1;
  }
  const bool data =
      kind->call == Call::pread || kind->call == Call::pwrite || kind->call == Call::pwritev;
  if (data && request.offset < 0) {  // at the descriptor's position
    event_.call = kind->call == Call::pread ? Call::read : Call::write;
    event_.name = kind->call == Call::pread ? "read" : "write";
  } else if (data && !aio && request.flags != 0 && kind->call != Call::pread) {
    event_.call = Call::pwritev2;
    event_.name = "pwritev2";
    event_.argument = request.flags;
  }
  if (kind->call == Call::fallocate || kind->call == Call::sync_file_range)
    event_.flags = request.flags;
  if (event_.call != Call::pwritev && event_.call != Call::pwritev2 &&
      std::string_view(event_.name) != "preadv")
    event_.length = request.length;
  meet_worker(request.header, held.time);
  yield();
}

void Assembler::give_sync(const Held& held) {
  const auto& sync = as<tp_event>(held.record);
  meet_worker(sync.header, held.time);
  begin_event(sync.header, held.time);
  event_.cpu_end = static_cast<std::int16_t>(sync.header.cpu_end);
  event_.call = sync.a != 0 ? Call::fdatasync : Call::fsync;
  event_.name = sync.a != 0 ? "fdatasync" : "fsync";
  event_.fd = traces::kNoFd;
  if (held.name1 != nullptr) event_.fd_path = *held.name1;
  event_.has_result = event_.has_duration = true;
  event_.duration_ns = signed_of(held.duration);
  event_.result = held.result;
  if (held.result < 0) {
    event_.error = static_cast<std::int32_t>(-held.result);
    event_.result = -1;
  }
  yield();
}

void Assembler::give_exec(const Held& held) {
  const auto& exec = as<tp_exec>(held.record);
  begin_event(exec.header, held.time);
  event_.pid = static_cast<std::int32_t>(exec.old_tid);
  event_.call = Call::execve;
  event_.name = "execve";
  event_.path = without_end({exec.file, std::min<std::size_t>(exec.size, sizeof exec.file)});
  event_.has_result = true;
  yield();
}

void Assembler::give_fact(const Held& held) {
  const auto& told = as<tp_event>(held.record);
  begin_event(told.header, held.time);
  event_.transaction = told.transaction;
  event_.argument = told.inode;
  switch (told.header.number) {
    case TP_SYNC_FILE_ENTER:
      event_.call = Call::ext4_sync_file_enter;
      event_.flags = static_cast<std::uint64_t>(told.a);
      if (held.name1 != nullptr) event_.fd_path = *held.name1;
      break;
    case TP_SYNC_FILE_EXIT:
      event_.call = Call::ext4_sync_file_exit;
      event_.has_result = true;
      event_.result = told.a;
      break;
    case TP_SYNC_FS:
      event_.call = Call::ext4_sync_fs;
      event_.flags = static_cast<std::uint64_t>(told.a);
      break;
    case TP_FC_COMMIT_START:
      event_.call = Call::ext4_fc_commit_start;
      break;
    case TP_FC_COMMIT_STOP:
      event_.call = Call::ext4_fc_commit_stop;
      event_.length = told.a;
      event_.has_result = true;
      event_.result = told.b;
      break;
    case TP_START_COMMIT:
      event_.call = Call::jbd2_start_commit;
      break;
    case TP_COMMIT_LOCKING:
      event_.call = Call::jbd2_commit_locking;
      break;
    case TP_COMMIT_FLUSHING:
      event_.call = Call::jbd2_commit_flushing;
      break;
    case TP_COMMIT_LOGGING:
      event_.call = Call::jbd2_commit_logging;
      break;
    case TP_END_COMMIT:
      event_.call = Call::jbd2_end_commit;
      break;
    case TP_RUN_STATS:
      event_.call = Call::jbd2_run_stats;
      event_.length = told.a;
      event_.offset = told.b;
      event_.argument = static_cast<std::uint64_t>(told.c);
      break;
    case TP_HANDLE_START:
      event_.call = Call::jbd2_handle_start;
      event_.argument = static_cast<std::uint64_t>(told.a);
      event_.length = told.b;
      break;
    case TP_ALLOCATE_BLOCKS:
      event_.call = Call::ext4_allocate_blocks;
      event_.transaction = 0;
      event_.flags = told.transaction;
      event_.has_result = true;
      event_.result = told.a;
      event_.offset = told.b;
      event_.length = told.c;
      break;
    case TP_DIRTY_FOLIO:
      if ((told.header.marks & TP_OURS) == 0) return;
      processes_.insert(told.header.tgid);
      event_.call = Call::writeback_dirty_folio;
      event_.offset = told.a;
      event_.length = told.b;
      event_.has_result = true;
      event_.result = told.c;
      if (held.name1 != nullptr) event_.fd_path = *held.name1;
      break;
    default:
      return;
  }
  event_.name = {};
  yield();
}

}  // namespace fcsim::machine::record::tracepoints

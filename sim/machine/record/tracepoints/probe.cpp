#include "sim/machine/record/tracepoints/probe.h"

#ifdef FCSIM_TRACEPOINTS

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/time.h"
#include "sim/machine/record/tracepoints/call_list.h"
#include "sim/machine/record/tracepoints/records.h"
#include "tracepoints.skel.h"

namespace fcsim::machine::record::tracepoints {
namespace {

// Programs that a recording can do without: their tracepoints come and go with kernels and modules.
constexpr const char* kOptional[] = {"on_uring_submit", "on_uring_complete", "on_handle_start",
                                     "on_allocate_blocks", "on_dirty_folio"};

// Between reading the clock and having a record in the ring a program may be held up by interrupts.
constexpr std::int64_t kSlack = 1'000'000;

int keep_quiet(libbpf_print_level, const char*, va_list) {
  return 0;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error("the kernel's tracepoints: " + what + ": " +
                           std::strerror(error < 0 ? -error : error));
}

tp_rule rule_of(const RecordedCall& call) {
  tp_rule rule{};
  rule.recorded = 1;
  rule.flags = call.kernel_flags;
  rule.extra = call.extra;
  rule.extra_size = call.extra_size;
  tp_u8 argument = 0;
  for (const char* letter = call.arguments; *letter != '\0'; ++letter) {
    if (*letter == '@' || *letter == '%') continue;
    ++argument;
    if (*letter == 'd') rule.fd1 = argument;
    if (*letter == 'D') rule.fd2 = argument;
    if (*letter == 'p') rule.string1 = argument;
    if (*letter == 'P' || (*letter == 't' && call.extra == 0)) rule.string2 = argument;
  }
  return rule;
}

}  // namespace

struct Probe::Programs {
  tracepoints_bpf* skeleton = nullptr;
  ring_buffer* ring = nullptr;
  const std::function<void(const char*, std::size_t)>* take = nullptr;

  ~Programs() {
    if (ring != nullptr) ring_buffer__free(ring);
    if (skeleton != nullptr) tracepoints_bpf__destroy(skeleton);
  }

  static int hand_over(void* self, void* record, std::size_t size) {
    (*static_cast<Programs*>(self)->take)(static_cast<const char*>(record), size);
    return 0;
  }
};

std::string Probe::unavailable() {
  if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
    return "this kernel has no BTF (/sys/kernel/btf/vmlinux)";
  libbpf_set_print(keep_quiet);
  // The smallest program tells whether programs may be loaded at all.
  constexpr bpf_insn kReturn[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                                  {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  const Descriptor program(
      bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "fcsim_try", "GPL", kReturn, 2, nullptr));
  if (program.valid()) return "";
  if (errno == EPERM || errno == EACCES) return "needs root, or CAP_BPF and CAP_PERFMON";
  return std::string("BPF programs cannot be loaded (") + std::strerror(errno) + ")";
}

Probe::Probe(const ProbeRequest& request) : programs_(std::make_unique<Programs>()) {
  libbpf_set_print(keep_quiet);
  // Kernels before 5.11 count maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  tracepoints_bpf*& skeleton = programs_->skeleton;
  skeleton = tracepoints_bpf__open();
  if (skeleton == nullptr) fail("cannot be opened", errno);
  for (const RecordedCall& call : recorded_calls()) {
    const tp_rule rule = rule_of(call);
    std::memcpy(&skeleton->rodata->rules[call.number], &rule, sizeof rule);
  }
  skeleton->rodata->everybody = request.everybody;
  skeleton->rodata->whole_mount = request.whole_mount;
  // The kernel's own number of a device has 20 bits of minor.
  skeleton->rodata->device = (major(request.device) << 20U) | minor(request.device);
  skeleton->rodata->recorder = static_cast<tp_u32>(getpid());
  bpf_map__set_max_entries(skeleton->maps.ring, static_cast<tp_u32>(request.ring_bytes));
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) {
    const char* const section = std::strchr(bpf_program__section_name(program), '/');
    const bool optional = std::any_of(
        std::begin(kOptional), std::end(kOptional),
        [&](const char* name) { return std::strcmp(name, bpf_program__name(program)) == 0; });
    if (!optional || section == nullptr) continue;
    if (libbpf_find_vmlinux_btf_id(section + 1, BPF_TRACE_RAW_TP) < 0)
      bpf_program__set_autoload(program, false);
  }
  if (const int error = tracepoints_bpf__load(skeleton); error != 0) fail("refused", error);
  if (const int error = tracepoints_bpf__attach(skeleton); error != 0)
    fail("cannot be attached to", error);
  programs_->ring = ring_buffer__new(bpf_map__fd(skeleton->maps.ring), Programs::hand_over,
                                     programs_.get(), nullptr);
  if (programs_->ring == nullptr) fail("no ring buffer", errno);
}

Probe::~Probe() = default;

void Probe::mark(pid_t process) {
  const Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd.valid()) fail("process " + std::to_string(process), errno);
  bpf_map* const tasks = programs_->skeleton->maps.tasks;
  const std::vector<char> nothing(bpf_map__value_size(tasks));
  const int number = pidfd.get();
  if (bpf_map_update_elem(bpf_map__fd(tasks), &number, nothing.data(), BPF_NOEXIST) != 0 &&
      errno != EEXIST)
    fail("process " + std::to_string(process), errno);
}

void Probe::drain(const std::function<void(const char*, std::size_t)>& take) {
  programs_->take = &take;
  ring_buffer__consume(programs_->ring);
}

Watermark Probe::watermark() {
  const std::int64_t began = clock_ns(CLOCK_MONOTONIC) - kSlack;
  const Descriptor walk(bpf_iter_create(bpf_link__fd(programs_->skeleton->links.watermark)));
  char nothing[64];
  while (walk.valid() && read(walk.get(), nothing, sizeof nothing) > 0) {
  }
  const auto* const told = programs_->skeleton->bss;
  return {std::min(static_cast<std::uint64_t>(began), std::uint64_t{told->oldest_call}),
          told->produced, told->consumed};
}

void Probe::forget_names() {
  ++programs_->skeleton->bss->names_generation;
}

std::uint64_t Probe::lost() const {
  return programs_->skeleton->bss->lost;
}

std::uint64_t Probe::unread_strings() const {
  return programs_->skeleton->bss->unread_strings;
}

}  // namespace fcsim::machine::record::tracepoints

#else  // built without clang, libbpf or bpftool

#include <stdexcept>

namespace fcsim::machine::record::tracepoints {

struct Probe::Programs {};

std::string Probe::unavailable() {
  return FCSIM_TRACEPOINTS_LACK;
}
Probe::Probe(const ProbeRequest&) {
  throw std::runtime_error("the kernel's tracepoints: " + unavailable());
}
Probe::~Probe() = default;
void Probe::mark(pid_t) {}
void Probe::drain(const std::function<void(const char*, std::size_t)>&) {}
Watermark Probe::watermark() {
  return {};
}
void Probe::forget_names() {}
std::uint64_t Probe::lost() const {
  return 0;
}
std::uint64_t Probe::unread_strings() const {
  return 0;
}

}  // namespace fcsim::machine::record::tracepoints

#endif

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// The programs that run in the kernel. They look at system calls, at tasks and at the events of
// ext4, jbd2, writeback and io_uring, and put records into a ring buffer. A name is told once: a
// record holds the address of its dentry, a path record says what it stands for.
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "records.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct tp_rule rules[TP_CALLS];
const volatile bool everybody = false;  // not the marked tasks only
const volatile tp_u32 device = 0;          // of the file system, as the kernel numbers it
const volatile bool whole_mount = true;  // the mount point shows the file system from its root
const volatile tp_u32 recorder = 0;        // its process: never recorded

// Told to the recorder, which maps them.
volatile tp_u64 lost = 0;
volatile tp_u64 unread_strings = 0;
volatile tp_u64 names_generation = 0;  // goes up where paths may have changed
volatile tp_u64 oldest_call = 0;       // see watermark()
volatile tp_u64 produced = 0, consumed = 0;

// The call that a task is in.
struct pending {
  u64 time, arguments[8], name1, name2;
  struct inode *inode, *inode2;
  u32 number, cpu, in_call, transaction, handles, seen, touched, steers;
  u8 extra[TP_EXTRA];
};
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct pending);
} tasks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 64 << 20);
} ring SEC(".maps");

// Names that the recorder knows. Addresses of dentries are used again: the rest must fit, too.
struct known_name {
  u64 hash_and_length, parent, generation;
  u32 inode, deleted;
};
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 65536);
  __type(key, u64);
  __type(value, struct known_name);
} known_names SEC(".maps");

struct call_buffer {
  struct tp_call call;
  char data[2 * TP_STRING + 4 * TP_EXTRA];  // for the verifier, which knows sizes to be bytes only
};
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct call_buffer);
} call_buffers SEC(".maps");

struct path_buffer {
  struct tp_path path;
  char data[TP_PATH + TP_NAME];
};
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct path_buffer);
} path_buffers SEC(".maps");

#define PF_KTHREAD_BIT 0x00200000
#define PF_IO_WORKER_BIT 0x00000010
#define PF_USER_WORKER_BIT 0x00004000
#define AT_FDCWD_VALUE -100

static __always_inline void put(void *record, u64 size) {
  // Nobody is woken: the recorder looks by itself, many times a second.
  if (bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP)) __sync_fetch_and_add(&lost, 1);
}

static __always_inline u8 marks_of(struct task_struct *task) {
  u32 flags = task->flags;
  u8 marks = 0;
  if (flags & PF_KTHREAD_BIT)
    marks |= TP_KERNEL_TASK;
  else if (flags & (PF_IO_WORKER_BIT | PF_USER_WORKER_BIT))
    marks |= TP_IO_WORKER;
  return marks;
}

static __always_inline void fill_header(struct tp_header *header, struct task_struct *task,
                                        u8 kind, u16 number) {
  header->kind = kind;
  header->marks = marks_of(task);
  header->number = number;
  header->cpu = header->cpu_end = bpf_get_smp_processor_id();
  header->tid = task->pid;
  header->tgid = task->tgid;
  header->time = bpf_ktime_get_ns();
}

// ---- names ----

struct walk {
  struct dentry *dentry;
  struct mount *mount;
  u32 size, components;
};

static long walk_step(u32 index, struct walk *walk) {
  struct dentry *dentry = walk->dentry;
  struct mount *mount = walk->mount;
  struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
  if (mount && dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
    struct mount *above = BPF_CORE_READ(mount, mnt_parent);
    if (above == mount) return 1;
    walk->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
    walk->mount = above;
    return 0;
  }
  if (dentry == parent || walk->size > TP_PATH - TP_NAME) return 1;
  u32 zero = 0;
  struct path_buffer *buffer = bpf_map_lookup_elem(&path_buffers, &zero);
  if (!buffer) return 1;
  long size = bpf_probe_read_kernel_str(&buffer->data[walk->size & (TP_PATH - 1)], TP_NAME,
                                        BPF_CORE_READ(dentry, d_name.name));
  if (size <= 0 || size > TP_NAME) return 1;
  walk->size += size;
  walk->components++;
  walk->dentry = parent;
  return 0;
}

__noinline int tell_name(u64 dentry_address, u64 mount_address) {
  u32 zero = 0;
  struct path_buffer *buffer = bpf_map_lookup_elem(&path_buffers, &zero);
  if (!buffer) return 0;
  struct dentry *dentry = (void *)dentry_address;
  struct walk walk = {};
  walk.dentry = dentry;
  if (mount_address) walk.mount = container_of((struct vfsmount *)mount_address, struct mount, mnt);
  bpf_loop(128, walk_step, &walk, 0);
  struct tp_path *path = &buffer->path;
  fill_header(&path->header, bpf_get_current_task_btf(), TP_PATH_RECORD, 0);
  path->name = dentry_address;
  path->inode = BPF_CORE_READ(dentry, d_inode, i_ino);
  path->device = BPF_CORE_READ(dentry, d_sb, s_dev);
  path->components = walk.components;
  // A root is in no hash table either.
  path->deleted = !BPF_CORE_READ(dentry, d_hash.pprev) && BPF_CORE_READ(dentry, d_parent) != dentry;
  if (BPF_CORE_READ(dentry, d_sb, s_flags) & (1UL << 31)) path->deleted = 2;  // SB_NOUSER
  path->size = walk.size;
  path->within = !mount_address;
  put(buffer, sizeof(struct tp_path) + (walk.size & (TP_PATH - 1)));
  return 0;
}

// The number of a name, which the recorder knows by then.
static __always_inline u64 name_of(struct dentry *dentry, struct vfsmount *mount) {
  u64 key = (u64)dentry;
  if (!dentry) return 0;
  struct known_name now = {}, *known = bpf_map_lookup_elem(&known_names, &key);
  now.hash_and_length = BPF_CORE_READ(dentry, d_name.hash_len);
  now.parent = (u64)BPF_CORE_READ(dentry, d_parent);
  now.inode = BPF_CORE_READ(dentry, d_inode, i_ino);
  now.generation = names_generation;
  now.deleted = BPF_CORE_READ(dentry, d_hash.pprev) == 0;
  if (known && known->hash_and_length == now.hash_and_length && known->parent == now.parent &&
      known->inode == now.inode && known->generation == now.generation &&
      known->deleted == now.deleted)
    return key;
  bpf_map_update_elem(&known_names, &key, &now, BPF_ANY);
  // Where a file lies within its file system is the same in every mount namespace and chroot.
  if (whole_mount && BPF_CORE_READ(dentry, d_sb, s_dev) == device) mount = 0;
  tell_name(key, (u64)mount);
  return key;
}

static __always_inline struct file *file_of(struct task_struct *task, u32 fd) {
  struct fdtable *table = BPF_CORE_READ(task, files, fdt);
  if (!table || fd >= BPF_CORE_READ(table, max_fds)) return 0;
  struct file **files = BPF_CORE_READ(table, fd), *file = 0;
  bpf_probe_read_kernel(&file, sizeof file, files + fd);
  return file;
}

static __always_inline u64 name_of_file(struct file *file) {
  if (!file) return 0;
  return name_of(BPF_CORE_READ(file, f_path.dentry), BPF_CORE_READ(file, f_path.mnt));
}

static __always_inline u64 name_of_working_directory(struct task_struct *task) {
  struct fs_struct *fs = BPF_CORE_READ(task, fs);
  return name_of(BPF_CORE_READ(fs, pwd.dentry), BPF_CORE_READ(fs, pwd.mnt));
}

static __always_inline u32 device_of(struct file *file) {
  return file ? BPF_CORE_READ(file, f_inode, i_sb, s_dev) : 0;
}

// A name of an inode, as its file system sees it: without the mount point.
static __always_inline u64 name_of_inode(struct inode *inode) {
  struct hlist_node *first = BPF_CORE_READ(inode, i_dentry.first);
  if (!first) return 0;
  return name_of((struct dentry *)((void *)first - bpf_core_field_offset(struct dentry, d_u.d_alias)),
                 0);
}

// ---- tasks ----

// The storage of a task that is recorded. io_uring's workers are made without an event: they belong
// to the process that they work for.
static __always_inline struct pending *pending_of(struct task_struct *task) {
  struct pending *pending = bpf_task_storage_get(&tasks, task, 0, 0);
  if (pending) return pending;
  if (everybody) {
    if (task->tgid == recorder || (task->flags & PF_KTHREAD_BIT)) return 0;
    return bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  }
  struct task_struct *leader = task->group_leader;
  if (!leader || leader == task || (task->flags & PF_KTHREAD_BIT)) return 0;
  if (!bpf_task_storage_get(&tasks, leader, 0, 0)) return 0;
  return bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

// Only where a task exists already; most tasks of a machine are not recorded.
static __always_inline struct pending *known_pending_of(struct task_struct *task) {
  return bpf_task_storage_get(&tasks, task, 0, 0);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child) {
  struct pending *pending = known_pending_of(parent);
  if (!pending) return 0;
  if (everybody && !pending->seen) return 0;
  struct pending *made = bpf_task_storage_get(&tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (made) made->seen = 1;
  struct tp_fork fork = {};
  fill_header(&fork.header, parent, TP_FORK, 0);
  if (pending->in_call && pending->number < TP_CALLS && (rules[pending->number].flags & TP_FORKS)) {
    fork.header.time = pending->time;
    fork.flags = *(u64 *)pending->extra;
  }
  fork.child = child->pid;
  fork.child_tgid = child->tgid;
  put(&fork, sizeof fork);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *program) {
  struct pending *pending = known_pending_of(task);
  if (!pending || (everybody && !pending->seen)) return 0;
  struct tp_exec exec = {};
  fill_header(&exec.header, task, TP_EXEC, 0);
  if (pending->in_call) exec.header.time = pending->time;
  exec.old_tid = old_tid;
  long size = bpf_probe_read_kernel_str(exec.file, sizeof exec.file,
                                        BPF_CORE_READ(program, filename));
  exec.size = size > 0 ? size : 0;
  put(&exec, sizeof exec);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_task_exit, struct task_struct *task) {
  struct pending *pending = known_pending_of(task);
  if (!pending || (everybody && !pending->seen)) return 0;
  pending->in_call = 0;
  struct tp_event exit = {};
  fill_header(&exit.header, task, TP_EXIT, 0);
  exit.a = task->exit_code;
  put(&exit, sizeof exit);
  return 0;
}

// ---- system calls ----

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *registers, long number) {
  if (number < 0 || number >= TP_CALLS) return 0;
  const volatile struct tp_rule *rule = &rules[number];
  if (!rule->recorded) return 0;
  struct task_struct *task = bpf_get_current_task_btf();
  struct pending *pending = pending_of(task);
  if (!pending) return 0;
  // In a machine-wide recording most tasks never touch the file system: their mappings are theirs.
  if (everybody && !pending->seen && !rule->fd1 && !rule->string1 && !(rule->flags & TP_FORKS))
    return 0;
  volatile u64 *arguments = pending->arguments;
  arguments[0] = PT_REGS_PARM1_SYSCALL(registers);
  arguments[1] = PT_REGS_PARM2_SYSCALL(registers);
  arguments[2] = PT_REGS_PARM3_SYSCALL(registers);
  arguments[3] = registers->r10;
  arguments[4] = PT_REGS_PARM5_SYSCALL(registers);
  arguments[5] = registers->r9;
  u32 flags = rule->flags, fd1 = rule->fd1, fd2 = rule->fd2, extra = rule->extra;
  struct file *file1 = 0, *file2 = 0;
  u64 name1 = 0, name2 = 0;
  bool working_directory = flags & TP_WORKING_DIRECTORY;
  if (fd1 && fd1 <= 6) {
    int fd = arguments[(fd1 - 1) & 7];
    if (fd == AT_FDCWD_VALUE)
      working_directory = true;
    else
      file1 = file_of(task, fd);
  }
  if (fd2 && fd2 <= 6) {
    int fd = arguments[(fd2 - 1) & 7];
    if (fd == AT_FDCWD_VALUE)
      name2 = name_of_working_directory(task);
    else
      file2 = file_of(task, fd);
  }
  bool ours = (file1 && device_of(file1) == device) || (file2 && device_of(file2) == device);
  bool steers = false;
  if ((flags & TP_DATA) && !ours) {
    // What steers the kernel's memory is written into other file systems.
    if (!(flags & TP_STEERS) || !file1) return 0;
    u64 magic = BPF_CORE_READ(file1, f_inode, i_sb, s_magic);
    if (magic != 0x9fa0 && magic != 0x63677270) return 0;  // proc, cgroup2
    steers = true;
  }
  if (working_directory && !(flags & TP_DATA)) name1 = name_of_working_directory(task);
  if (file1) name1 = name_of_file(file1);
  if (file2) name2 = name_of_file(file2);
  pending->name1 = name1;
  pending->name2 = name2;
  pending->inode = file1 ? BPF_CORE_READ(file1, f_inode) : 0;
  pending->inode2 = file2 ? BPF_CORE_READ(file2, f_inode) : 0;
  pending->number = number;
  pending->cpu = bpf_get_smp_processor_id();
  pending->handles = pending->transaction = 0;
  pending->touched = ours;
  u32 extra_size = rule->extra_size;
  if (flags & TP_FORKS) {
    u64 clone = 0;
    if (extra && extra_size)
      bpf_probe_read_user(&clone, sizeof clone, (void *)arguments[0]);
    else if (extra)
      clone = arguments[0];
    *(u64 *)pending->extra = clone;
  } else if ((flags & TP_EXTRA_AT_ENTRY) && extra && extra <= 6 && extra_size <= 24 &&
             (steers || !(flags & TP_STEERS))) {
    __builtin_memset(pending->extra, 0, 24);
    bpf_probe_read_user(pending->extra, extra_size, (void *)arguments[(extra - 1) & 7]);
  }
  pending->steers = steers;
  // In this order: see watermark().
  pending->in_call = 1;
  pending->time = bpf_ktime_get_ns();
  return 0;
}

struct aio {
  struct task_struct *task;
  struct pending *pending;
  u64 pointers;
};

// A request of io_submit: fs/aio.c's struct iocb as user space has it.
static long tell_aio(u32 index, struct aio *aio) {
  u64 pointer = 0;
  struct {
    u64 data;
    u32 key, flags;
    u16 operation;
    s16 priority;
    u32 fd;
    u64 buffer, bytes;
    s64 offset;
  } block = {};
  if (bpf_probe_read_user(&pointer, sizeof pointer, (void *)(aio->pointers + 8 * (u64)index)))
    return 1;
  if (bpf_probe_read_user(&block, sizeof block, (void *)pointer)) return 1;
  struct tp_request request = {};
  fill_header(&request.header, aio->task, TP_AIO, block.operation);
  request.header.time = aio->pending->time;
  request.header.cpu = aio->pending->cpu;
  struct file *file = file_of(aio->task, block.fd);
  request.foreign = device_of(file) != device;
  if (request.foreign) return 0;
  request.name = name_of_file(file);
  request.inode = BPF_CORE_READ(file, f_inode, i_ino);
  request.fd = block.fd;
  request.flags = block.flags;
  request.offset = block.offset;
  request.length = block.bytes;
  if (block.operation == 7 || block.operation == 8) {  // vectors
    u64 sum = 0;
    for (int i = 0; i < 8; i++) {
      u64 size = 0;
      if (i >= block.bytes) break;
      bpf_probe_read_user(&size, sizeof size, (void *)(block.buffer + 16 * (u64)i + 8));
      sum += size;
    }
    request.length = sum;
  }
  put(&request, sizeof request);
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *registers, long result) {
  u64 now = bpf_ktime_get_ns();
  struct task_struct *task = bpf_get_current_task_btf();
  struct pending *pending = bpf_task_storage_get(&tasks, task, 0, 0);
  if (!pending || !pending->in_call) return 0;
  u32 number = pending->number;
  if (number >= TP_CALLS) return 0;
  const volatile struct tp_rule *rule = &rules[number];
  u32 flags = rule->flags;
  u32 zero = 0;
  struct call_buffer *buffer = bpf_map_lookup_elem(&call_buffers, &zero);
  if (!buffer) return 0;
  if (flags & TP_FORKS) goto done;
  if (flags & TP_SUBMITS) {
    struct aio aio = {};
    aio.task = task;
    aio.pending = pending;
    aio.pointers = pending->arguments[2];
    if (rule->extra == 3 && result > 0) bpf_loop(result > 1024 ? 1024 : result, tell_aio, &aio, 0);
    goto done;
  }
  struct tp_call *call = &buffer->call;
  call->header.kind = TP_CALL;
  call->header.marks = marks_of(task);
  call->header.number = number;
  call->header.cpu = pending->cpu;
  call->header.cpu_end = bpf_get_smp_processor_id();
  call->header.tid = task->pid;
  call->header.tgid = task->tgid;
  call->header.time = pending->time;
  call->duration = now - pending->time;
  call->result = result;
  __builtin_memcpy(call->arguments, pending->arguments, sizeof call->arguments);
  call->name1 = pending->name1;
  call->name2 = pending->name2;
  call->name_of_result = 0;
  call->transaction = pending->transaction;
  call->handles = pending->handles > 65535 ? 65535 : pending->handles;
  struct inode *inode = pending->inode;
  bool touched = pending->touched || pending->handles;
  if ((flags & TP_RESULT_FD) && result >= 0) {
    struct file *file = file_of(task, result);
    if (file) {
      call->name_of_result = name_of_file(file);
      inode = BPF_CORE_READ(file, f_inode);
      if (device_of(file) == device) touched = true;
    }
  }
  // A descriptor that was closed may have had the last hold of its inode.
  call->inode = inode && (flags & (TP_DATA | TP_RESULT_FD)) ? BPF_CORE_READ(inode, i_ino) : 0;
  if (touched) {
    call->header.marks |= TP_TOUCHED;
    pending->seen = 1;
  }
  if ((flags & TP_MOVES_NAMES) && result == 0) __sync_fetch_and_add(&names_generation, 1);
  long size1 = 0, size2 = 0, extra_size = 0;
  u32 string1 = rule->string1, string2 = rule->string2, extra = rule->extra;
  if (string1 && string1 <= 6) {
    void *from = (void *)pending->arguments[(string1 - 1) & 7];
    size1 = bpf_probe_read_user_str(buffer->data, TP_STRING, from);
    if (size1 < 0) {
      size1 = 0;
      if (from) __sync_fetch_and_add(&unread_strings, 1);
    }
    if (size1 > TP_STRING) size1 = TP_STRING;
  }
  if (string2 && string2 <= 6) {
    void *from = (void *)pending->arguments[(string2 - 1) & 7];
    size2 = bpf_probe_read_user_str(&buffer->data[size1 & (2 * TP_STRING - 1)], TP_STRING, from);
    if (size2 < 0) {
      size2 = 0;
      if (from) __sync_fetch_and_add(&unread_strings, 1);
    }
    if (size2 > TP_STRING) size2 = TP_STRING;
  }
  if (extra && extra <= 6) {
    u64 at = size1 + size2;
    if (at > 2 * TP_STRING) at = 0;
    u32 wanted = rule->extra_size;
    if (flags & TP_SIZED) {
      u64 size = pending->arguments[extra & 7];
      if (size < wanted) wanted = size;
    }
    if (wanted > TP_EXTRA) wanted = TP_EXTRA;
    if ((flags & TP_STEERS) && !pending->steers) {
      // The data of a write to a file is nobody's business.
    } else if (flags & TP_EXTRA_AT_ENTRY) {
      if (wanted > 24) wanted = 24;
      bpf_probe_read_kernel(&buffer->data[at], wanted & 31, pending->extra);
      extra_size = wanted;
    } else if (wanted && !bpf_probe_read_user(&buffer->data[at], wanted & 127,
                                              (void *)pending->arguments[(extra - 1) & 7])) {
      extra_size = wanted;
    }
  }
  call->size1 = size1;
  call->size2 = size2;
  call->extra_size = extra_size;
  u64 size = sizeof(struct tp_call) + size1 + size2 + extra_size;
  if (size <= sizeof(struct call_buffer)) put(buffer, size);
done:
  pending->in_call = 0;
  return 0;
}

// ---- events ----

static __always_inline void event(u32 what, u32 of_device, u32 inode, u32 transaction, s64 a, s64 b,
                                  s64 c) {
  if (of_device != device) return;
  struct task_struct *task = bpf_get_current_task_btf();
  struct tp_event event = {};
  fill_header(&event.header, task, TP_EVENT, what);
  struct pending *pending = known_pending_of(task);
  if (pending) {
    event.header.marks |= TP_OURS;
    if (pending->in_call && pending->number < TP_CALLS &&
        !(rules[pending->number].flags & TP_SUBMITS))
      event.header.marks |= TP_IN_CALL;
  }
  event.inode = inode;
  event.transaction = transaction;
  event.a = a;
  event.b = b;
  event.c = c;
  put(&event, sizeof event);
}

#define DEVICE_OF_JOURNAL(journal) BPF_CORE_READ(journal, j_fs_dev, bd_dev)

SEC("tp_btf/ext4_sync_file_enter")
int BPF_PROG(on_sync_file_enter, struct file *file, int datasync) {
  struct task_struct *task = bpf_get_current_task_btf();
  if (device_of(file) != device) return 0;
  struct pending *pending = everybody ? pending_of(task) : known_pending_of(task);
  if (!pending) pending = pending_of(task);
  struct tp_event event = {};
  event.name = name_of_file(file);
  fill_header(&event.header, task, TP_EVENT, TP_SYNC_FILE_ENTER);
  if (pending) {
    event.header.marks |= TP_OURS;
    pending->seen = 1;
    if (pending->in_call && pending->number < TP_CALLS &&
        !(rules[pending->number].flags & TP_SUBMITS))
      event.header.marks |= TP_IN_CALL;
  }
  // A write to a file that is open with O_DSYNC or O_SYNC syncs by itself.
  if (BPF_CORE_READ(file, f_flags) & 010000) event.header.marks |= TP_IN_CALL;
  event.inode = BPF_CORE_READ(file, f_inode, i_ino);
  event.a = datasync;
  put(&event, sizeof event);
  return 0;
}
SEC("tp_btf/ext4_sync_file_exit")
int BPF_PROG(on_sync_file_exit, struct inode *inode, int result) {
  event(TP_SYNC_FILE_EXIT, BPF_CORE_READ(inode, i_sb, s_dev), BPF_CORE_READ(inode, i_ino), 0, result,
        0, 0);
  return 0;
}
SEC("tp_btf/ext4_sync_fs")
int BPF_PROG(on_sync_fs, struct super_block *sb, int wait) {
  event(TP_SYNC_FS, BPF_CORE_READ(sb, s_dev), 0, 0, wait, 0, 0);
  return 0;
}
SEC("tp_btf/ext4_fc_commit_start")
int BPF_PROG(on_fc_commit_start, struct super_block *sb, u32 tid) {
  event(TP_FC_COMMIT_START, BPF_CORE_READ(sb, s_dev), 0, tid, 0, 0, 0);
  return 0;
}
SEC("tp_btf/ext4_fc_commit_stop")
int BPF_PROG(on_fc_commit_stop, struct super_block *sb, int blocks, int reason, u32 tid) {
  event(TP_FC_COMMIT_STOP, BPF_CORE_READ(sb, s_dev), 0, tid, blocks, reason, 0);
  return 0;
}
#define COMMIT_EVENT(function, tracepoint, what)                                           \
  SEC("tp_btf/" tracepoint)                                                                \
  int BPF_PROG(function, journal_t *journal, transaction_t *transaction) {                 \
    event(what, DEVICE_OF_JOURNAL(journal), 0, BPF_CORE_READ(transaction, t_tid), 0, 0, 0); \
    return 0;                                                                              \
  }
COMMIT_EVENT(on_start_commit, "jbd2_start_commit", TP_START_COMMIT)
COMMIT_EVENT(on_commit_locking, "jbd2_commit_locking", TP_COMMIT_LOCKING)
COMMIT_EVENT(on_commit_flushing, "jbd2_commit_flushing", TP_COMMIT_FLUSHING)
COMMIT_EVENT(on_commit_logging, "jbd2_commit_logging", TP_COMMIT_LOGGING)
COMMIT_EVENT(on_end_commit, "jbd2_end_commit", TP_END_COMMIT)

SEC("tp_btf/jbd2_run_stats")
int BPF_PROG(on_run_stats, u32 dev, u32 tid, struct transaction_run_stats_s *stats) {
  event(TP_RUN_STATS, dev, 0, tid, BPF_CORE_READ(stats, rs_blocks),
        BPF_CORE_READ(stats, rs_blocks_logged), BPF_CORE_READ(stats, rs_handle_count));
  return 0;
}

// Which transaction a call's handles belong to is told with the call; a handle is told by itself
// where there is no call, or where the call's handles belong to more than one transaction.
SEC("tp_btf/jbd2_handle_start")
int BPF_PROG(on_handle_start, u32 dev, u32 tid, u32 type, u32 line, int blocks) {
  if (dev != device) return 0;
  struct pending *pending = known_pending_of(bpf_get_current_task_btf());
  if (pending && pending->in_call) {
    if (pending->handles++ == 0) pending->transaction = tid;
    if (pending->transaction == tid) return 0;
  }
  event(TP_HANDLE_START, dev, 0, tid, type, blocks, 0);
  return 0;
}

SEC("tp_btf/ext4_allocate_blocks")
int BPF_PROG(on_allocate_blocks, struct ext4_allocation_request *request, u64 block) {
  struct inode *inode = BPF_CORE_READ(request, inode);
  event(TP_ALLOCATE_BLOCKS, BPF_CORE_READ(inode, i_sb, s_dev), BPF_CORE_READ(inode, i_ino),
        BPF_CORE_READ(request, flags), block, BPF_CORE_READ(request, logical),
        BPF_CORE_READ(request, len));
  return 0;
}

// Stores through mappings. What a call dirties of the file that it is given is the call's; but a
// call that reads may store what it reads into a mapping of another file.
SEC("tp_btf/writeback_dirty_folio")
int BPF_PROG(on_dirty_folio, struct folio *folio, struct address_space *mapping) {
  if (!mapping) return 0;
  struct inode *inode = BPF_CORE_READ(mapping, host);
  if (BPF_CORE_READ(inode, i_sb, s_dev) != device) return 0;
  struct task_struct *task = bpf_get_current_task_btf();
  if (task->flags & PF_KTHREAD_BIT) return 0;
  if (task->flags & (PF_IO_WORKER_BIT | PF_USER_WORKER_BIT)) return 0;  // io_uring's requests
  struct pending *pending = pending_of(task);
  if (!pending) return 0;
  if (pending->in_call && pending->number < TP_CALLS &&
      (!(rules[pending->number].flags & TP_READS) || pending->inode == inode))
    return 0;
  struct tp_event event = {};
  event.name = name_of_inode(inode);
  fill_header(&event.header, task, TP_EVENT, TP_DIRTY_FOLIO);
  event.header.marks |= TP_OURS;
  pending->seen = 1;
  event.inode = BPF_CORE_READ(inode, i_ino);
  // The flags are a folio's first word in all kernels, by whatever type.
  u64 folio_flags = 0, order = 0;
  bpf_probe_read_kernel(&folio_flags, sizeof folio_flags, folio);
  if (bpf_core_field_exists(folio->_flags_1) &&
      (folio_flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
    order = BPF_CORE_READ(folio, _flags_1) & 0xff;
  event.a = BPF_CORE_READ(folio, index) << 12;
  event.b = 4096ULL << (order < 10 ? order : 0);
  event.c = BPF_CORE_READ(inode, i_size);
  put(&event, sizeof event);
  return 0;
}

// ---- io_uring ----

// Requests on files: how their operands lie in the kernel's request.
static __always_inline bool is_file_operation(u8 operation) {
  switch (operation) {
    case 1: case 2: case 4: case 5: case 22: case 23:  // reads and writes
    case 3: case 8: case 17:                           // fsync, sync_file_range, fallocate
      return true;
    default:
      return false;
  }
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(on_uring_submit, struct io_kiocb *request) {
  struct task_struct *task = bpf_get_current_task_btf();
  if (!pending_of(task)) return 0;
  u8 operation = BPF_CORE_READ(request, opcode);
  if (!is_file_operation(operation)) return 0;
  struct tp_request record = {};
  fill_header(&record.header, task, TP_URING_SUBMIT, operation);
  record.header.marks |= TP_OURS;
  record.request = (u64)request;
  record.fd = BPF_CORE_READ(request, cqe.fd);
  if ((u64)BPF_CORE_READ(request, flags) & 1) record.header.marks |= TP_FIXED_FILE;
  if (operation == 3 || operation == 8 || operation == 17) {
    struct io_sync *sync = (void *)request;
    record.offset = BPF_CORE_READ(sync, off);
    record.length = BPF_CORE_READ(sync, len);
    record.flags = operation == 17 ? BPF_CORE_READ(sync, mode) : BPF_CORE_READ(sync, flags);
  } else {
    struct io_rw *rw = (void *)request;
    record.offset = BPF_CORE_READ(rw, kiocb.ki_pos);
    record.length = BPF_CORE_READ(rw, len);
    record.flags = (u32)BPF_CORE_READ(rw, flags);
  }
  put(&record, sizeof record);
  return 0;
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(on_uring_complete, struct io_ring_ctx *ring_context, void *request_address,
             struct io_uring_cqe *entry) {
  struct io_kiocb *request = request_address;
  if (!request) return 0;
  struct task_struct *task = bpf_get_current_task_btf();
  if (!pending_of(task)) return 0;
  u8 operation = BPF_CORE_READ(request, opcode);
  if (!is_file_operation(operation)) return 0;
  struct tp_request record = {};
  fill_header(&record.header, task, TP_URING_COMPLETE, operation);
  struct file *file = BPF_CORE_READ(request, file);
  record.request = (u64)request;
  record.foreign = device_of(file) != device;
  if (!record.foreign) {
    record.name = name_of_file(file);
    record.inode = BPF_CORE_READ(file, f_inode, i_ino);
  }
  record.result = BPF_CORE_READ(entry, res);
  put(&record, sizeof record);
  return 0;
}

// ---- order ----

// A call is told when it returns, but has its place where it began. The recorder runs this to learn
// before which time nothing can come any more: the oldest call that a task is in. A task that enters
// one meanwhile does so later than the walk began; one that leaves has put its record into the ring
// before it says so.
SEC("iter/task")
int watermark(struct bpf_iter__task *context) {
  struct task_struct *task = context->task;
  if (!context->meta->seq_num) oldest_call = ~0ULL;
  if (!task) {
    produced = bpf_ringbuf_query(&ring, BPF_RB_PROD_POS);
    consumed = bpf_ringbuf_query(&ring, BPF_RB_CONS_POS);
    return 0;
  }
  struct pending *pending = bpf_task_storage_get(&tasks, task, 0, 0);
  if (pending && pending->in_call && pending->time < oldest_call) oldest_call = pending->time;
  return 0;
}

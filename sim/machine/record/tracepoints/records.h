/* What the programs in the kernel and the recorder share: the records of the ring buffer, and what
 * the recorder tells about each system call. C, as both sides are compiled from it. */
#ifndef FCSIM_TRACEPOINTS_RECORDS_H
#define FCSIM_TRACEPOINTS_RECORDS_H

typedef unsigned char tp_u8;
typedef unsigned short tp_u16;
typedef unsigned int tp_u32;
typedef unsigned long long tp_u64;
typedef long long tp_s64;

/* Numbers of system calls from here on are not recorded. */
#define TP_CALLS 512
/* A path of a call, with its end. */
#define TP_STRING 4096
/* A name in a directory, with its end. */
#define TP_NAME 256
/* Bytes of a structure in the caller's memory that are read for a call. */
#define TP_EXTRA 64
/* A path that is told by a path record. */
#define TP_PATH 4096

enum tp_kind {
  TP_CALL = 1,       /* a system call that returned */
  TP_PATH_RECORD,    /* what a number of a name stands for */
  TP_EXEC,           /* a program was replaced */
  TP_FORK,           /* a task was made */
  TP_EXIT,           /* a task ended */
  TP_URING_SUBMIT,   /* io_uring took a request */
  TP_URING_COMPLETE, /* ... and completed it */
  TP_AIO,            /* io_submit took a request */
  TP_EVENT,          /* an event of ext4, jbd2 or writeback */
};

enum tp_what {
  TP_SYNC_FILE_ENTER = 1,
  TP_SYNC_FILE_EXIT,
  TP_SYNC_FS,
  TP_FC_COMMIT_START,
  TP_FC_COMMIT_STOP,
  TP_START_COMMIT,
  TP_COMMIT_LOCKING,
  TP_COMMIT_FLUSHING,
  TP_COMMIT_LOGGING,
  TP_END_COMMIT,
  TP_RUN_STATS,
  TP_HANDLE_START,
  TP_ALLOCATE_BLOCKS,
  TP_DIRTY_FOLIO,
};

/* Bits of tp_rule.flags. */
enum tp_flag {
  TP_DATA = 1,               /* of no consequence but on a file of the file system */
  TP_RESULT_FD = 2,          /* returns a descriptor */
  TP_EXTRA_AT_ENTRY = 4,     /* the structure is the caller's, not the kernel's */
  TP_MOVES_NAMES = 8,        /* paths that are known may change */
  TP_WORKING_DIRECTORY = 16, /* a path without a descriptor in front */
  TP_READS = 32,             /* writes into the caller's memory, which may be a mapped file */
  TP_SUBMITS = 64,           /* what others do for the caller is not part of the call */
  TP_FORKS = 128,  /* told by TP_FORK; extra: CLONE_* bits, after a pointer if it has a size */
  TP_STEERS = 256, /* a write: its data are read where it steers the kernel's memory */
  TP_SIZED = 512,  /* the argument after the structure is its size */
};

/* How a system call is recorded. Arguments count from 1; 0: there is none. */
struct tp_rule {
  tp_u8 recorded, fd1, fd2, string1, string2, extra, extra_size, unused;
  tp_u16 flags;
};

/* Bits of tp_header.marks. */
enum tp_mark {
  TP_IO_WORKER = 1,   /* the task is one of io_uring's */
  TP_KERNEL_TASK = 2, /* ... the kernel's */
  TP_IN_CALL = 4,     /* the task is within a recorded call that explains the event */
  TP_OURS = 8,        /* the task belongs to what is recorded */
  TP_TOUCHED = 16,    /* the call began a handle of the file system's journal, or its descriptors
                         are of the file system */
  TP_FIXED_FILE = 32, /* the descriptor is an index of io_uring's own table */
};

struct tp_header {
  tp_u8 kind, marks;
  tp_u16 number; /* of the system call; tp_what; io_uring's or aio's operation */
  tp_u16 cpu, cpu_end;
  tp_u32 tid, tgid;
  tp_u64 time; /* CLOCK_MONOTONIC, ns */
};

struct tp_call {
  struct tp_header header;
  tp_u64 duration;
  tp_s64 result;
  tp_u64 arguments[6];
  tp_u64 name1, name2, name_of_result; /* numbers of names */
  tp_u32 inode, transaction;           /* transaction: of the first handle begun; 0: none */
  tp_u16 size1, size2, extra_size, handles;
  /* string 1, string 2, the structure follow */
};

struct tp_path {
  struct tp_header header;
  tp_u64 name;
  tp_u32 inode, device, components, deleted; /* deleted: 1 yes, 2 no file system shows it */
  tp_u32 size, within; /* within: the path begins at the file system's root, not at the machine's */
  /* `size` bytes of components follow, the last first, each with its end */
};

struct tp_exec {
  struct tp_header header;
  tp_u32 old_tid, size;
  char file[TP_NAME];
};

struct tp_fork {
  struct tp_header header; /* of the parent; time: when its call began */
  tp_u64 flags;            /* CLONE_* */
  tp_u32 child, child_tgid;
};

struct tp_request {
  struct tp_header header;
  tp_u64 request; /* io_uring: its address, for the completion */
  tp_u64 name;
  tp_s64 offset, length, result;
  tp_u32 fd, flags, inode, foreign; /* foreign: the file is of another file system */
};

struct tp_event {
  struct tp_header header;
  tp_u64 name;
  tp_u32 inode, transaction;
  tp_s64 a, b, c;
};

#endif

#!/usr/bin/env python3
"""What a recording costs: programs on a loop file system, untraced, recorded through the kernel's
tracepoints and recorded with strace, in turn. Prints medians, and how many events were lost.

usage: bench/record.py FCSIM [--rounds N] [--only NAME]...      (as root)
"""
import argparse
import ctypes
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)


# A program in C, as an interpreter would hide what a call costs.
TINY = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int count;
static void *append(void *number) {
  char name[32], data[100] = {1};
  snprintf(name, sizeof name, "file%ld", (long)number);
  int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
  for (int i = 0; i < count; i++)
    if (write(file, data, sizeof data) < 0 || fsync(file) != 0) exit(1);
  close(file);
  return 0;
}
int main(int argc, char **argv) {
  count = atoi(argv[2]);
  if (!strcmp(argv[1], "tiny")) {
    char data[16] = {1};
    int file = open("tiny", O_RDWR | O_CREAT, 0644);
    for (int i = 0; i < count; i += 2)
      if (pwrite(file, data, 16, 0) < 0 || pread(file, data, 16, 0) < 0) return 1;
    return 0;
  }
  pthread_t threads[64];
  int number = atoi(argv[3]);
  for (long i = 0; i < number; i++) pthread_create(&threads[i], 0, append, (void *)i);
  for (int i = 0; i < number; i++) pthread_join(threads[i], 0);
  return 0;
}
"""


def run(command, **options):
    return subprocess.run(command, check=True, **options)


class Machine:
    """A file system in memory, made anew for each run, seen by nobody else."""

    def __init__(self, folder):
        self.image = os.path.join(folder, "image")
        self.mount = os.path.join(folder, "mount")
        os.mkdir(self.mount)

    def fresh(self):
        with open(self.image, "wb") as image:
            image.truncate(512 << 20)
        run(["mke2fs", "-q", "-F", "-t", "ext4", "-O", "fast_commit", self.image])
        run(["mount", "-o", "loop", self.image, self.mount])

    def free(self):
        run(["umount", self.mount])


def measure(machine, fcsim, how, command, folder):
    """Seconds that the command took, events that were lost, and calls a second."""
    machine.fresh()
    bundle = os.path.join(folder, "bundle")
    shutil.rmtree(bundle, ignore_errors=True)
    timed = ["sh", "-c", 'b=$(date +%s%N); "$@"; e=$(date +%s%N); echo $((e-b)) >&2', "sh"] + command
    if how != "untraced":
        timed = [fcsim, "record", "--with", how, "-o", bundle, "--"] + timed
    try:
        done = run(timed, cwd=machine.mount, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, text=True)
    finally:
        machine.free()
    seconds = int(re.search(r"^(\d{6,})$", done.stderr, re.M).group(1)) / 1e9
    lost = re.search(r"(\d+) events lost", done.stderr)
    return seconds, int(lost.group(1)) if lost else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("fcsim")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--only", action="append")
    options = arguments.parse_args()
    if os.geteuid() != 0:
        sys.exit("bench/record.py: needs root")
    fcsim = os.path.abspath(options.fcsim)
    if LIBC.unshare(0x20000) != 0:  # CLONE_NEWNS
        sys.exit("bench/record.py: no mount namespace of its own")
    run(["mount", "--make-rprivate", "/"])
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        source, program = os.path.join(folder, "work.c"), os.path.join(folder, "work")
        with open(source, "w", encoding="utf-8") as text:
            text.write(TINY)
        run(["cc", "-O2", "-pthread", "-o", program, source])
        tree = os.path.join(folder, "tree")
        os.mkdir(tree)
        for index in range(3500):
            os.makedirs(os.path.join(tree, "d%d" % (index % 100)), exist_ok=True)
            with open(os.path.join(tree, "d%d" % (index % 100), "f%d" % index), "wb") as file:
                file.write(b"x" * (index * 37 % 9000))
        archive = os.path.join(folder, "tree.tar")
        run(["tar", "-C", tree, "-cf", archive, "."])
        programs = {
            "append and fsync, 5,000 times": ([program, "append", "5000", "1"], 1.15),
            "untar 3,500 files": (["tar", "-xf", archive], 1.3),
            "8 threads, 1,000 times each": ([program, "append", "1000", "8"], 1.7),
            "200,000 pread and pwrite": ([program, "tiny", "200000"], 3.5),
            "4,000,000 pread and pwrite": ([program, "tiny", "4000000"], None),
        }
        machine = Machine(folder)
        print("%-32s %10s %22s %22s %8s" % ("", "untraced", "tracepoints", "strace", "lost"))
        for name, (command, wanted) in programs.items():
            if options.only and not any(word in name for word in options.only):
                continue
            ways = ["untraced", "tracepoints"] + (["strace"] if wanted else [])
            times = {way: [] for way in ways}
            lost = 0
            for _ in range(options.rounds):
                for way in ways:
                    seconds, lost_now = measure(machine, fcsim, way, command, folder)
                    times[way].append(seconds)
                    lost += lost_now
            base = statistics.median(times["untraced"])
            cells = ["%8.3f s" % base]
            for way in ("tracepoints", "strace"):
                if way not in times:
                    cells.append("")
                    continue
                median = statistics.median(times[way])
                cells.append("%8.3f s %7.2fx" % (median, median / base))
            goal = "" if wanted is None else "  (at most %.2fx)" % wanted
            print("%-32s %10s %22s %22s %8d%s" % (name, *cells, lost, goal), flush=True)


if __name__ == "__main__":
    main()

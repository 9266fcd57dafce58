#!/usr/bin/env python3
"""How does the time of a prediction grow with its trace?

usage: growth.py FCSIM [-n N] [-l SECONDS] [KIND...]

Writes a trace of each kind with N and with 10 N of what the kind is about (calls, files, extents,
attributes, processes), predicts both and prints a table: processor seconds of each, their ratio,
and the largest resident memory of the second in KiB. A run that takes more than the limit of
processor seconds is shown as ">". The exit status is 1 where a ratio is above 13 and the larger run
takes more than half a second, below which the start of the program is measured.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile

MOUNT_POINT = "/mnt/d"
FILE = MOUNT_POINT + "/f"
RATIO_MAXIMUM = 13
MEASURABLE_S = 0.5


class Trace:
    """Writes calls as strace does, 20 microseconds apart."""

    def __init__(self, path):
        self.file = open(path, "w", buffering=1 << 20)
        self.microseconds = 1796038021000000

    def line(self, text, pid=100, step=20):
        self.microseconds += step
        now = self.microseconds
        self.file.write(f"{pid} {now // 1000000}.{now % 1000000:06d} {text}\n")

    def call(self, text, result=0, pid=100):
        self.line(f"{text} = {result} <0.000010>", pid)

    def open(self, path=FILE, descriptor=3):
        self.call(f'openat(AT_FDCWD</>, "{path}", O_RDWR|O_CREAT, 0644)', f"{descriptor}<{path}>")

    def write(self, block, path=FILE):
        self.call(f'pwrite64(3<{path}>, "x"..., 4096, {block * 4096})', 4096)

    def fsync(self, path=FILE, descriptor=3):
        self.call(f"fsync({descriptor}<{path}>)")

    def close(self, path=FILE, descriptor=3):
        self.call(f"close({descriptor}<{path}>)")


def fragments(trace, n):
    trace.open()
    for i in range(n):
        trace.write(2 * i)


def files(trace, n):
    for i in range(n):
        path = f"{MOUNT_POINT}/f{i}"
        trace.open(path)
        trace.write(0, path)
        if i % 1000 == 0:
            trace.fsync(path)
        trace.close(path)


def removed(trace, n):
    for i in range(n):
        path = f"{MOUNT_POINT}/f{i}"
        trace.open(path)
        trace.write(0, path)
        trace.fsync(path)
        trace.close(path)
        trace.call(f'unlink("{path}")')


def directories(trace, n):
    for i in range(n):
        trace.call(f'mkdir("{MOUNT_POINT}/d{i}", 0755)')
    trace.call("sync()")


def long_names(trace, n):
    for i in range(n):
        path = f"{MOUNT_POINT}/{'a' * 240}{i:08d}"
        trace.open(path)
        trace.fsync(path)
        trace.close(path)


def dirty_files(trace, n):
    for i in range(n):
        trace.open(f"{MOUNT_POINT}/f{i}", i + 3)
    for i in range(n):
        trace.call(f'pwrite64({i + 3}<{MOUNT_POINT}/f{i}>, "x"..., 4096, 0)', 4096)
    for i in range(n):
        trace.fsync(f"{MOUNT_POINT}/f{i}", i + 3)


def extents(trace, n):
    trace.open()
    for i in range(n):
        trace.write(2 * i)
        if i % 1000 == 999:
            trace.fsync()


def extents_then_fsyncs(trace, n):
    fragments(trace, n)
    trace.call("sync()")
    for i in range(n):
        trace.write(2 * i + 1)
        trace.fsync()


def extents_reversed(trace, n):
    trace.open()
    for i in reversed(range(n)):
        trace.write(2 * i)
    trace.fsync()


def extents_shuffled(trace, n):
    order = list(range(n))
    random.Random(1).shuffle(order)
    trace.open()
    for i in order:
        trace.write(2 * i)
    trace.fsync()


def sparse_random(trace, n):
    """16 writes in a sparse file, then an fsync: what `fcsim workload sparse-random` does."""
    numbers = random.Random(1)
    trace.open()
    for _ in range(n // 16):
        for _ in range(16):
            trace.write(numbers.randrange(1 << 22))
        trace.fsync()


def holes(trace, n):
    trace.open()
    trace.call(f"fallocate(3<{FILE}>, 0, 0, {n * 8192})")
    for i in range(n):
        flags = "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE"
        trace.call(f"fallocate(3<{FILE}>, {flags}, {i * 8192}, 4096)")
    trace.fsync()


def collapse(trace, n):
    fragments(trace, n)
    for _ in range(n):
        trace.call(f"fallocate(3<{FILE}>, FALLOC_FL_COLLAPSE_RANGE, 0, 4096)")
    trace.fsync()


def insert(trace, n):
    fragments(trace, n)
    for _ in range(n):
        trace.call(f"fallocate(3<{FILE}>, FALLOC_FL_INSERT_RANGE, 0, 4096)")
    trace.fsync()


def truncate(trace, n):
    fragments(trace, n)
    trace.call("sync()")
    for i in reversed(range(n)):
        trace.call(f"ftruncate(3<{FILE}>, {i * 8192})")
        trace.fsync()


def attributes(trace, n):
    for i in range(n):
        trace.call(f'setxattr("{FILE}", "user.a{i}", "x", 1, 0)')
    trace.call("sync()")


def unfinished(trace, n):
    for i in range(n):
        trace.line(f"fsync(3<{FILE}> <unfinished ...>", 100 + i, 1)
    for i in reversed(range(n)):
        trace.line("<... fsync resumed>) = 0 <0.5>", 100 + i, 1)


def processes(trace, n):
    for i in range(n):
        path = f"{MOUNT_POINT}/g{i % 10}"
        trace.call(f'write(3<{path}>, "x"..., 10)', 10, 100 + i)
        trace.call(f"fsync(3<{path}>)", 0, 100 + i)


def renames(trace, n):
    trace.open(f"{MOUNT_POINT}/f0")
    for i in range(n):
        trace.call(f'rename("{MOUNT_POINT}/f{i}", "{MOUNT_POINT}/f{i + 1}")')
        trace.fsync(f"{MOUNT_POINT}/f{i + 1}")


def links(trace, n):
    trace.open()
    for i in range(n):
        trace.call(f'link("{FILE}", "{MOUNT_POINT}/l{i}")')
    trace.fsync()


def map_pages(trace, n):
    trace.open()
    trace.call(f"ftruncate(3<{FILE}>, {n * 8192})")
    for i in range(n):
        address = hex(0x7F0000000000 + i * 8192)
        flags = "PROT_READ|PROT_WRITE, MAP_SHARED"
        trace.call(f"mmap(NULL, 4096, {flags}, 3<{FILE}>, {hex(i * 8192)})", address)


def mappings(trace, n):
    map_pages(trace, n)
    for i in range(n):
        trace.call(f"msync({hex(0x7F0000000000 + i * 8192)}, 4096, MS_SYNC)")


def fsyncs_of_mapped(trace, n):
    map_pages(trace, n)
    for _ in range(n):
        trace.fsync()


def descriptors(trace, n):
    for i in range(n):
        trace.open(f"{MOUNT_POINT}/f{i}", i + 3)
    trace.fsync(f"{MOUNT_POINT}/f0")


def descriptors_of_one(trace, n):
    for i in range(n):
        trace.open(FILE, i + 3)
    for _ in range(200):
        trace.write(0)
        trace.fsync()


def forks(trace, n):
    """Each new process has the thousand descriptors of the first."""
    for i in range(1000):
        trace.open(f"{MOUNT_POINT}/f{i}", i + 3)
    flags = "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD"
    for i in range(n):
        trace.call(f"clone(child_stack=NULL, flags={flags}, child_tidptr=0x7f)", 1000 + i)


def nested(trace, n):
    for _ in range(n):
        trace.call('mkdir("d", 0755)')
        trace.call('chdir("d")')
    trace.call('openat(AT_FDCWD, "f", O_RDWR|O_CREAT, 0644)', 3)
    trace.call("fsync(3)")


def deep_paths(trace, n):
    """Chains of a thousand folders; the paths are long, so a tenth of them."""
    for chain in range(n // 10000):
        for depth in range(1, 1000):
            path = f"{MOUNT_POINT}/{chain}" + "/d" * depth
            trace.call(f'mkdir("{path}", 0755)')
        trace.open(path + "/f")
        trace.fsync(path + "/f")
        trace.close(path + "/f")


def long_paths(trace, n):
    """Names of 255 letters, fifteen within each other; a hundredth of them."""
    base = "/".join(["x" * 255] * 15)
    for i in range(n // 100):
        path = f"{MOUNT_POINT}/{base}/{i}"
        trace.open(path)
        trace.fsync(path)
        trace.close(path)


def long_line(trace, n):
    trace.call(f'write(3<{FILE}>, "{"x" * n}", 4)', 4)


def vectors(trace, n):
    """Vectors of a thousand buffers: n buffers."""
    buffers = ", ".join(['{iov_base="x", iov_len=1}'] * 1000)
    for _ in range(n // 1000):
        trace.call(f"writev(3<{FILE}>, [{buffers}], 1000)", 1000)


def far_offsets(trace, n):
    trace.open()
    for i in range(n):
        trace.call(f'pwrite64(3<{FILE}>, "x"..., 4096, {(1 << 63) - 1 - 4096 * (i + 1)})', 4096)
        trace.fsync()


def large_allocations(trace, n):
    trace.open()
    for i in range(n):
        trace.call(f"fallocate(3<{FILE}>, FALLOC_FL_KEEP_SIZE, {i * 4096}, {1 << 44})")
        trace.fsync()


def large_truncates(trace, n):
    trace.open()
    for i in range(n):
        trace.call(f"ftruncate(3<{FILE}>, {(1 << 44) - 8192 - i})")
        trace.fsync()
        trace.call(f"ftruncate(3<{FILE}>, {i})")


def large_writes(trace, n):
    """2 GiB each, until long after the file system is full."""
    size = 2147479552
    trace.open()
    for i in range(n):
        trace.call(f'pwrite64(3<{FILE}>, "x"..., {size}, {i * size})', size)
    trace.fsync()


def large_copies(trace, n):
    for i in range(n):
        copied = f"copy_file_range(3<{FILE}>, [{i}], 4<{FILE}g>, [{i * 8192}], {1 << 62}, 0)"
        trace.call(copied, 1 << 40)
    trace.call(f"fsync(4<{FILE}g>)")


def symbolic_link_loops(trace, n):
    trace.call(f'symlink("b", "{MOUNT_POINT}/a")')
    trace.call(f'symlink("a", "{MOUNT_POINT}/b")')
    for _ in range(n):
        trace.call(f'openat(AT_FDCWD</>, "{MOUNT_POINT}/a/x/y", O_RDWR)', 3)
        trace.call("fsync(3)")
        trace.call("close(3)")


def symbolic_link_chains(trace, n):
    """Each link leads twice through the one before."""
    trace.call(f'mkdir("{MOUNT_POINT}/e", 0755)')
    trace.call(f'symlink(".", "{MOUNT_POINT}/e/l0")')
    for i in range(1, n + 1):
        target = f"l{i - 1}/../e/l{i - 1}/../e"
        trace.call(f'symlink("{target}", "{MOUNT_POINT}/e/l{i}")')
    for _ in range(n):
        trace.call(f'openat(AT_FDCWD</>, "{MOUNT_POINT}/e/l{n}/f", O_RDWR|O_CREAT, 0644)', 3)
        trace.call("fsync(3)")
        trace.call("close(3)")


def renames_of_folder(trace, n):
    trace.call(f'mkdir("{MOUNT_POINT}/d", 0755)')
    for i in range(n):
        trace.open(f"{MOUNT_POINT}/d/f{i}")
        trace.close(f"{MOUNT_POINT}/d/f{i}")
    for _ in range(n // 2):
        trace.call(f'rename("{MOUNT_POINT}/d", "{MOUNT_POINT}/e")')
        trace.call(f'rename("{MOUNT_POINT}/e", "{MOUNT_POINT}/d")')


def fsyncs_among_dirty(trace, n):
    """One file is synced again and again while n others are open."""
    for i in range(n):
        trace.open(f"{MOUNT_POINT}/f{i}", i + 3)
    trace.call("sync()")
    for i in range(n):
        trace.write(0, f"{MOUNT_POINT}/f0")
        trace.fsync(f"{MOUNT_POINT}/f0")
        other = 1 + i % (n - 1)
        trace.call(f'pwrite64({3 + other}<{MOUNT_POINT}/f{other}>, "x"..., 4096, 0)', 4096)


def jumps(trace, n):
    """Three days pass between two calls."""
    trace.open()
    for _ in range(n):
        trace.microseconds += 3 * 86400 * 1000000
        trace.write(0)


KINDS = {function.__name__.replace("_", "-"): function for function in (
    files, removed, directories, long_names, dirty_files, extents, extents_then_fsyncs,
    extents_reversed, extents_shuffled, sparse_random, holes, collapse, insert, truncate, attributes,
    unfinished, processes, forks, renames, renames_of_folder, links, symbolic_link_loops,
    symbolic_link_chains, nested, deep_paths, long_paths, mappings, fsyncs_of_mapped, descriptors,
    descriptors_of_one, fsyncs_among_dirty, far_offsets, large_allocations, large_truncates,
    large_writes, large_copies, long_line, vectors, jumps)}


def measure(fcsim, path, limit_s):
    """Processor seconds and KiB, or None for seconds above the limit."""
    configuration = os.path.join(os.path.dirname(os.path.abspath(__file__)), "growth.toml")
    command = [fcsim, "run", path, "-c", configuration, "-q"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1)))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, -signal.SIGXCPU, -signal.SIGKILL):
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    seconds = usage.ru_utime + usage.ru_stime
    return (seconds if process.returncode == 0 else None), usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fcsim")
    parser.add_argument("-n", type=int, default=100000, help="the smaller size (%(default)s)")
    parser.add_argument("-l", "--limit", type=int, default=120, metavar="SECONDS",
                        help="of processor time for one run (%(default)s)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_intermixed_args()
    if unknown := [kind for kind in options.kinds if kind not in KINDS]:
        parser.error(f"no such kind: {unknown[0]}; known are {', '.join(KINDS)}")
    too_steep = False
    print(f"{'kind':<20} {options.n:>10} {10 * options.n:>10} {'ratio':>7} {'KiB':>9}", flush=True)
    for kind in options.kinds or KINDS:
        figures = []
        for size in (options.n, 10 * options.n):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.strace")
                trace = Trace(path)
                KINDS[kind](trace, size)
                trace.file.close()
                figures.append(measure(options.fcsim, path, options.limit))
            if figures[-1][0] is None:
                break
        shown = [f"{s:.2f}" if s is not None else f">{options.limit}" for s, _ in figures]
        shown += ["-"] * (2 - len(shown))
        ratio = "-"
        if None in (s for s, _ in figures):
            too_steep = True
        else:
            value = figures[1][0] / max(figures[0][0], 0.001)
            ratio = f"{value:.1f}"
            too_steep |= value > RATIO_MAXIMUM and figures[1][0] > MEASURABLE_S
        print(f"{kind:<20} {shown[0]:>10} {shown[1]:>10} {ratio:>7} {figures[-1][1]:>9}", flush=True)
    return 1 if too_steep else 0


if __name__ == "__main__":
    sys.exit(main())

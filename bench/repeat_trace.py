#!/usr/bin/env python3
"""Repeats the trace of a bundle, for traces as long as a benchmark needs.

    bench/repeat_trace.py BUNDLE MEGABYTES OUTPUT

OUTPUT becomes a bundle whose trace.strace is BUNDLE's over and over, until it has that many
megabytes. Each repetition begins a second after the one before has ended, and its processes have
numbers of their own; so a repetition is what running the program once more would be.
"""
import pathlib
import re
import shutil
import subprocess
import sys

LINE = re.compile(rb"^(\d+) +(\d+)\.(\d{6}) (.*\n)$")
# What names another process: the results of fork, and who a thread that calls execve replaces.
CHILD = re.compile(rb"^((?:<\.\.\. )?(?:clone3?|v?fork)(?:\(| resumed>).*\) = )(\d+)(?=[ \n])")
SUPERSEDED = re.compile(rb"^(\+\+\+ superseded by execve in pid )(\d+)")
PID_STEP = 100000  # numbers of one repetition lie within it on a machine with the usual limits


def parse(text):
    lines = []
    for line in text.splitlines(keepends=True):
        match = LINE.match(line)
        if not match:
            sys.exit(f"repeat_trace: expected 'PID SECONDS.MICROSECONDS CALL', found {line[:60]!r}")
        pid, seconds, fraction, rest = match.groups()
        child = CHILD.match(rest) or SUPERSEDED.match(rest)
        lines.append((int(pid), int(seconds) * 1000000 + int(fraction), rest, child))
    return lines


def repetition(lines, number, shift_us):
    step = number * PID_STEP
    out = []
    for pid, time_us, rest, child in lines:
        if child:
            renamed = b"%d" % (int(child[2]) + step)
            rest = child[1] + renamed + rest[child.end(2):]
        time_us += shift_us
        out.append(b"%d %d.%06d %s" % (pid + step, time_us // 1000000, time_us % 1000000, rest))
    return b"".join(out)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    bundle, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
    wanted = int(sys.argv[2]) * 1000000
    packed = bundle / "trace.strace.zst"
    text = (subprocess.run(["zstd", "-dcq", packed], check=True, stdout=subprocess.PIPE).stdout
            if packed.exists() else (bundle / "trace.strace").read_bytes())
    lines = parse(text)
    period_us = lines[-1][1] - lines[0][1] + 1000000
    output.mkdir(parents=True, exist_ok=True)
    for name in ("env.toml", "manifest.tsv"):
        shutil.copyfile(bundle / name, output / name)
    written = 0
    with open(output / "trace.strace", "wb") as trace:
        number = 0
        while written < wanted:
            written += trace.write(repetition(lines, number, number * period_us))
            number += 1


main()
